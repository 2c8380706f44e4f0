import { CURRENCY_CODES, currencyNamedIn } from "#domain/currency.ts";
import { asTyped } from "#lib/as-typed.ts";
import { FACTORS, LETTERS, POWERS } from "./written-numbers.ts";

// Figures as people, reports and our own answers write them: `4.84 T USD`, `28.1兆円`, `1.608 tỷ`, `(1,234)`.

/** A number that a text can mean. */
export interface WrittenNumber {
  readonly value: number;
  /** The unit of its last digit: 1e10 for `4.84 T`. It is right if the figure is within half of this. */
  readonly step: number;
  /** The number of digits without zeros at the start. */
  readonly digits: number;
  /** How many of them are zeros behind the third digit at the end of a whole number. Amounts can be rounded to them. */
  readonly zeros: number;
  /** How it was read, if another reading is as usual: `points between thousands`; null otherwise. */
  readonly as: string | null;
  /** 1 if the figure is at least this number (`over 3 T`), -1 if it is at most this number; 0 if it is this number. */
  readonly bound: 0 | 1 | -1;
  /** False for a reading that the notation of the text contradicts. */
  readonly isOpen: boolean;
}

/** A figure as it was written. */
export interface WrittenFigure {
  /** What the digits can mean, the likeliest first. */
  readonly numbers: readonly [WrittenNumber, ...WrittenNumber[]];
  /** True if the text has a percent sign, or a word for it. */
  readonly isPercent: boolean;
  /** True if the text has a word or a letter for a power of ten. */
  readonly hasUnit: boolean;
  /** The ISO code of the currency that the text names; null without one. */
  readonly currency: string | null;
}

/** Longer texts are no figure. */
const MAX_FIGURE = 80;
const ABOUT =
  /^(?:about|around|approx(?:\.|imately)?|roughly|circa|ca\.|~|≈|約|およそ|khoảng|xấp xỉ) */i;
const AT_LEAST =
  /^(?:over|above|more than|at least|exceed(?:s|ed|ing)|trên|hơn|>=?|≥) *|(?:以上|超|を超える)$/i;
const AT_MOST = /^(?:under|below|less than|at most|up to|dưới|<=?|≤) *|(?:以下|未満|弱)$/i;
const PERCENT = /%|\bper ?cent(?:age points)?\b|\bpct\b|\bpp\b|パーセント|phần trăm/gi;
/** What is counted, or how often. It says nothing about the size. */
const COUNTED =
  /(?:\/|\bper) ?share\b|\bshares?\b|\bemployees\b|\bpeople\b|\bpoints?\b|\btimes\b|(?<=[\d ])x$|株|倍|人|ポイント|cổ phiếu|\bcp\b|người|lần|điểm/gi;
const CURRENCY_WORDS =
  /\bUS ?\$|[$€£¥円₫]|米?ドル|ユーロ|ドン|đồng|đô la(?: Mỹ)?|yên|VNĐ|đ$|\b(?:US )?dollars?\b|\byen\b|\beuros?\b|\bdongs?\b/gi;
/** `65.850 JPY`, without a unit. */
const ENDS_POINTED = /\.\d{3}(?: ?(?:JPY|VND|[円¥₫]))?$/i;
const IS_DONG = /đ$/i;
const VIETNAMESE = /yên|đô la|t[ỷỉ]|triệu|nghìn|ngàn|đồng|₫|VNĐ|VND|đ$/i;
/** The letters of Vietnamese pages: nghìn, triệu, nghìn tỷ. Their T is tỷ. */
const VIETNAMESE_LETTERS: Readonly<Record<string, number>> = { N: 1e3, TR: 1e6, NT: 1e12 };
const UNITS = [
  ...Object.keys(POWERS),
  ...Object.keys(FACTORS),
  ...Object.keys(VIETNAMESE_LETTERS),
  ...Object.keys(LETTERS),
].toSorted((a, b) => b.length - a.length);
const PART = new RegExp(
  `^ *(\\d[\\d.,']*(?: \\d{3}(?!\\d))*|\\.\\d+)(e[+-]?\\d{1,2}(?!\\d))? *(?:(${UNITS.join("|")})s?)?(?![a-z])`,
  "i",
);

/** The number of units of one that a word names: 1e12 for 兆; 1 for another text. */
export function sizeOfWord(word: string): number {
  return FACTORS[word] ?? LETTERS[POWERS[word.toLowerCase()] ?? ""] ?? 1;
}

/** The same for a word or a letter. */
function sizeOf(unit: string): number {
  const upper = unit.toUpperCase();
  return LETTERS[upper] ?? VIETNAMESE_LETTERS[upper] ?? sizeOfWord(unit);
}

/**
 * Reads a figure with its unit, sign and currency; null if the text is none. A JSON number has one meaning only.
 *
 * @param unitWords words that follow the number and are no power of ten, such as `bbl`; then other words can follow too
 * @param isVietnamese true for a figure of Viet Nam, where points separate thousands
 */
export function readFigure(
  written: string | number,
  {
    unitWords,
    isVietnamese = false,
  }: { unitWords?: readonly string[]; isVietnamese?: boolean } = {},
): WrittenFigure | null {
  const original = String(written);
  if (original.length > MAX_FIGURE) return null;
  let text = asTyped(original.replaceAll("￥", "¥")).trim();
  const bound: WrittenNumber["bound"] = AT_LEAST.test(text) ? 1 : AT_MOST.test(text) ? -1 : 0;
  text = text.replace(ABOUT, "").replace(AT_LEAST, "").replace(AT_MOST, "").trim();
  text = text.replaceAll(/(?<=\d)(?=[a-z]{3})|(?<=\d[kmbt])(?=[a-z]{3}$)/gi, " ");
  const currency = IS_DONG.test(text) ? "VND" : currencyNamedIn(text);
  const isPercent = PERCENT.test(text);
  PERCENT.lastIndex = 0;
  // A yen has no thousandths.
  const isInWholeUnits = currency === "JPY" || currency === "VND";
  const usesPoints =
    isVietnamese || VIETNAMESE.test(text) || (isInWholeUnits && ENDS_POINTED.test(text));
  for (const word of unitWords ?? [])
    text = text.replace(new RegExp(`(?:\\/|(?<![a-z]))${RegExp.escape(word)}(?![a-z])`, "i"), "");
  text = text
    .replaceAll(CURRENCY_WORDS, "")
    .replaceAll(/\b[a-z]{3}\b/gi, (code) => (CURRENCY_CODES.has(code.toUpperCase()) ? "" : code))
    .replaceAll(PERCENT, "")
    .replaceAll(COUNTED, "")
    .trim();
  const [, open, minus, body = ""] = /^(\()?(-|△|▲|minus |âm |\+)?(.*)$/i.exec(text) ?? [];
  if ((open !== undefined) !== body.includes(")")) return null;
  const parts = splitParts(body.replace(")", "").trim(), unitWords !== undefined);
  if (parts === null) return null;
  const sign = open !== undefined || (minus !== undefined && minus !== "+") ? -1 : 1;
  const numbers = numbersOf(parts, typeof written === "number" ? "json" : usesPoints ? "vi" : "en");
  const [first, ...others] = numbers.map((one) => ({
    ...one,
    value: sign * one.value + 0,
    bound,
  }));
  if (first === undefined) return null;
  const hasUnit = parts.some(({ unit }) => unit !== "");
  return { numbers: [first, ...others], isPercent, hasUnit, currency };
}

interface Part {
  readonly digits: string;
  readonly exponent: number;
  /** As it was written; empty without one. */
  readonly unit: string;
}

const IS_WORDS = /^\p{L}[\p{L}\p{M} .]*$/u;

/** `1兆5000億` in two parts; null if a text is not made of numbers and units, and of words behind them if they are allowed. */
function splitParts(text: string, endsWithWords: boolean): Part[] | null {
  const parts: Part[] = [];
  for (let rest = text; rest !== "";) {
    const [whole, digits = "", exponent = "e0", unit = ""] = PART.exec(rest) ?? [];
    if (whole === undefined)
      return endsWithWords && parts.length > 0 && IS_WORDS.test(rest) ? parts : null;
    parts.push({
      digits: digits.replaceAll(/[' ]/g, ""),
      exponent: Number(exponent.slice(1)),
      unit,
    });
    rest = rest.slice(whole.length).trim();
  }
  return parts;
}

/** What the parts of a number mean together. */
function numbersOf(
  parts: readonly Part[],
  notation: "json" | "en" | "vi",
): Omit<WrittenNumber, "bound">[] {
  const [first, ...others] = parts;
  if (first === undefined) return [];
  if (others.length > 0) return sumOf(parts);
  return readDigits(first.digits, notation).flatMap(({ plain, as, isOpen }) => {
    const decimals = plain.split(".")[1]?.length ?? 0;
    const sizes = [sizeOf(first.unit)];
    // Vietnamese pages write tỷ as T.
    if (first.unit === "T" && (notation === "vi" || first.digits.includes(",")))
      sizes.push(sizeOf("tỷ"));
    return sizes.map((size, i) => ({
      value: scaled(plain, size, first.exponent),
      step: scaled("1", size, first.exponent - decimals),
      ...countDigits(plain),
      as: i === 0 ? as : "T as tỷ",
      isOpen,
    }));
  });
}

/** The sum of parts in descending units; none if they are no one number. */
function sumOf(parts: readonly Part[]): Omit<WrittenNumber, "bound">[] {
  if (parts.slice(0, -1).some(({ unit }) => unit === "")) return [];
  const values = parts.map(({ digits, unit }) => {
    const [only] = readDigits(digits, "en");
    return { plain: only?.plain ?? "", size: sizeOf(unit) };
  });
  const isOne = values.every(
    ({ plain, size }, i) =>
      /^\d+$/.test(plain) && (i === 0 || size * Number(plain) < (values[i - 1]?.size ?? 0)),
  );
  const last = values.at(-1);
  if (!isOne || last === undefined) return [];
  const value = values.reduce((sum, { plain, size }) => sum + Number(plain) * size, 0);
  const plain = String(Math.round(value / last.size));
  return [{ value, step: last.size, ...countDigits(plain), as: null, isOpen: true }];
}

const COMMA = "a decimal comma";
const POINTS = "points between thousands";

/** The plain digits that a text can mean, with a decimal point and without groups. */
function readDigits(
  text: string,
  notation: "json" | "en" | "vi",
): { plain: string; as: string | null; isOpen: boolean }[] {
  const withPoint = /^(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)?(?:\.\d*)?$/.test(text) && text !== "";
  const withComma = /^(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/.test(text);
  const usual = withPoint ? [{ plain: text.replaceAll(",", ""), as: null, isOpen: true }] : [];
  // Digits alone mean the same in each notation.
  if (notation === "json" || !withComma || /^\d+$/.test(text)) return usual;
  const isVietnamese = notation === "vi";
  const other = {
    plain: text.replaceAll(".", "").replace(",", "."),
    as: withPoint ? (text.includes(".") ? POINTS : COMMA) : null,
    isOpen: isVietnamese || !withPoint,
  };
  // A decimal point before one, two or four digits cannot separate thousands.
  return isVietnamese ? [other, ...usual] : [...usual, other];
}

const scaled = (plain: string, size: number, exponent: number): number =>
  Number(`${plain}e${Math.round(Math.log10(size)) + exponent}`);

function countDigits(plain: string): Pick<WrittenNumber, "digits" | "zeros"> {
  const digits = plain.replace(".", "").replace(/^0+/, "");
  const [zeros = ""] = plain.includes(".") ? [] : (/(?<=^.{3,})0+$/.exec(digits) ?? []);
  return { digits: digits.length, zeros: zeros.length };
}
