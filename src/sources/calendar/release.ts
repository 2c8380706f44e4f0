import type { Country } from "#domain/country.ts";
import { plainText } from "#lib/plain-text.ts";

/** A publication in one calendar, before the calendars are merged. */
export interface Release {
  readonly country: Country;
  readonly title: string;
  /** UTC, to the minute: `2026-08-19T18:00`. */
  readonly minute: string;
  readonly previous: string | null;
  readonly consensus: string | null;
  readonly actual: string | null;
}

/** The UTC minute of an instant in UTC milliseconds: `2026-08-19T18:00`. */
export function minuteOf(utcMs: number): string {
  return new Date(utcMs).toISOString().slice(0, 16);
}

/** A figure as its publisher prints it; null for each spelling of a missing figure. */
export function printedFigure(text: string | null | undefined): string | null {
  const figure = plainText(text ?? "", 60);
  return /^(|[-–—]+|n\/?a|null|tba)$/i.test(figure) ? null : figure;
}

/** Different names of the same publication in the two calendars. Patterns match lower-case text. */
const SYNONYMS: readonly (readonly [RegExp, string])[] = [
  [/\bu\.s\.|\bn\.s\.a\.?/g, " "],
  [/\bphiladelphia\b/g, "philly"],
  [/\b(new york|ny) empire state\b/g, "empire state"],
  [/\bempire state manufacturing\b/g, "empire state"],
  [/\bmichigan\b/g, "uom"],
  [/\bconference board\b/g, "cb"],
  [/\bfed (governor|member|president)\b/g, "fomc member"],
  [/\bnon[- ]farm\b/g, "nonfarm"],
  [/\bnonfarm (payrolls|employment change)\b/g, "nonfarm payrolls"],
  [/\b(unemployment|initial jobless) claims\b/g, "initial jobless claims"],
  [/\b(federal funds rate|fed interest rate decision)\b/g, "fed funds"],
  [/\bboj (policy rate|interest rate decision)\b/g, "boj policy"],
  [/\bcrude oil inventories\b/g, "eia crude inventories"],
  [/\bnon-manufacturing\b/g, "services"],
  [/\bavg\b\.?/g, "average"],
];

/**
 * Words that one calendar writes and the other does not, or that name the form of a figure rather
 * than the thing.
 */
const SOFT_WORDS: ReadonlySet<string> = new Set(
  "a of the and us japan japanese national index rate report change prelim preliminary flash final revised advance s&p global jibun bank au sa nsa mm yy qq mom yoy qoq cb m y q".split(
    " ",
  ),
);

/**
 * The subject of a publication, the same text for both calendars' names: its significant words in
 * alphabetical order. `CPI m/m` and `CPI` have one subject, `Core CPI` has another.
 */
export function subjectOf(title: string): string {
  let text = title.toLowerCase();
  for (const [pattern, name] of SYNONYMS) text = text.replaceAll(pattern, name);
  const words = text
    .replaceAll(/\b[myq]\/[myq]\b/g, " ")
    .replaceAll(/\([^)]*\)/g, " ")
    .split(/[^\p{L}\p{N}&]+/u)
    .filter((word) => word !== "" && !SOFT_WORDS.has(word));
  // If a title has only insignificant words, they are its subject.
  return words.length === 0 ? text.trim() : [...new Set(words)].sort().join(" ");
}
