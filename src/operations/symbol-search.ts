import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { InstrumentFilter } from "#store/instrument-search.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { findClosest, findKnown, findRenamed, sortLargest } from "./near-symbols.ts";
import { findReferenced, formatKey, parseSymbol } from "./symbols.ts";

/** Matches of one query among which the largest companies are found. */
const CANDIDATES = 20;
const MAX_SUGGESTIONS = 3;

/**
 * Replaces a query that is a symbol in another notation (`7203.T`), or a former symbol (`FB`) that nothing
 * else contains, by the listed symbol. Otherwise returns the same filter.
 */
export function narrow(market: MarketStore, filter: InstrumentFilter): InstrumentFilter {
  const { query = "", country } = filter;
  const reference = parseSymbol(query);
  if (!reference || (country && reference.country && reference.country !== country)) return filter;
  const named = country ?? reference.country;
  const countries = named ? [named] : COUNTRY_CODES;
  const [found] = countries.flatMap((one) => findReferenced(market, reference, one) ?? []);
  if (found) {
    const isWritten = found.symbol === query.trim().toUpperCase();
    return isWritten || found.delistedAt !== undefined
      ? filter
      : { ...filter, country: named, query: found.symbol };
  }
  const renamed = named && named !== "US" ? null : findRenamed(market, reference.symbol);
  const isFound = renamed && market.instruments.listBest(filter, 1).instruments.length > 0;
  return renamed && !isFound ? { ...filter, country: "US", query: renamed.symbol } : filter;
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
  const attempts = [
    () => (isFiltered ? findBest(market, { query }, MAX_SUGGESTIONS) : []),
    () => [...similarIn(country), ...(country ? similarIn(undefined) : [])],
    () => countries.flatMap((one) => findKnown(market, symbol, one) ?? []),
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
