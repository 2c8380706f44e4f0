import { t } from "#console/app/words.ts";
import { useAction } from "./action.ts";
import { type FormEvent, readForm, readText } from "./form.ts";
import { NameField } from "./name-field.tsx";
import { Failure } from "./panel.tsx";

/** The form of a dialog that asks for the name of a list or a screen. */
export function NameForm(props: {
  /** The name or title before; empty for something new. */
  readonly name: string;
  readonly submitText: string;
  readonly onSave: (name: string) => Promise<void>;
  /** Closes the dialog. */
  readonly onDone: () => void;
}) {
  const { name, submitText, onSave, onDone } = props;
  const { isBusy, error, run } = useAction();
  const submit = async (event: FormEvent) => {
    const written = readText(readForm(event), "name");
    if (await run(() => onSave(written))) onDone();
  };
  return (
    <form class="stack" onSubmit={submit}>
      <NameField isTitle label={t("Name")} value={name} />
      {error !== null && <Failure message={error} />}
      <div class="buttons">
        <button type="button" onClick={onDone}>
          {t("Cancel")}
        </button>
        <button type="submit" class="primary" disabled={isBusy}>
          {submitText}
        </button>
      </div>
    </form>
  );
}
