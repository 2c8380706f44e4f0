import { CsvError } from "#lib/csv.ts";
import { quote } from "./cells.ts";
import { normalForm } from "#lib/normal-form.ts";

/** The character between whole and fraction: `1234.5` or `1234,5`. */
export type DecimalMark = "comma" | "point";

/** The texts that files have for a missing figure, in lower case. */
const NO_FIGURE: ReadonlySet<string> = new Set(["", "-", "--", "nan", "null", "n/a"]);
const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;
const PLAIN_COMMA = /^[+-]?(?:\d+(?:,\d*)?|,\d+)(?:e[+-]?\d+)?$/i;
const GROUPED_COMMA = /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d*)?$/;
const CURRENCY = /^(?:[$€£¥₫]|US\$|USD|EUR|JPY|VND)|(?:[$€£¥₫円đ株]|zł|USD|EUR|JPY|VND)$/giu;

/** Currencies by the signs that a number may have. A dollar sign is one of several. */
const SIGNS: readonly (readonly [RegExp, RegExp])[] = [
  [/US\$|USD/i, /^USD$/],
  [/EUR|€/i, /^EUR$/],
  [/JPY|円/i, /^JPY$/],
  [/VND|₫|đ/i, /^VND$/],
  [/zł/i, /^PLN$/],
  [/£/, /^GB[PX]$/],
  [/¥/, /^(?:JPY|CNY)$/],
  [/\$/, /^(?:USD|[ACHNST][A-Z]D|MXN|BRL|ARS|CLP|COP)$/],
];

/** True if a cell has the sign of another currency: `$5` in yen. */
export function hasOtherCurrency(written: string, currency: string): boolean {
  const sign = SIGNS.find(([pattern]) => pattern.test(normalForm(written, "NFKC")));
  return sign !== undefined && !sign[1].test(currency);
}

/**
 * The number in a cell as people write it: with a currency sign, blanks or apostrophes between groups,
 * full-width digits, either decimal mark. Null in an empty cell, NaN in any other text.
 */
export function readFigure(written: string, mark: DecimalMark): number | null {
  if (mark === "point" && PLAIN.test(written)) return Number(written);
  const text = bare(written);
  if (NO_FIGURE.has(text.toLowerCase())) return null;
  if (mark === "point") {
    if (PLAIN.test(text)) return Number(text);
    return GROUPED.test(text) ? Number(text.replaceAll(",", "")) : Number.NaN;
  }
  if (PLAIN_COMMA.test(text)) return Number(text.replace(",", "."));
  if (!GROUPED_COMMA.test(text)) return Number.NaN;
  return Number(text.replaceAll(".", "").replace(",", "."));
}

/** The power of ten of a suffix, as in `791.82K` or `3.2億`. */
const SUFFIXES: Readonly<Record<string, number>> = { K: 3, M: 6, B: 9, T: 12, 万: 4, 億: 8 };

/** The number in a cell that may end in a suffix: 64.1K is 64,100. Otherwise like `readFigure`. */
export function readAmount(written: string, mark: DecimalMark): number | null {
  if (mark === "point" && PLAIN.test(written)) return Number(written);
  const { figure, power } = splitSuffix(written);
  const number = readFigure(figure, mark);
  if (power === 0) return number;
  return number === null ? Number.NaN : shiftPoint(number, power);
}

function splitSuffix(written: string): { figure: string; power: number } {
  const text = bare(written);
  const power = SUFFIXES[text.slice(-1).toUpperCase()] ?? 0;
  return { figure: power === 0 ? text : text.slice(0, -1), power };
}

/** `number` times 10 to `power`, by its digits: 64.1 thousand is 64,100, not 64,099.99…. */
export function shiftPoint(number: number, power: number): number {
  if (power === 0) return number;
  const digits = String(number);
  return digits.includes("e") ? number * 10 ** power : Number(`${digits}e${power}`);
}

/** True if a text has a sign that becomes a digit: the mark of a footnote in `187.15¹`, or `½`. */
export const hasMark = (text: string): boolean => /\p{No}/u.test(text);

/** A number without currency sign, blanks, apostrophes and full-width forms. */
function bare(written: string): string {
  const text = written.trim();
  if (PLAIN.test(text) || hasMark(text)) return text;
  return normalForm(text, "NFKC")
    .replaceAll(/[\s'’]/g, "")
    .replaceAll("−", "-")
    .replaceAll(CURRENCY, "");
}

/** A cell that shows the decimal mark of its file, and its line. */
interface Evidence {
  readonly mark: DecimalMark;
  readonly line: number;
  readonly written: string;
}

/** A cell of a table: a price, or a volume, which may have separators between groups even if prices have not. */
export interface NumberCell {
  readonly line: number;
  readonly text: string;
  readonly isVolume: boolean;
}

/**
 * The decimal mark of a file. A cell with both marks, with one of them twice, or without exactly three
 * digits after it decides. If no cell does, a comma-separated file has decimal points; any other file
 * has them if its numbers are written without groups.
 *
 * @throws CsvError if cells contradict each other, or if `1.234` may be either
 */
export function detectDecimalMark(cells: Iterable<NumberCell>, delimiter: string): DecimalMark {
  let found: Evidence | undefined;
  let doubtful: Evidence | undefined;
  let hasLongNumber = false;
  for (const { line, text: written, isVolume } of cells) {
    // Most cells of most files have this form.
    if (/^\d+$/.test(written)) {
      hasLongNumber ||= written.length > (isVolume ? 4 : 3);
      continue;
    }
    const { figure, power } = splitSuffix(written);
    const seen = markOf(figure);
    if (seen === null) continue;
    const evidence = { mark: seen.mark, line, written };
    // A volume of 1,234 may be grouped while prices are not: it decides nothing.
    if (!seen.isSure) {
      if (!isVolume && power === 0) doubtful ??= evidence;
    } else if (found && found.mark !== seen.mark) {
      const reason = `${quote(written)} does not fit ${quote(found.written)} in line ${found.line}`;
      throw new CsvError(line, `${reason}: write all numbers with one decimal mark`);
    } else found ??= evidence;
  }
  if (found) return found.mark;
  if (doubtful === undefined || delimiter === ",") return "point";
  if (hasLongNumber) return doubtful.mark;
  throw new CsvError(
    doubtful.line,
    `nothing in the file shows whether the mark in ${quote(doubtful.written)} is a decimal mark: give --decimal point or --decimal comma`,
  );
}

/**
 * The decimal mark of volumes of shares, which are whole: the other one than in prices, if the volumes have the mark of
 * prices before groups of three digits only, as 1.234 beside 12.34. Comma-separated files and JSON have decimal points.
 */
export function volumeMark(cells: Iterable<NumberCell>, mark: DecimalMark): DecimalMark {
  let hasGroups = false;
  for (const { text, isVolume } of cells) {
    if (!isVolume) continue;
    const { figure, power } = splitSuffix(text);
    const seen = markOf(figure);
    if (seen === null) continue;
    if (seen.isSure || seen.mark !== mark || power !== 0) return mark;
    hasGroups = true;
  }
  return hasGroups ? (mark === "point" ? "comma" : "point") : mark;
}

/** The characters of the longest number that shows a decimal mark. */
const LONGEST_NUMBER = 100;

/** The decimal mark by one number, and whether it is sure; null for a whole number or no number. */
function markOf(text: string): { mark: DecimalMark; isSure: boolean } | null {
  if (text.length > LONGEST_NUMBER || !/^[+-]?[.,]*\d[\d.,]*$/.test(text)) return null;
  const [points, commas] = [text.split(".").length - 1, text.split(",").length - 1];
  if (points + commas === 0) return null;
  if (points > 0 && commas > 0) {
    return {
      mark: text.lastIndexOf(".") > text.lastIndexOf(",") ? "point" : "comma",
      isSure: true,
    };
  }
  // Twice the same mark: it separates groups, so the other one is the decimal mark.
  if (points + commas > 1) return { mark: points > 0 ? "comma" : "point", isSure: true };
  const mark = points > 0 ? "point" : "comma";
  const [whole = "", fraction = ""] = text.replace(/^[+-]/, "").split(/[.,]/);
  const isGroup = fraction.length === 3 && whole.length > 0 && whole.length < 4 && whole !== "0";
  return { mark, isSure: !isGroup };
}
