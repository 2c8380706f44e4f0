import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Shown, t } from "#console/app/words.ts";

/** A button that opens a dialog. The content is made when it opens, and gets the function that closes it. */
export function DialogButton(props: {
  /** The content of the button. */
  readonly text: ComponentChildren;
  /** The heading of the dialog, which names the button for screen readers and contains its text. */
  readonly title: Shown;
  /** The heading, if it says more than the name of the button. */
  readonly heading?: Shown;
  /** True for the main action of a page. */
  readonly isPrimary?: boolean;
  /** True for a wide dialog, to read, with a button that closes it. Others have their own Cancel or Close. */
  readonly isWide?: boolean;
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const { text, title, heading = title, isPrimary = false, isWide = false, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  // The content is there, so that its first field or button gets the focus.
  useLayoutEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  const show = () => {
    setOpen(true);
    // It was closed a moment ago, and its event has not come.
    if (isOpen) dialog.current?.showModal();
  };
  const close = () => dialog.current?.close();
  const isPressedOutside = useRef(false);
  return (
    <>
      <button
        type="button"
        class={isPrimary ? "primary" : "quiet"}
        aria-label={title}
        onClick={show}
      >
        {text}
      </button>
      <dialog
        ref={dialog}
        class={isWide ? "" : "small"}
        aria-label={heading}
        onPointerDown={(event) => (isPressedOutside.current = isOnBackdrop(event))}
        onClick={(event) => {
          // A selection of text that ends outside is no click on the backdrop.
          if (isPressedOutside.current && isOnBackdrop(event)) close();
        }}
        onClose={() => setOpen(dialog.current?.open === true)}
      >
        {isOpen && (
          <>
            <header class="panel-head">
              <h2>{heading}</h2>
              {isWide && (
                <button type="button" class="quiet" onClick={close}>
                  {t("Close")}
                </button>
              )}
            </header>
            {children(close)}
          </>
        )}
      </dialog>
    </>
  );
}

/** True if an event of a modal dialog is outside of its box, because the backdrop belongs to the dialog. */
function isOnBackdrop(event: TargetedMouseEvent<HTMLDialogElement>): boolean {
  const { target, currentTarget, clientX, clientY } = event;
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  const isInside = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
  return target === currentTarget && !isInside;
}
