import { Type } from "@sinclair/typebox";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { type InstrumentKey, SYMBOL_PATTERN } from "#domain/instrument.ts";
import { BourseError } from "#domain/errors.ts";
import { Nullable } from "#domain/schema.ts";
import type { Cell } from "#lib/table.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { DecodedArguments } from "./decode.ts";
import { findNear } from "./near-symbols.ts";

/** A symbol as people write it, read without the market. */
export interface SymbolReference {
  /** The country that the notation names: JP in `7203.T`, `TSE:7203` and `JP:7203`; absent in `AAPL`. */
  readonly country?: Country;
  /** The symbol in upper case, in the form in which sources list it: `BRK.B` for `brk-b`. */
  readonly symbol: string;
  /** All symbols that it can mean, the most literal one first. */
  readonly spellings: readonly string[];
}

/** The country of the codes in front of a symbol (`TSE:7203`) or behind it (`7203.T`). */
const COUNTRY_OF_CODE: ReadonlyMap<string, Country> = new Map(
  Object.entries({
    US: "US NASDAQ NYSE NYSEARCA NYSEAMERICAN AMEX ARCA BATS CBOE OTC",
    JP: "JP TSE TYO JPX T",
    VN: "VN HOSE HSX HNX UPCOM HM HN",
  } satisfies Record<Country, string>).flatMap(([country, codes]) =>
    codes.split(" ").map((code) => [code, country as Country] as const),
  ),
);

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** The closest match is looked up for this number of unknown symbols, because each takes milliseconds. */
const MAX_CLOSEST = 5;
/** Longer texts are not a symbol in any notation. */
const MAX_NOTATION = 60;
const IS_SYMBOL = new RegExp(SYMBOL_PATTERN);

/**
 * Reads one symbol in any usual notation and letter case: `AAPL`, `$AAPL`, `US:AAPL`, `NASDAQ:AAPL`,
 * `AAPL.US`, `7203.T`, `7203 JP`, `BRK-B`, `BRK/B`, `USDJPY`, `USD/JPY`. Null if it is none.
 */
export function parseSymbol(text: string): SymbolReference | null {
  if (text.length > MAX_NOTATION) return null;
  // NFKC turns full-width letters and digits into plain ones.
  const written = text
    .normalize("NFKC")
    .replaceAll(/^ +| +$/g, "")
    .toUpperCase()
    .replace(/^\$/, "");
  const { country, body } = splitCountry(written);
  const symbol = listedForm(body);
  const dashed = body.replaceAll(/[./]/g, "-");
  const spellings = [written, body, symbol, dashed].filter(
    (one, i, all) => IS_SYMBOL.test(one) && all.indexOf(one) === i,
  );
  return IS_SYMBOL.test(symbol) ? { ...(country && { country }), symbol, spellings } : null;
}

/** Splits the code of a country or an exchange off a symbol in upper case. */
function splitCountry(written: string): { country?: Country; body: string } {
  for (const pattern of [
    /^(?<code>[A-Z]+):(?<body>.+)$/,
    /^(?<body>.+)\.(?<code>[A-Z]+)$/,
    /^(?<body>\S+) (?<code>US|JP|VN)(?: EQUITY)?$/,
  ]) {
    const { code = "", body = "" } = pattern.exec(written)?.groups ?? {};
    const country = COUNTRY_OF_CODE.get(code);
    if (country) return { country, body };
  }
  return { body: written };
}

/** The form in which sources list a symbol: `BRK.B` for a class, `JPY=X` or `EURUSD=X` for a pair. */
function listedForm(body: string): string {
  const [, base = "", quote = ""] = /^([A-Z]{3})\/?([A-Z]{3})(?:=X)?$/.exec(body) ?? [];
  if (CURRENCIES.has(base) && CURRENCIES.has(quote)) {
    return `${base === "USD" ? "" : base}${quote}=X`;
  }
  return body
    .replace(/^([A-Z]{1,5})[-/]([A-Z])$/, "$1.$2")
    .replace(/^([A-Z0-9]+)\/([A-Z0-9]+)$/, "$1-$2");
}

/** The instrument of a country that the reference means, delisted or not, or null. */
export function findReferenced(
  market: MarketStore,
  { spellings }: SymbolReference,
  country: Country,
): StoredInstrument | null {
  for (const symbol of spellings) {
    const instrument = market.instruments.find({ country, symbol });
    if (instrument) return instrument;
  }
  return null;
}

/**
 * Replaces the symbols of arguments (`symbol` with `country`, the list `symbols`, the US list `tickers`) by
 * the listed symbols, so that every notation of an instrument has the same answer. An unknown `symbol` gets
 * the form in which sources list it. An unknown item of a list stays unchanged.
 *
 * @throws BourseError `not_found` if the notation of `symbol` names another country than `country`
 */
export function resolveArguments(market: MarketStore, input: DecodedArguments): DecodedArguments {
  const { country, symbol, symbols, tickers } = input;
  if (typeof symbol === "string" && country !== undefined) {
    return { ...input, symbol: resolveSymbol(market, country as Country, symbol) };
  }
  if (typeof symbols === "string") {
    return { ...input, symbols: mapList(symbols, (one) => listedSymbol(market, one)) };
  }
  if (typeof tickers === "string") {
    return { ...input, tickers: mapList(tickers, (one) => listedTicker(market, one)) };
  }
  return input;
}

/** The distinct results for the items of a comma-separated list. */
function mapList(list: string, map: (item: string) => string): string {
  return [...new Set(list.split(",").map((item) => map(item.trim())))].join(",");
}

function listedSymbol(market: MarketStore, written: string): string {
  const found = findInstrument(market, written, false);
  return "reason" in found ? written : formatKey(found);
}

function listedTicker(market: MarketStore, written: string): string {
  const reference = parseSymbol(written);
  if (!reference || (reference.country ?? "US") !== "US") return written;
  return findReferenced(market, reference, "US")?.symbol ?? reference.symbol;
}

function resolveSymbol(market: MarketStore, country: Country, written: string): string {
  const reference = parseSymbol(written);
  if (!reference) return written;
  const { symbol, country: named = country } = reference;
  if (named === country) return findReferenced(market, reference, country)?.symbol ?? symbol;
  if (market.instruments.find({ country, symbol: written })) return written;
  const isNamed = !market.instruments.hasListing(named) || findReferenced(market, reference, named);
  const [found] = [country, ...COUNTRY_CODES].flatMap(
    (one) => findReferenced(market, reference, one) ?? [],
  );
  throw isNamed
    ? new BourseError("not_found", `Symbol ${written} is in ${named}, not in ${country}.`, {
        param: "country",
        hint: `Use country ${named}.`,
      })
    : new BourseError("not_found", `Symbol ${written} not found in ${named}.`, {
        param: "symbol",
        hint: found
          ? `Use symbol ${found.symbol} in ${found.country}.`
          : "Call list_symbols with a query to find a symbol by name.",
      });
}

/** A symbol of a list that means no instrument. */
export interface UnknownSymbol {
  /** As it was written. */
  readonly symbol: string;
  /** One sentence. */
  readonly reason: string;
  /** The closest match with its country, `US:AAPL`; null if nothing is close. */
  readonly closest: string | null;
}

/** The symbols of a list, looked up in the market. */
export interface ResolvedSymbols {
  /** In the order of the list, each instrument once. */
  readonly found: readonly StoredInstrument[];
  readonly unknown: readonly UnknownSymbol[];
}

/**
 * Looks up the symbols of a `SymbolListInput`. A symbol without a country is found if only one country
 * has it.
 */
export function resolveSymbols(market: MarketStore, list: string): ResolvedSymbols {
  const found = new Map<number, StoredInstrument>();
  const unknown: UnknownSymbol[] = [];
  for (const written of list.split(",")) {
    const resolved = findInstrument(market, written, unknown.length < MAX_CLOSEST);
    if ("reason" in resolved) unknown.push(resolved);
    else found.set(resolved.id, resolved);
  }
  return { found: [...found.values()], unknown };
}

function findInstrument(
  market: MarketStore,
  written: string,
  suggests: boolean,
): StoredInstrument | UnknownSymbol {
  const reference = parseSymbol(written);
  const unknown = (reason: string, closest: InstrumentKey | null): UnknownSymbol => ({
    symbol: written,
    reason,
    closest: closest && formatKey(closest),
  });
  const near = (countries: readonly Country[]) =>
    suggests ? findNear(market, reference?.symbol ?? written, countries) : null;
  if (!reference) {
    return unknown("This is not a symbol of US, JP or VN.", near(COUNTRY_CODES));
  }
  const { country } = reference;
  const everywhere = COUNTRY_CODES.flatMap((one) => findReferenced(market, reference, one) ?? []);
  const inCountry = everywhere.filter((one) => country === undefined || one.country === country);
  const listed = inCountry.filter(({ delistedAt }) => delistedAt === undefined);
  const [first, second] = listed.length > 0 ? listed : inCountry;
  if (first && second) {
    return unknown(`Several countries have it: ${inCountry.map(formatKey).join(", ")}.`, first);
  }
  if (first) return first;
  const [elsewhere] = everywhere;
  if (elsewhere) return unknown(`Not in ${country}, but in ${elsewhere.country}.`, elsewhere);
  return country
    ? unknown(`Not found in ${country}.`, near([country]))
    : unknown("Not found in US, JP or VN.", near(COUNTRY_CODES));
}

/** The notation that `parseSymbol` reads: `US:AAPL`. */
export function formatKey({ country, symbol }: InstrumentKey): string {
  return `${country}:${symbol}`;
}

/** The rows of unknown symbols in a table whose second column is the symbol: all other cells are null. */
export function unknownRows(
  unknown: readonly Pick<UnknownSymbol, "symbol">[],
  { length }: readonly string[],
): Cell[][] {
  return unknown.map(({ symbol }) => Array.from({ length }, (_, i) => (i === 1 ? symbol : null)));
}

/** The schema of `ResolvedSymbols.unknown` in an answer. */
export const UnknownSymbolsOutput = Type.Array(
  Type.Object({
    symbol: Type.String({ description: "The symbol as it was written: APPL." }),
    reason: Type.String({ description: "Why it is not in the rows: Not found in US." }),
    closest: Nullable(Type.String({ description: "The closest symbol: US:AAPL; null if none." })),
  }),
  { description: "Symbols without a row." },
);

/**
 * Like `resolveSymbols`.
 *
 * @throws BourseError `not_found` with all reasons if no symbol is found
 */
export function requireSymbols(market: MarketStore, list: string): ResolvedSymbols {
  const resolved = resolveSymbols(market, list);
  if (resolved.found.length > 0) return resolved;
  const reasons = resolved.unknown.map(({ symbol, reason }) => `${symbol}: ${reason}`);
  const near = resolved.unknown.flatMap(({ closest }) => closest ?? []);
  const spaced = list.split(/[\s;|]+(?:(?:VS\.?|AND|&)[\s;|]+)?/).join(",");
  const isSpaced = resolveSymbols(market, spaced).unknown.length === 0;
  throw new BourseError("not_found", `No symbol was found. ${reasons.join(" ")}`, {
    param: "symbols",
    hint:
      near.length > 0
        ? `Did you mean ${near.join(", ")}?`
        : isSpaced
          ? `Separate symbols with commas: ${spaced}.`
          : "Call list_symbols with a query to find symbols by name.",
  });
}
