import { COUNTRY_OF_CODE } from "#domain/exchanges.ts";
import { isIsin } from "#domain/isin.ts";
import { cleanText } from "#imports/cells.ts";
import { foldedWord } from "./trade-kinds.ts";
import { normalForm } from "#lib/normal-form.ts";

/** A symbol as text of one line, without the marks of spreadsheets and brokers; empty for a dash. */
export function cleanSymbol(written: string): string {
  const symbol = cleanText(written).replace(/^'/, "").replace(/\*+$/, "").slice(0, 60);
  return /^[-–—]+$/.test(symbol) ? "" : symbol;
}

/** The ISIN in a text that has other words too, such as `US0378331005 / 865985`; null without one. */
export function isinIn(text: string): string | null {
  if (text.length < 12) return null;
  const words = text
    .toUpperCase()
    .slice(0, 200)
    .split(/[^A-Z0-9]+/);
  return words.find(isIsin) ?? null;
}

/** A symbol and the name that are written in one cell. */
export interface NamedSymbol {
  readonly symbol: string;
  readonly name: string;
}

/** A code of the Tokyo exchange: `7203`, `130A`. */
const JAPANESE_CODE = /^\d[\dA-Z]\d[\dA-Z]$/;
const HAS_JAPANESE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const TICKER = /^[A-Z0-9][A-Z0-9.:^=/-]{0,14}$/;

/**
 * The symbol and the name of a cell with both: `7203 トヨタ自動車`, `Apple Inc. (AAPL)`, `AAPL - Apple Inc.`. Null for
 * other texts.
 *
 * @param isOfSymbols true if the column is one of symbols, so that its first word is a symbol
 */
export function splitNamedSymbol(written: string, isOfSymbols: boolean): NamedSymbol | null {
  if (/^[\w.:^=$-]*$/.test(written)) return null;
  const text = normalForm(cleanText(written), "NFKC").slice(0, 200);
  const open = text.endsWith(")") ? text.lastIndexOf("(") : -1;
  if (open > 0) {
    const [before, inside] = [text.slice(0, open).trim(), text.slice(open + 1, -1).trim()];
    // `HPG (HOSE)`
    if (isOfSymbols && COUNTRY_OF_CODE.has(inside))
      return { symbol: `${inside}:${before}`, name: "" };
    const isCoded = isOfSymbols || HAS_JAPANESE.test(before);
    if (isCoded && TICKER.test(before) && !JAPANESE_CODE.test(inside))
      return { symbol: before, name: inside };
    if (JAPANESE_CODE.test(inside) || (isOfSymbols && TICKER.test(inside)))
      return { symbol: inside, name: before };
  }
  const [, inBrackets, behind = ""] = /^[[(【]([A-Z0-9.]{1,10})[\])】] ?(.+)$/.exec(text) ?? [];
  if (inBrackets !== undefined && (isOfSymbols || JAPANESE_CODE.test(inBrackets)))
    return { symbol: inBrackets, name: behind };
  const [first = "", ...rest] = text.split(" ");
  const last = rest.at(-1) ?? "";
  if (rest.length === 0) return null;
  const [after, before] = [rest.join(" "), [first, ...rest.slice(0, -1)].join(" ")];
  if (JAPANESE_CODE.test(first) && HAS_JAPANESE.test(after)) return { symbol: first, name: after };
  if (JAPANESE_CODE.test(last) && HAS_JAPANESE.test(before)) return { symbol: last, name: before };
  if (!isOfSymbols || !TICKER.test(first)) return null;
  const name = after.replace(/^[-–—:|] */, "");
  // Two short words can be one symbol: `7203 JP`, `BRK B`, `AAPL UW Equity`.
  const isNamed = name !== after || /\p{Ll}/u.test(name) || HAS_JAPANESE.test(name);
  return isNamed && name.length > 2 && !/equity$/i.test(name) ? { symbol: first, name } : null;
}

/** What a class of securities is called in remarks, if it is no share of the company that it names. */
const CLASSES: readonly (readonly [string, RegExp])[] = [
  ["an option", /^opt$|\boptions?\b|optionss|\bcalls?\b|\bputs?\b|オプション|quyen chon/],
  ["a warrant", /^war$|\bwarrants?\b|ワラント|chung quyen/],
  ["a future", /^(?:fut|fop)$|\bfutures?\b|先物|phai sinh/],
  ["a contract for difference", /\bcfds?\b/],
  [
    "a bond",
    /\bbonds?\b|\bfixed income\b|anleihe|\brenten?\b|obligation|債券|社債|国債|trai phieu/,
  ],
  ["cash", /^cash\b|\bmoney market\b|bargeld|^(?:fx|forex|currency)$|現金|預り金|^tien\b/],
];

/** The coupon or the maturity in the name of a bond: `4 3/8 05/13/45`, `2,5 % 2030`. */
const COUPON = /\d ?%|\d \d\/\d|\d[.,]\d{1,4} \d\d?\/\d\d/;

/**
 * What the cell of a class of securities names that is no share: `an option`; null for shares, funds and unknown words.
 * People call a fund with a symbol `Bonds` or `Cash` too, so these words need the code of a broker, or a row without a
 * symbol or with a coupon.
 */
export function noShareOf(assetClass: string, symbol: string, name: string): string | null {
  if (assetClass === "") return null;
  const word = foldedWord(assetClass);
  if (/\b(?:etf|etp|fund|fonds)\b|投信|投資信託/.test(word)) return null;
  const found = CLASSES.find(([, pattern]) => pattern.test(word))?.[0] ?? null;
  const isSure = /^(?:BOND|CASH)$/.test(assetClass) || /money market/i.test(assetClass);
  const isBare = symbol === "" || COUPON.test(name);
  return (found === "a bond" || found === "cash") && !isSure && !isBare ? null : found;
}

const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)";
const EXPIRY = new RegExp(
  String.raw`\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2} ?${MONTH} ?'?\d{2,4}|${MONTH} \d{1,2},? '?\d{2,4}|${MONTH} '?\d{2,4}|20\d\d-\d\d-\d\d`,
  "i",
);
const OPTION_SYMBOL = /^(?:[A-Z]{2}\.|[-.])?[A-Z]{1,6} {0,6}\d{6}[CP][\d.]{1,9}$/;

/** True for the symbol or the name of an option, which begins like its share: `AAPL 17JAN25 200 C`. */
export function isOption(text: string): boolean {
  if (!/\d/.test(text)) return false;
  const short = text.slice(0, 100);
  if (OPTION_SYMBOL.test(short)) return true;
  return /\b(?:calls?|puts?)\b|\d ?[CP]$/i.test(short) && EXPIRY.test(short);
}
