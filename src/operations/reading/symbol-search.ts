import { COUNTRIES, COUNTRY_CODES, CountryCode, type Country } from "#domain/country.ts";
import type { InstrumentFilter } from "#store/instrument-search.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { sortLargest } from "./largest.ts";
import { findClosest, findStem } from "./near-symbols.ts";
import { explainUnknown, findHome, findMeant, findReferences } from "./symbol-meaning.ts";
import { parseSymbol, plainSymbol } from "./symbol-notation.ts";
import { findReferenced, formatKey } from "./symbols.ts";
import { normalForm } from "#lib/normal-form.ts";

/** Matches of one query among which the largest companies are found. */
const CANDIDATES = 20;
const MAX_SUGGESTIONS = 3;

/**
 * Replaces a query that is a symbol in another notation (`7203.T`) by the listed symbol, and a depositary receipt
 * that is not listed (`TM`) by its share in Tokyo. If nothing contains the
 * query, it is replaced by the symbol of the instrument that it means (`FB`, `72030`), or whose alias it contains
 * (`ソニーグループ`). If it names a country (`vn fpt`, `fpt viet nam`), the rest is searched there. Otherwise returns
 * the same filter.
 */
export function narrow(market: MarketStore, filter: InstrumentFilter): InstrumentFilter {
  const { query = "", country } = filter;
  if (query === "") return filter;
  const reference = parseSymbol(query);
  const named = country ?? reference?.country;
  const countries = named ? [named] : COUNTRY_CODES;
  if (reference && !(country && reference.country && reference.country !== country)) {
    const [found] = countries.flatMap((one) => findReferenced(market, reference, one) ?? []);
    if (found) {
      const isWritten = found.symbol === query.trim().toUpperCase();
      return isWritten || found.delistedAt !== undefined
        ? filter
        : { ...filter, country: named, query: found.symbol };
    }
  }
  const [home] = countries.flatMap((one) => findHome(market, plainSymbol(query), one) ?? []);
  if (home) return { ...filter, country: "JP", query: home.instrument.symbol };
  const [best, next] = market.instruments.listBest(filter, 2).instruments;
  // Without its marks, `vàng` begins Vanguard.
  const [marked, other] = MARKED.test(query) ? findReferences(market, plainSymbol(query)) : [];
  const isOnly = marked && marked.id === best?.id && next && !other;
  if (marked && countries.includes(marked.country) && (isOnly || marked.id !== best?.id))
    return { ...filter, country: marked.country, query: marked.symbol };
  if (best) return filter;
  const [meant = market.instruments.findContained(filter)] = countries.flatMap(
    (one) => findMeant(market, reference?.symbol ?? query, one)?.instrument ?? [],
  );
  if (meant) return { ...filter, country: meant.country, query: meant.symbol };
  const located = country === undefined ? splitCountry(query) : null;
  return located ? narrow(market, { ...filter, ...located }) : filter;
}

/** A Latin letter with a mark. */
const MARKED = /[\u00c0-\u024f\u1ea0-\u1ef9]/;

const plain = (text: string) =>
  normalForm(text, "NFKD").replaceAll(/\p{M}/gu, "").trim().toLowerCase();

/** The countries by their names, as a query has them. */
const COUNTRY_NAMES: ReadonlyMap<string, Country> = new Map(
  [
    ...COUNTRY_CODES.map((code) => [code, code] as const),
    ...COUNTRY_CODES.map((code) => [COUNTRIES[code].name, code] as const),
    ...Object.entries(CountryCode["aliases"] as Readonly<Record<string, Country>>),
  ].map(([name, code]) => [plain(name), code] as const),
);

/** A query that begins or ends with the name of a country, and the country; null for another one. */
function splitCountry(query: string): { readonly query: string; readonly country: Country } | null {
  const words = query.trim().split(/\s+/);
  const countryOf = (part: readonly string[]) => COUNTRY_NAMES.get(plain(part.join(" ")));
  // The longest name first: `united states of america apple`.
  for (let count = words.length - 1; count > 0; count--) {
    const first = countryOf(words.slice(0, count));
    if (first) return { query: words.slice(count).join(" "), country: first };
    const last = countryOf(words.slice(-count));
    if (last) return { query: words.slice(0, -count).join(" "), country: last };
  }
  return null;
}

/** The best matches of a query, at most `count`; the largest of equally good ones. */
export function findBest(
  market: MarketStore,
  filter: InstrumentFilter,
  count: number,
): StoredInstrument[] {
  const { instruments, ranks } = market.instruments.listBest(narrow(market, filter), CANDIDATES);
  return sortLargest(market, instruments, ranks).slice(0, count);
}

/**
 * What a query without a match probably means, with symbol and name: `JP:7203 Toyota Motor Corporation`.
 * Matches without the other filters come first, then similar names, then a similar symbol.
 */
export function suggest(market: MarketStore, filter: InstrumentFilter): string[] {
  const { instruments } = market;
  const { query = "", country } = filter;
  const isFiltered = Object.entries(filter).some(
    ([name, value]) => name !== "query" && value !== undefined,
  );
  const symbol = query.toUpperCase();
  const countries = country ? [country] : COUNTRY_CODES;
  const similarIn = (one: Country | undefined) =>
    instruments.listSimilar({ country: one, query }, MAX_SUGGESTIONS);
  const ended = explainUnknown(market, query, countries);
  if (ended) {
    const { reason, instead } = ended;
    return instead ? [`${formatKey(instead)} ${instead.name}`] : [reason];
  }
  const attempts = [
    () => (isFiltered ? findBest(market, { query }, MAX_SUGGESTIONS) : []),
    () => [...similarIn(country), ...(country ? similarIn(undefined) : [])],
    () => countries.flatMap((one) => findStem(market, symbol, one) ?? []),
    () => findClosest(market, symbol, countries) ?? [],
  ];
  for (const attempt of attempts) {
    const names = [attempt()].flat().flatMap((key) => {
      const found = instruments.find(key);
      return found ? [`${formatKey(found)} ${found.name}`] : [];
    });
    if (names.length > 0) return [...new Set(names)].slice(0, MAX_SUGGESTIONS);
  }
  return [];
}
