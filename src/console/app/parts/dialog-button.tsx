import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

/** A button that opens a dialog. The content is made when it opens, and gets the function that closes it. */
export function DialogButton(props: {
  /** The text of the button. */
  readonly text: string;
  /** The heading of the dialog, which begins with the text and names the button for screen readers. */
  readonly title: string;
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const { text, title, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const show = () => {
    setOpen(true);
    dialog.current?.showModal();
  };
  return (
    <>
      <button type="button" class="quiet" aria-label={title} onClick={show}>
        {text}
      </button>
      <dialog ref={dialog} class="small" aria-label={title} onClose={() => setOpen(false)}>
        {isOpen && (
          <>
            <h2>{title}</h2>
            {children(() => dialog.current?.close())}
          </>
        )}
      </dialog>
    </>
  );
}
