import { lists, titleOfList } from "#console/app/user-lists.ts";
import { t } from "#console/app/words.ts";

/** Boxes of what a new feed link may read of its user: lists, and the messages of alerts. @param ticked the names at first */
export function ListTicks({ ticked = [] }: { readonly ticked?: readonly string[] | undefined }) {
  return (
    <fieldset class="ticks">
      <legend>{t("Lists that it may read, with holdings and notes")}</legend>
      {[...lists.value.map(({ name }) => name), ALERTS].map((name) => (
        <label class="tick" key={name}>
          <input type="checkbox" name={FIELD} value={name} defaultChecked={ticked.includes(name)} />{" "}
          {nameListed(name)}
        </label>
      ))}
    </fieldset>
  );
}

/** The word among the lists of a link by which it reads the messages of alerts. */
const ALERTS = "alerts:read";

/** What a link reads, for people. */
export function nameListed(name: string): string {
  return name === ALERTS ? t("Messages of your alerts") : titleOfList(name);
}

/** The name of the boxes in a form. */
const FIELD = "list";

/** The names of the lists that are ticked in a form. */
export function readLists(form: FormData): string[] {
  return form.getAll(FIELD).map(String);
}
