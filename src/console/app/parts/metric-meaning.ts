import { type Sentence, t, translate } from "#console/app/words.ts";

/** What is in the name and the description of a metric, and what it means. */
const ABBREVIATIONS: readonly (readonly [pattern: RegExp, meaning: Sentence])[] = [
  [/^EV\//, "EV, enterprise value: what the whole company costs, with its debt and less its cash."],
  [
    /^(?!EBITDA).*EBITDA/,
    "EBITDA: earnings before interest, taxes, depreciation and amortisation.",
  ],
  [
    / TTM|trailing twelve months/,
    "TTM, trailing twelve months: the twelve months to the newest reported quarter.",
  ],
  [/ FQ/, "FQ, fiscal quarter: the end of the newest reported one."],
  [/ YoY/, "YoY, year over year: compared with the twelve months before."],
];

/** What a metric means, and then the abbreviations of its name and its description. */
export function meaningOf(of: { readonly title: string; readonly description: string }): string {
  const { title, description } = of;
  const text = `${title} ${description}`;
  const abbreviations = ABBREVIATIONS.flatMap(([pattern, meaning]) =>
    pattern.test(text) ? t(meaning) : [],
  );
  return [translate(description), ...abbreviations].join(" ");
}
