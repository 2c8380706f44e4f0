import { lists } from "#console/app/user-lists.ts";
import { t } from "#console/app/words.ts";

/** Boxes of the lists that a new feed link may read; nothing without lists. @param ticked the names at first */
export function ListTicks({ ticked = [] }: { readonly ticked?: readonly string[] | undefined }) {
  if (lists.value.length === 0) return null;
  return (
    <fieldset class="ticks">
      <legend>{t("Lists that it may read, with holdings and notes")}</legend>
      {lists.value.map(({ name }) => (
        <label class="tick" key={name}>
          <input type="checkbox" name={FIELD} value={name} defaultChecked={ticked.includes(name)} />{" "}
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** The name of the boxes in a form. */
const FIELD = "list";

/** The names of the lists that are ticked in a form. */
export function readLists(form: FormData): string[] {
  return form.getAll(FIELD).map(String);
}
