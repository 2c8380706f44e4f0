import { lastCompletedSession } from "#analytics/sessions.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import type { FetchQuery } from "#domain/fetch.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import { analystCoverage, earningsDate } from "./analyst-coverage.ts";
import { calendarEvents } from "./calendar-events.ts";
import { dividendHistory } from "./dividends.ts";
import { indexPeHistory } from "./index-pe.ts";
import { macroForecasts, macroSeries } from "./macro.ts";
import { createSampleMarket, type SampleMarket } from "./market.ts";
import { barHistory } from "./prices.ts";
import { newestRelease } from "./releases.ts";
import { filedStatements } from "./statements.ts";
import { listUniverse, sampleInstrument, type SampleListing } from "./universe.ts";

/** The name of the sample market as a source, and of the setting that holds its stamp. */
export const SAMPLE = "sample";

/**
 * Counts the generator's versions: another one makes other figures for the same dates. Raise it with
 * every change of a figure.
 */
export const SAMPLE_VERSION = "2";

/** Makes one kind of record of the sample market, offline. */
export interface SampleMaker<K extends RecordKind> {
  readonly kind: K;
  readonly make: (query: FetchQuery) => Iterable<RecordOf<K>>;
}

/**
 * Identifies the sample market at `now`, the version first: while the stamp stays the same, so do all
 * records.
 */
export function sampleStamp(now: number): string {
  return [
    SAMPLE_VERSION,
    dateOf(now),
    newestRelease(now) ?? "",
    ...COUNTRY_CODES.map((country) => lastCompletedSession(country, now)),
  ].join(" ");
}

/**
 * The makers of the sample market. Records are made offline and are the same at the same stamp; see
 * `SampleMarket`. The makers share a cache of some tens of megabytes: drop them after use.
 */
export function createSampleMakers(): readonly SampleMaker<RecordKind>[] {
  const market = rememberLast(createSampleMarket);
  const maker = <K extends RecordKind>(
    kind: K,
    make: (market: SampleMarket, query: FetchQuery) => Iterable<RecordOf<K>>,
  ): SampleMaker<K> => ({ kind, make: (query) => make(market(query.now), query) });
  return [
    maker("instruments", instruments),
    maker("bars", ({ prices }, { after }) =>
      each(listUniverse(), (listing) => barHistory(listing, prices, after)),
    ),
    maker("dividends", (all) => each(listUniverse(), (listing) => dividendHistory(listing, all))),
    maker("statements", statements),
    maker("macroSeries", macroSeries),
    maker("macroForecasts", macroForecasts),
    maker("indexPe", indexPeHistory),
    maker("calendarEvents", calendarEvents),
    maker("analystCoverage", (all) =>
      each(listCompanies(), (listing) => analystCoverage(listing, all)),
    ),
    maker("earningsDates", (all) => each(listCompanies(), (listing) => earningsDate(listing, all))),
  ];
}

const listCompanies = () => listUniverse().filter(({ marketCap }) => marketCap !== null);

function* instruments({ today, quarters }: SampleMarket) {
  for (const listing of listUniverse()) {
    const isCompany = listing.marketCap !== null;
    const filed = isCompany ? quarters(listing).findLast(({ filedOn }) => filedOn <= today) : null;
    yield sampleInstrument(listing, filed?.items.sharesDiluted ?? listing.sharesOutstanding);
  }
}

function* statements({ today, quarters }: SampleMarket) {
  for (const listing of listCompanies()) yield* filedStatements(listing, quarters(listing), today);
}

/** The records of the listings, each made when it is read. Null makes none. */
function* each<T>(
  listings: readonly SampleListing[],
  make: (listing: SampleListing) => T | null,
): Generator<T> {
  for (const listing of listings) {
    const record = make(listing);
    if (record !== null) yield record;
  }
}

/** The function's value for one argument, kept until it is asked for another. */
function rememberLast<A, T>(make: (argument: A) => T): (argument: A) => T {
  let last: { argument: A; value: T } | null = null;
  return (argument) => {
    if (last?.argument !== argument) last = { argument, value: make(argument) };
    return last.value;
  };
}
