import { translateTerm } from "#console/app/words.ts";

/** A unit in the reader's language: `USD bn`, `十億ドル`, `tỷ USD`. One without words stays: `%`, `TWh`. */
export function unitText(unit: string): string {
  const term = `unit ${unit}`;
  const text = translateTerm(term);
  return text === term ? unit : text;
}
