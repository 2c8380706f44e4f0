import type { ComponentChildren } from "preact";
import { useAction } from "./action.ts";
import { DialogButton } from "./dialog-button.tsx";
import { Failure } from "./panel.tsx";
import { type Shown, t } from "#console/app/words.ts";

interface Confirmation {
  /** The text of the button, here and in the dialog: `Revoke`. */
  readonly text: Shown;
  /** `Revoke laptop?` */
  readonly question: Shown;
  /** What will happen. */
  readonly children: ComponentChildren;
  readonly action: () => Promise<unknown>;
}

/** A button that asks before it acts. */
export function ConfirmButton(props: Confirmation) {
  return (
    <DialogButton text={props.text} title={props.question}>
      {(close) => <Question {...props} onDone={close} />}
    </DialogButton>
  );
}

function Question(props: Confirmation & { readonly onDone: () => void }) {
  const { text, children, action, onDone } = props;
  const { isBusy, error, run } = useAction();
  const confirm = async () => {
    if (await run(action)) onDone();
  };
  return (
    <>
      <p>{children}</p>
      {error !== null && <Failure message={error} />}
      <div class="buttons">
        <button type="button" onClick={onDone}>
          {t("Cancel")}
        </button>
        <button type="button" class="danger" disabled={isBusy} onClick={() => void confirm()}>
          {text}
        </button>
      </div>
    </>
  );
}
