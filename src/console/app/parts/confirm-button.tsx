import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { useAction } from "./action.ts";
import { Failure } from "./panel.tsx";

/** A button that asks before it acts. The dialog has the same text on its button. */
export function ConfirmButton(props: {
  /** `Revoke` */
  readonly text: string;
  /** `Revoke laptop?` */
  readonly question: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  readonly action: () => Promise<unknown>;
}) {
  const { text, question, children, action } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const { isBusy, error, run } = useAction();
  const confirm = async () => {
    if (await run(action)) dialog.current?.close();
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-label={question}
        onClick={() => dialog.current?.showModal()}
      >
        {text}
      </button>
      <dialog ref={dialog} class="confirm" aria-label={question}>
        <h2>{question}</h2>
        <p>{children}</p>
        {error !== null && <Failure message={error} />}
        <div class="buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="danger" disabled={isBusy} onClick={() => void confirm()}>
            {text}
          </button>
        </div>
      </dialog>
    </>
  );
}
