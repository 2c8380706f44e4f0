import { Type } from "@sinclair/typebox";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { notFound } from "#domain/errors.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import type { Cell } from "#lib/table.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { mapClaims } from "./claims.ts";
import type { DecodedArguments } from "./decode.ts";
import { dateOf } from "#lib/date.ts";
import { mapHoldings } from "./holdings.ts";
import { findNear } from "./near-symbols.ts";
import {
  explainUnknown,
  findChange,
  findMeant,
  findReferences,
  findSuccessor,
  type Meaning,
} from "./symbol-meaning.ts";
import { parseSymbol, plainSymbol, splitCountry, type SymbolReference } from "./symbol-notation.ts";

/** The closest match is looked up for this number of unknown symbols, because each takes milliseconds. */
const MAX_CLOSEST = 5;

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

/** The arguments with the listed symbols, and what was understood where a symbol needed an interpretation. */
export interface ResolvedArguments {
  readonly input: DecodedArguments;
  /** By the name of the argument: `META (FB is META since 2022-06-09: Meta Platforms, Inc.)`. */
  readonly understood: Readonly<Record<string, string>>;
}

/**
 * Replaces the symbols of arguments (`symbol` with `country`, the lists `symbols`, `holdings` and `claims`, the US list `tickers`) by
 * the listed symbols, so that every notation of an instrument has the same answer. An unknown `symbol` gets
 * the form in which sources list it. An unknown item of a list stays unchanged.
 *
 * @throws BourseError `not_found` if the notation of `symbol` names another country than `country`
 */
export function resolveArguments(market: MarketStore, input: DecodedArguments): ResolvedArguments {
  const { country, symbol, symbols, tickers, holdings, claims } = input;
  if (typeof symbol === "string" && country !== undefined) {
    const resolved = resolveSymbol(market, country as Country, symbol);
    return resolvedBy({ ...input, symbol: resolved.symbol }, "symbol", [resolved]);
  }
  if (typeof symbols === "string") {
    const resolved = itemsOf(symbols).map((one) => listedSymbol(market, one));
    return resolvedBy({ ...input, symbols: joined(resolved) }, "symbols", resolved);
  }
  if (typeof tickers === "string") {
    const resolved = itemsOf(tickers).map((one) => listedTicker(market, one));
    return resolvedBy({ ...input, tickers: joined(resolved) }, "tickers", resolved);
  }
  if (typeof holdings === "string") {
    const resolved: Resolved[] = [];
    const list = mapHoldings(holdings, (written) => {
      const one = listedSymbol(market, written);
      resolved.push(one);
      return one.symbol;
    });
    return resolvedBy({ ...input, holdings: list }, "holdings", resolved);
  }
  if (typeof claims === "string") {
    const resolved: Resolved[] = [];
    const list = mapClaims(claims, (written) => {
      const one = listedSymbol(market, written);
      resolved.push(one);
      return one.symbol;
    });
    // The answer has the symbol of each claim, so only the reasons are named.
    const reasons = new Set(resolved.flatMap(({ why }) => why ?? []));
    return {
      input: { ...input, claims: list },
      understood: reasons.size > 0 ? { claims: [...reasons].join("; ") } : {},
    };
  }
  return { input, understood: {} };
}

/** A symbol to look up, with the reason if it needed an interpretation. */
interface Resolved {
  readonly symbol: string;
  readonly why?: string;
}

function resolvedBy(
  input: DecodedArguments,
  name: string,
  resolved: readonly Resolved[],
): ResolvedArguments {
  const reasons = resolved.flatMap(({ why }) => why ?? []);
  const understood =
    reasons.length > 0 ? { [name]: `${String(input[name])} (${reasons.join("; ")})` } : {};
  return { input, understood };
}

/** A legal form behind a comma belongs to the name before it: `Apple, Inc.`. */
export const LEGAL_FORM = /^(co|corp|inc|ltd|llc|plc)\.$/i;

function itemsOf(list: string): string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item, i) => i === 0 || !LEGAL_FORM.test(item));
}

const joined = (resolved: readonly Resolved[]) =>
  [...new Set(resolved.map(({ symbol }) => symbol))].join(",");

function listedSymbol(market: MarketStore, written: string): Resolved {
  const found = findInstrument(market, written, false);
  return "reason" in found
    ? { symbol: written }
    : toResolved(found, formatKey(found.instrument), written);
}

function listedTicker(market: MarketStore, written: string): Resolved {
  const reference = parseSymbol(written);
  if (reference && (reference.country ?? "US") !== "US") return { symbol: written };
  const found = findIn(market, reference, written, "US");
  if (found) return toResolved(found, found.instrument.symbol, written);
  return { symbol: reference?.symbol ?? written };
}

function toResolved(found: Found, symbol: string, written: string): Resolved {
  const why = found.why ?? noteOf(written);
  return { symbol, ...(why !== undefined && { why }) };
}

/**
 * What the answer says of a symbol that was written with characters that no symbol has: `BRK/B`, `７２０３`. A pair of
 * currencies such as `EUR/USD` is usual.
 */
function noteOf(written: string): string | undefined {
  return /\/(?![a-z]{3}$)|[^ -~]/i.test(written) ? `written ${written.trim()}` : undefined;
}

function resolveSymbol(market: MarketStore, country: Country, written: string): Resolved {
  const reference = parseSymbol(written);
  const named = reference?.country ?? country;
  if (reference && named !== country) return resolveElsewhere(market, country, written, reference);
  const found = findIn(market, reference, written, country);
  if (found === null) {
    const why = noteOf(written);
    const symbol = reference?.symbol ?? plainSymbol(written);
    return { symbol, ...(why !== undefined && { why }) };
  }
  if (found.why === undefined) return toResolved(found, found.instrument.symbol, written);
  const others = COUNTRY_CODES.filter((one) => one !== country).flatMap(
    (one) => (reference && findReferenced(market, reference, one)) ?? [],
  );
  const known = others.filter((one) => market.instruments.wasListed(one));
  return toResolved(alsoNaming(found, known), found.instrument.symbol, written);
}

/**
 * The symbol as it is written, if the country lists it so.
 *
 * @throws BourseError `not_found`, because the notation names another country
 */
function resolveElsewhere(
  market: MarketStore,
  country: Country,
  written: string,
  reference: SymbolReference,
): Resolved {
  const named = reference.country ?? country;
  if (market.instruments.find({ country, symbol: written })) return { symbol: written };
  const isNamed = !market.instruments.hasListing(named) || findReferenced(market, reference, named);
  const [found] = [country, ...COUNTRY_CODES].flatMap(
    (one) => findReferenced(market, reference, one) ?? [],
  );
  throw isNamed
    ? notFound(`Symbol ${written} is in ${named}, not in ${country}.`, {
        param: "country",
        hint: `Use country ${named}.`,
      })
    : notFound(`Symbol ${written} not found in ${named}.`, {
        param: "symbol",
        hint: found
          ? `Use symbol ${found.symbol} in ${found.country}.`
          : "Call list_symbols with a query to find a symbol by name.",
      });
}

/**
 * The delisted instruments of resolved arguments, each with its day: `US:TWTR Twitter, Inc. was delisted on
 * 2022-10-27`; null if all are listed. The day is a known one, or the one on which its source left it out.
 */
export function describeDelisted(market: MarketStore, input: DecodedArguments): string | null {
  const sentences = keysOf(input).flatMap((key) => {
    const instrument = market.instruments.find(key);
    if (instrument?.delistedAt === undefined) return [];
    const change = findChange(market, key.country, key.symbol);
    const date = change && change.became === null ? change.date : dateOf(instrument.delistedAt);
    return `${formatNamed(instrument)} was delisted on ${date}`;
  });
  return sentences.join("; ") || null;
}

/** The instruments that resolved arguments name. */
function keysOf({
  country,
  symbol,
  symbols,
  tickers,
  holdings,
  claims,
}: DecodedArguments): InstrumentKey[] {
  if (typeof symbol === "string" && country !== undefined) {
    return [{ country: country as Country, symbol }];
  }
  const written: string[] = [];
  if (typeof symbols === "string") written.push(...itemsOf(symbols));
  if (typeof tickers === "string") written.push(...itemsOf(tickers).map((one) => `US:${one}`));
  if (typeof holdings === "string") mapHoldings(holdings, (one) => (written.push(one), one));
  if (typeof claims === "string") mapClaims(claims, (one) => (written.push(one), one));
  return [...new Set(written)].flatMap((one) => {
    const { country: named, symbol: plain } = parseSymbol(one) ?? {};
    return named && plain !== undefined ? { country: named, symbol: plain } : [];
  });
}

/** A found instrument; `why` says what was understood if its symbol was not written. */
export type Found = Pick<Meaning, "instrument"> & Partial<Pick<Meaning, "why">>;

/**
 * The instrument of a country: by its symbol, and only if that is unknown or has ended, by what else the text
 * means.
 */
function findIn(
  market: MarketStore,
  reference: SymbolReference | null,
  written: string,
  country: Country,
): Found | null {
  const exact = reference && findReferenced(market, reference, country);
  if (exact && exact.delistedAt === undefined) return { instrument: exact };
  const meant = exact
    ? findSuccessor(market, exact.symbol, country)
    : findMeant(market, reference?.symbol ?? written, country);
  return meant ?? (exact && { instrument: exact });
}

/** The same, naming the other instruments that have the symbol. */
function alsoNaming(found: Found, others: readonly StoredInstrument[]): Found {
  if (others.length === 0) return found;
  const why = found.why ?? formatNamed(found.instrument);
  return { ...found, why: `${why}; not ${others.map(formatNamed).join(" or ")}` };
}

/** `US:AAPL Apple Inc.` */
const formatNamed = (one: StoredInstrument) => `${formatKey(one)} ${one.name}`;

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
 * Looks up the symbols of a `SymbolListInput`. A symbol or name without a country is found if it fits
 * instruments of one country only.
 */
export function resolveSymbols(market: MarketStore, list: string): ResolvedSymbols {
  const found = new Map<number, StoredInstrument>();
  const unknown: UnknownSymbol[] = [];
  for (const written of itemsOf(list)) {
    const resolved = findInstrument(market, written, unknown.length < MAX_CLOSEST);
    if ("reason" in resolved) unknown.push(resolved);
    else found.set(resolved.instrument.id, resolved.instrument);
  }
  return { found: [...found.values()], unknown };
}

/** The instrument that one symbol or name of a list means. `suggests`: with the closest one if it means none. */
export function findInstrument(
  market: MarketStore,
  written: string,
  suggests: boolean,
): Found | UnknownSymbol {
  const reference = parseSymbol(written);
  const unknown = (reason: string, closest: InstrumentKey | null): UnknownSymbol => ({
    symbol: written,
    reason,
    closest: closest && formatKey(closest),
  });
  // A name can have a country as a symbol has it: `US:Bank of America`.
  const { country, body } = splitCountry(plainSymbol(written));
  const text = reference?.symbol ?? (country ? body : written);
  const countries = country ? [country] : COUNTRY_CODES;
  const everywhere = reference
    ? COUNTRY_CODES.flatMap((one) => findReferenced(market, reference, one) ?? [])
    : [];
  const inCountry = everywhere.filter((one) => country === undefined || one.country === country);
  const listed = inCountry.filter(({ delistedAt }) => delistedAt === undefined);
  // An index or a commodity of this name is meant as often as a share whose symbol it is.
  const aliased = country
    ? []
    : findReferences(market, text).filter(({ id }) => inCountry.every((one) => one.id !== id));
  const fits = listed.length > 0 ? [...listed, ...aliased] : inCountry;
  const [first] = fits;
  if (first && fits.some((one) => one.country !== first.country)) {
    return unknown(`Several countries have it: ${fits.map(formatNamed).join(", ")}.`, first);
  }
  if (first?.delistedAt === undefined && first) return alsoNaming({ instrument: first }, aliased);
  const meant = countries.flatMap((one) => findIn(market, reference, text, one) ?? []);
  const [only] = meant;
  if (only && meant.length === 1) return only;
  if (only) {
    const named = meant.map(({ instrument }) => formatNamed(instrument)).join(", ");
    return unknown(`Several countries have it: ${named}.`, only.instrument);
  }
  const elsewhere = everywhere.find((one) => market.instruments.wasListed(one));
  if (elsewhere) return unknown(`Not in ${country}, but in ${elsewhere.country}.`, elsewhere);
  const ended = explainUnknown(market, text, countries);
  if (ended) return unknown(`${ended.reason}.`, ended.instead);
  const place = country ?? "US, JP or VN";
  const near = suggests ? findNear(market, text, countries) : null;
  return unknown(`Not found in ${place}.`, near);
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
  throw notFound(`No symbol was found. ${reasons.join(" ")}`, {
    param: "symbols",
    hint: reasons.some((reason) => reason.includes(": Several "))
      ? `Write the symbol with its country, such as ${near[0]}.`
      : near.length > 0
        ? `Did you mean ${near.join(", ")}?`
        : (commaHint(market, list) ?? "Call list_symbols with a query to find symbols by name."),
  });
}

/** The most symbols of a list for which a hint is made. */
const MAX_HINTED = 50;

/** What to do about known symbols that are not separated by commas: `AAPL vs MSFT`; null for other texts. */
export function commaHint(market: MarketStore, list: string): string | null {
  const spaced = list.split(/[\s;|/]+(?:(?:VS\.?|AND|OR|VÀ|VỚI|&)[\s;|]+)?/).join(",");
  const items = itemsOf(spaced);
  // The first unknown one ends the search, because each takes some milliseconds.
  const isSpaced =
    spaced !== list &&
    items.length <= MAX_HINTED &&
    items.every((one) => "instrument" in findInstrument(market, one, false));
  return isSpaced ? `Separate symbols with commas: ${spaced}.` : null;
}
