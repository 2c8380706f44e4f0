import { hasWords, wordsOf } from "#console/app/parts/search-words.ts";
import { translate } from "#console/app/words.ts";

/** What most screens ask for. */
export const USUAL_METRICS: readonly string[] = [
  "pe",
  "market_cap",
  "dividend_yield",
  "revenue_growth",
  "net_margin",
  "roe",
  "debt_to_equity",
  "return_1y",
];

/** What names a metric. */
interface Named {
  readonly name: string;
  readonly title: string;
  readonly group: string;
}

/** The metrics with all words of a text: those that begin with it, the usual ones, the others; a short name first. */
export function findMetrics<T extends Named>(metrics: Iterable<T>, text: string): T[] {
  const wanted = wordsOf(text).join(" ");
  const begins = (name: string) => wordsOf(name).join(" ").startsWith(wanted);
  const placeOf = ({ name, title }: Named) => {
    if (begins(translate(title)) || begins(name)) return 0;
    return USUAL_METRICS.includes(name) ? 1 : 2;
  };
  return [...metrics]
    .filter(({ name, title, group }) =>
      hasWords([translate(title), title, name, translate(group)].join(" "), text),
    )
    .toSorted(
      (a, b) => placeOf(a) - placeOf(b) || translate(a.title).length - translate(b.title).length,
    );
}
