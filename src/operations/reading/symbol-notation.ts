import type { Country } from "#domain/country.ts";
import { CURRENCY_CODES } from "#domain/currency.ts";
import { COUNTRY_OF_CODE, COUNTRY_OF_TERMINAL_CODE, GROUPS, VENUES } from "#domain/exchanges.ts";
import { SYMBOL_PATTERN } from "#domain/instrument.ts";
import { normalForm } from "#lib/normal-form.ts";

/** A symbol as people write it, read without the market. */
export interface SymbolReference {
  /** The country that the notation names: JP in `7203.T`, `TSE:7203` and `JP:7203`; absent in `AAPL`. */
  readonly country?: Country;
  /** The symbol in upper case, in the form in which sources list it: `BRK.B` for `brk-b`. */
  readonly symbol: string;
  /** All symbols that it can mean, the most literal one first. */
  readonly spellings: readonly string[];
}

/** Longer texts are not a symbol in any notation. */
const MAX_NOTATION = 60;
const IS_SYMBOL = new RegExp(SYMBOL_PATTERN);
const IS_PLAIN = new RegExp(SYMBOL_PATTERN, "i");

/** A text in upper case, with plain letters and digits for full-width ones, without quotes and `$` around it. */
export function plainSymbol(text: string): string {
  // The most frequent case, without four searches.
  if (IS_PLAIN.test(text)) return text.toUpperCase();
  return normalForm(text, "NFKC")
    .replaceAll(/^[ "'`“”‘’「]+|[ "'`“”‘’」]+$/g, "")
    .toUpperCase()
    .replace(/^\$/, "");
}

/**
 * Reads one symbol in any usual notation and letter case: `AAPL`, `$AAPL`, `US:AAPL`, `NASDAQ:AAPL`,
 * `AAPL.US`, `US.AAPL`, `7203.T`, `7203 JP`, `BRK-B`, `BRK/B`, `USDJPY`, `USD/JPY`. Null if it is none.
 */
export function parseSymbol(text: string): SymbolReference | null {
  if (text.length > MAX_NOTATION) return null;
  const written = plainSymbol(text);
  const { country, body } = splitCountry(written);
  const symbol = listedForm(body);
  const dashed = body.replaceAll(/[./]/g, "-");
  const spellings = [written, body, symbol, dashed].filter(
    (one, i, all) => IS_SYMBOL.test(one) && all.indexOf(one) === i,
  );
  return IS_SYMBOL.test(symbol) ? { ...(country && { country }), symbol, spellings } : null;
}

/**
 * Splits the code of a country or an exchange off a symbol in upper case. Moomoo writes `US.AAPL`, and Interactive Brokers
 * writes a class as `BRK B`.
 */
export function splitCountry(written: string): { country?: Country; body: string } {
  for (const pattern of [
    /^(?<code>[A-Z]+): *(?<body>.+)$/,
    /^(?<code>US|JP|VN)\.(?<body>.+)$/,
    /^(?<body>.+)\.(?<code>[A-Z]+)$/,
    /^(?<body>\S+(?: [A-Z])?) (?<code>US|JP|VN)(?: EQUITY)?$/,
  ]) {
    const { code = "", body = "" } = pattern.exec(written)?.groups ?? {};
    const country = COUNTRY_OF_CODE.get(code);
    if (country) return { country, body: body.replace(/^([A-Z]{1,5}) ([A-Z])$/, "$1.$2") };
  }
  return { body: written };
}

/** The form in which sources list a symbol: `BRK.B` for a class, `JPY=X` or `EURUSD=X` for a pair. */
function listedForm(body: string): string {
  const [, base = "", quote = ""] = /^([A-Z]{3})\/?([A-Z]{3})(?:=X)?$/.exec(body) ?? [];
  return (
    pairSymbol(base, quote) ??
    body
      .replace(/^([A-Z]{1,5})[-/]([A-Z])$/, "$1.$2")
      .replace(/^([A-Z0-9]+)\/([A-Z0-9]+)$/, "$1-$2")
  );
}

/** The symbol of a currency pair: `JPY=X` for USD and JPY, `EURUSD=X`; null unless both are currencies. */
function pairSymbol(base: string, quote: string): string | null {
  const isPair = CURRENCY_CODES.has(base) && CURRENCY_CODES.has(quote) && base !== quote;
  return isPair ? `${base === "USD" ? "" : base}${quote}=X` : null;
}

/** The symbol of the opposite pair: `JPY=X` for `JPYUSD=X`; null if the symbol is not a pair. */
export function oppositePair(symbol: string): string | null {
  const [, base = "USD", quote = ""] = /^([A-Z]{3})?([A-Z]{3})=X$/.exec(symbol) ?? [];
  return pairSymbol(quote, base);
}

/** A text in upper case without the kind of instrument that Bloomberg or a person writes beside a symbol. */
export function withoutKind(plain: string): string {
  return plain.replace(
    /^(?:CỔ PHIẾU|MÃ) |(?: (?:EQUITY|INDEX|CURNCY|COMDTY|STOCKS?|SHARES?|(?:STOCK|SHARE) PRICE)|の?株価?)$/,
    "",
  );
}

/** A further reading of a text that is no listed symbol. */
export interface OtherReading {
  /** The only country in which it holds. */
  readonly country?: Country;
  readonly symbol: string;
  /** True if it is never a share: `SPX` in `I:SPX`. */
  readonly isNoShare?: true;
}

/**
 * What else a text in upper case can mean as a symbol in a country, the most certain reading first: Reuters' and
 * Bloomberg's codes (`AAPL.O`, `AAPL UW Equity`, `AAPL:US`), a code of JPX with five digits (`72030`), an index of another
 * service (`.SPX`, `I:SPX`), a class without a full stop (`BRKB`), a currency (`EUR`), a future (`CL1`).
 */
export function otherReadings(plain: string, currency: string): OtherReading[] {
  const bare = withoutKind(plain);
  const [, venue = "", behind = ""] = /^([A-Z_]+):(.+)$/.exec(bare) ?? [];
  const [, before = "", group = ""] = /^(.+)\.([A-Z]+)$/.exec(bare) ?? [];
  const isVenue = VENUES.has(venue) || venue.startsWith("INDEX");
  const isPlaced = isVenue || GROUPS.has(group);
  const body = (isVenue ? behind : isPlaced ? before : bare).replace(/^[.^@#/]|(?:=X?|!)$/g, "");
  const readings: OtherReading[] = [];
  if (body === "") return readings;
  const add = (symbol: string | null | undefined, more: Omit<OtherReading, "symbol"> = {}) => {
    if (symbol && symbol !== plain && IS_SYMBOL.test(symbol)) readings.push({ symbol, ...more });
  };
  const isNoShare = isPlaced ? { isNoShare: true as const } : {};
  const [, coded = "", code = ""] = /^(\S+)(?:\.| )([A-Z]{1,3})$/.exec(bare) ?? [];
  const terminal = COUNTRY_OF_TERMINAL_CODE.get(code);
  if (terminal) {
    add(coded, { country: terminal });
    add(classOf(coded), { country: terminal });
  }
  const [, stem, suffix = ""] =
    /^([A-Z0-9.]+)-(US|JP|VN)$/.exec(bare) ?? /^([A-Z0-9.-]+):([A-Z]+)$/.exec(bare) ?? [];
  const named = COUNTRY_OF_CODE.get(suffix);
  if (named) add(stem, { country: named });
  add(/^(\d[\dA-Z]\d[\dA-Z])0$/.exec(body)?.[1], { country: "JP" });
  add(body, isNoShare);
  add(body.startsWith("^") ? null : `^${body}`, { isNoShare: true });
  add(classOf(body), { country: "US" });
  const [, base = "", quote = ""] = /^([A-Z]{3})[-. _]?([A-Z]{3})$/.exec(body) ?? [];
  add(pairSymbol(base, quote), { isNoShare: true });
  add(pairSymbol(body, currency) ?? (body === "USD" ? pairSymbol("USD", currency) : null), {
    isNoShare: true,
  });
  // A bare currency beside the dollar: `JPY` is the pair in which it is quoted.
  if (body.length === 3 && CURRENCY_CODES.has(body)) add(`${body}=X`, { isNoShare: true });
  const [, root] = /^([A-Z]{2})C?1$/.exec(body) ?? [];
  if (root) add(`${root}=F`, { isNoShare: true });
  if (group === "COMM") add(`${before}=F`, { isNoShare: true });
  return readings;
}

/** True for a notation of another service that is no symbol: `I:SPX`, `AAPL UW Equity`. */
export function isCoded(text: string): boolean {
  return text.length <= MAX_NOTATION && otherReadings(plainSymbol(text), "USD").length > 0;
}

/** The class of shares that a symbol without a full stop can mean: `BRK.B` for `BRKB`; null if none. */
function classOf(symbol: string): string | null {
  const [, base, letter] = /^([A-Z]{2,4})([AB])$/.exec(symbol) ?? [];
  return base ? `${base}.${letter}` : null;
}
