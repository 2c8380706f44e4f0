import { formatText } from "#console/app/format.ts";
import { reader } from "#console/app/reader.ts";
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

/** Japanese counts by 万 and 億: the power of ten that a figure gets in place of its unit, and the new unit. */
const JAPANESE: Readonly<Record<string, readonly [power: number, unit: string]>> = {
  thousand: [-1, "万"],
  million: [2, "万"],
  "million bbl": [-2, "億バレル"],
  "million t": [2, "万トン"],
  "USD m": [-2, "億ドル"],
  "USD bn": [1, "億ドル"],
  "JPY bn": [1, "億円"],
};

/**
 * A figure and its unit in the reader's language, with the digits that are known: `−68.2` and `USD bn`, `−682` and
 * `億ドル`.
 *
 * @param figure in English, without its unit
 */
export function inUnit(figure: string, unit: string): readonly [figure: string, unit: Shown] {
  const [power, name] = (reader.value.language === "ja" && JAPANESE[unit]) || [0, null];
  const value = Number(figure.replaceAll(",", ""));
  if (name === null || !Number.isFinite(value)) return [formatText(figure), unitText(unit)];
  const decimals = /\.(\d+)/.exec(figure)?.[1]?.length ?? 0;
  const digits = Math.max(0, decimals - power);
  const shown = (value * 10 ** power).toLocaleString("en-GB", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return [formatText(figure.startsWith("+") ? `+${shown}` : shown), asIs(name)];
}
