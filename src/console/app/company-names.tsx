import { computed, effect, signal } from "@preact/signals";
import { request } from "./api.ts";
import { type Row, textIn } from "./parts/rows.ts";
import type { Subject } from "./parts/subject.ts";
import { reader } from "./reader.ts";
import { me } from "./session.ts";
import { languageOfName } from "./words.ts";

/** The names of instruments in the reader's language, by `JP:7203`; none in English. */
const names = signal<Readonly<Record<string, string>>>({});

/** The name in the reader's language if it is known: `トヨタ自動車`; else the name of the data. */
export const nameInLanguage = ({ country, symbol }: Subject, name: string): string =>
  names.value[`${country}:${symbol}`] ?? name;

/** Keeps the names equal to the reader's language, for a signed-in user. */
export function followNames(): void {
  let round = 0;
  // Other settings of the reader change no name.
  const language = computed(() => (me.value === null ? "en" : reader.value.language));
  effect(() => {
    const own = ++round;
    const loaded =
      language.value === "en"
        ? Promise.resolve({})
        : // Without them, the names of the data are shown.
          request("GET company-names/:language", { param: language.value }).catch(() => ({}));
    void loaded.then((found) => {
      // Another language may have been asked for meanwhile.
      if (own === round) names.value = found;
    });
  });
}

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
