import { CsvError } from "#lib/csv.ts";

/**
 * Looks through a text, or a piece of one that begins on that line.
 *
 * @throws CsvError where it is binary, in another encoding than UTF-8, or a web page
 */
export function refuseNoText(text: string, line = 1): void {
  const damage = text.search(/[\0\uFFFD]/);
  if (damage !== -1) {
    const before = text.slice(0, damage).split(/\r\n|\n|\r/).length - 1;
    throw new CsvError(line + before, "the file is not UTF-8 text");
  }
  if (line === 1 && /^\uFEFF?\s*<(?:!|\?|html|head|body|script)/i.test(text)) {
    throw new CsvError(1, "the file is a web page, not CSV: download it again");
  }
}

/** What sources write where they have no figure, in lower case. */
const NO_FIGURE: ReadonlySet<string> = new Set(["", "-", "nan", "null", "n/a"]);
const PLAIN_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const GROUPED_NUMBER = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;

/** The number in `1234.5`, `1.2e3` or `1,234.5`; null in an empty cell, NaN in any other text. */
export function readNumber(written: string): number | null {
  const text = written.trim();
  if (PLAIN_NUMBER.test(text)) return Number(text);
  if (NO_FIGURE.has(text.toLowerCase())) return null;
  return GROUPED_NUMBER.test(text) ? Number(text.replaceAll(",", "")) : Number.NaN;
}

/** True where there is such a day, in 1800 or later. */
export function isOnCalendar(year: number, month: number, day: number): boolean {
  if (year < 1800 || month < 1 || month > 12 || day < 1) return false;
  // Day 0 of the next month is the last of this one.
  return day <= 28 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** A cell as errors show it: on one line, cut after 60 characters. */
export function quote(written: string): string {
  const line = written.replaceAll(/\s+/g, " ");
  return `'${line.length > 60 ? `${line.slice(0, 60)}…` : line}'`;
}
