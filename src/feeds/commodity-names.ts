import { CURRENCY_CODES } from "#domain/currency.ts";
import { invalidArgument } from "#domain/errors.ts";
import { pairOf } from "./notation.ts";
import type { FeedInstrument } from "./request.ts";

// A name depends on the instrument alone: another symbol in the same file must not rename what a ledger holds.

/** What a price file names: an instrument, or a currency by its code. */
type Named = Pick<FeedInstrument, "country" | "symbol"> | string;

/** The unit of an index, which has no currency. */
const POINTS = "POINTS";

/** The currency whose price a pair is: `USD` of `JPY=X`; any other instrument is named itself. */
export function pricedBy(instrument: FeedInstrument): Named {
  const pair = instrument.symbol.endsWith("=X") ? pairOf(instrument.symbol) : null;
  // Another instrument can have such a symbol, but its price is in a currency of its own.
  return pair && pair.quote === instrument.currency ? pair.base : instrument;
}

/** The code of the currency in which an instrument is priced. */
export function currencyOf({ currency }: FeedInstrument): string {
  return currency ?? POINTS;
}

/** True for a symbol that is the code of a currency too: `COP`, `ALL`. In ledger, its name has the country. */
export function isCurrencyCode(symbol: string): boolean {
  return CURRENCY_CODES.has(symbol) || symbol === POINTS;
}

/**
 * `AAPL`, `"7203"`, `"US:COP"`; with the country always, `"US:AAPL"`. Ledger and hledger want quotes around a name that
 * has other characters than letters.
 */
export function ledgerName(named: Named, withCountry: boolean): string {
  if (typeof named === "string") return named;
  const { country, symbol } = named;
  const name = withCountry || isCurrencyCode(symbol) ? `${country}:${symbol}` : symbol;
  return /^[A-Z]+$/.test(name) ? name : `"${name}"`;
}

/**
 * `US.AAPL`, `JP.7203`, `US._GSPC` of `^GSPC`, `US.GC'F` of `GC=F`. In beancount, a name begins with a letter, ends with
 * a letter or digit, and has `'`, `_`, `.` and `-` within. No two symbols have one name.
 */
export function beancountName(named: Named): string {
  if (typeof named === "string") return named;
  const name = named.symbol.replaceAll("^", "_").replaceAll("=", "'");
  const isWhole = /[A-Z0-9]$/.test(name);
  return isWhole ? `${named.country}.${name}` : `${named.country}_${name}0`;
}

const keyOf = (named: Named) =>
  typeof named === "string" ? `the currency ${named}` : `${named.country}:${named.symbol}`;

/** The names of one file. */
export class FileNames {
  readonly #owners = new Map<string, string>();

  /** Adds a name. @throws BourseError `invalid_argument` if it is the name of something else in the file */
  add(name: string, named: Named): void {
    const key = keyOf(named);
    const other = this.#owners.get(name) ?? key;
    this.#owners.set(name, key);
    if (other === key) return;
    throw invalidArgument(`${name} would be the name of ${other} and ${key}.`, {
      param: "names",
      hint: "Ask with names=country, which writes the country before every symbol.",
    });
  }
}
