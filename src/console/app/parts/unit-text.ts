import { asIs, type Shown, translateTerm } from "#console/app/words.ts";

/** A unit in the reader's language: `USD bn`, `十億ドル`, `tỷ USD`. One without words stays: `%`, `TWh`. */
export function unitText(unit: string): Shown {
  const term = `unit ${unit}`;
  const text = translateTerm(term);
  return text === term ? asIs(unit) : text;
}

/** A figure without its unit, which stands beside it. */
export function withoutUnit(text: string, unit: string): string {
  return unit !== "" && text.endsWith(unit) ? text.slice(0, -unit.length).trim() : text;
}
