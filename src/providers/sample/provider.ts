import { lastCompletedSession } from "#analytics/sessions.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import type { Fetcher, FetchQuery } from "#providers/fetcher.ts";
import { analystCoverage, earningsDate } from "./analyst-coverage.ts";
import { calendarEvents } from "./calendar-events.ts";
import { dividendHistory } from "./dividends.ts";
import { indexPeHistory } from "./index-pe.ts";
import { macroForecasts, macroSeries } from "./macro.ts";
import { createSampleMarket, type SampleMarket } from "./market.ts";
import { barHistory } from "./prices.ts";
import { filedStatements } from "./statements.ts";
import { sampleInstrument, type SampleListing, UNIVERSE } from "./universe.ts";

/** The name of the sample market as a source, and of the setting that holds its stamp. */
export const SAMPLE = "sample";

/** A fetcher that never waits: it asks nothing but the clock. */
export interface SampleFetcher<K extends RecordKind> extends Fetcher<K, number> {
  fetch(query: FetchQuery): number;
}

/** What the sample market at `now` follows from: while it stays the same, so do all records. */
export function sampleStamp(now: number): string {
  return [dateOf(now), ...COUNTRY_CODES.map((country) => lastCompletedSession(country, now))].join(
    " ",
  );
}

/**
 * The fetchers of the sample market: records made offline, the same for everybody at the same stamp.
 * `SampleMarket` tells how. They share what they work out, and are to be let go after use.
 */
export function createSampleFetchers(): readonly SampleFetcher<RecordKind>[] {
  const market = rememberLast(createSampleMarket);
  const fetcher = <K extends RecordKind>(
    kind: K,
    make: (market: SampleMarket, query: FetchQuery) => Iterable<RecordOf<K>>,
  ): SampleFetcher<K> => ({
    kind,
    source: SAMPLE,
    fetch: ({ now }) => now,
    transform: (now, query) => make(market(now), query),
  });
  return [
    fetcher("instruments", () => UNIVERSE.map(sampleInstrument)),
    fetcher("bars", ({ prices }, { after }) =>
      each(UNIVERSE, (listing) => barHistory(listing, prices, after)),
    ),
    fetcher("dividends", ({ today }) =>
      each(UNIVERSE, (listing) => dividendHistory(listing, today)),
    ),
    fetcher("statements", statements),
    fetcher("macroSeries", ({ today }) => macroSeries(today)),
    fetcher("macroForecasts", ({ today }) => macroForecasts(today)),
    fetcher("indexPe", indexPeHistory),
    fetcher("calendarEvents", ({ today }) => calendarEvents(today)),
    fetcher("analystCoverage", (all) =>
      each(COMPANIES, (listing) => analystCoverage(listing, all)),
    ),
    fetcher("earningsDates", (all) => each(COMPANIES, (listing) => earningsDate(listing, all))),
  ];
}

const COMPANIES = UNIVERSE.filter(({ marketCap }) => marketCap !== null);

function* statements({ today, quarters }: SampleMarket) {
  for (const listing of COMPANIES) yield* filedStatements(listing, quarters(listing), today);
}

/** One record after the other, made when it is asked for; none where there is null. */
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
