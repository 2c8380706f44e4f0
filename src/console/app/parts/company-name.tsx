import { nameInLanguage } from "#console/app/company-names.ts";
import { languageOfName } from "#console/app/words.ts";
import { type Row, textIn } from "./rows.ts";

/** The name in a row of a table, in its language. @param country of the row, if the row has none */
export function CompanyName(props: {
  readonly row: Row;
  readonly country?: string;
  readonly class?: string;
}) {
  const { row, country = textIn(row, "country") } = props;
  const name = nameInLanguage({ country, symbol: textIn(row, "symbol") }, textIn(row, "name"));
  return (
    <span class={props.class ?? "cut"} lang={languageOfName(name, country)}>
      {name}
    </span>
  );
}
