import { type Shown, t } from "#console/app/words.ts";

/** The field for the label of a token. Spaces alone are no label. */
export function LabelField(props: { readonly value?: string; readonly placeholder?: Shown }) {
  return (
    <label>
      {t("Label")}
      <input
        name="label"
        required
        pattern=".*\S.*"
        title={t("Write what the token is for.")}
        placeholder={props.placeholder}
        defaultValue={props.value}
      />
    </label>
  );
}
