import type { FetchQuery } from "#domain/fetch.ts";
import type { RecordKind, RecordOf } from "#domain/records.ts";
import { analystCoverage, earningsDate, earningsResults } from "./analyst-coverage.ts";
import { barHistory } from "./bars.ts";
import { calendarEvents } from "./calendar-events.ts";
import { dividendHistory } from "./dividends.ts";
import { classifications } from "./index-members.ts";
import { indexPeHistory } from "./index-pe.ts";
import { macroForecasts, macroSeries } from "./macro.ts";
import { macroVintages } from "./macro-vintages.ts";
import { createSampleMarket, type SampleMarket } from "./market.ts";
import { foreignTrades } from "./foreign-trades.ts";
import { splitHistory } from "./splits.ts";
import { filedStatements } from "./statements.ts";
import { listCompanies, listUniverse, sampleInstrument, type SampleListing } from "./universe.ts";
import { yieldCurves } from "./yield-curves.ts";

/** Generates one kind of record of the sample market, offline. */
interface SampleMaker<K extends RecordKind> {
  readonly kind: K;
  readonly make: () => Iterable<RecordOf<K>>;
}

/**
 * The makers of all kinds of record of the sample market at `now`, see `SampleMarket`; of bars, only those
 * after a date if it is given. They share a cache of some tens of megabytes: drop them after use.
 */
export function createSampleMakers({ now, after }: FetchQuery): readonly SampleMaker<RecordKind>[] {
  const market = createSampleMarket(now);
  const maker = <K extends RecordKind>(
    kind: K,
    make: (market: SampleMarket) => Iterable<RecordOf<K>>,
  ): SampleMaker<K> => ({ kind, make: () => make(market) });
  return [
    maker("instruments", instruments),
    maker("classifications", classifications),
    maker("bars", ({ prices }) =>
      each(listUniverse(), (listing) => barHistory(listing, prices, after)),
    ),
    maker("dividends", (all) => each(listUniverse(), (listing) => dividendHistory(listing, all))),
    maker("splits", (all) => each(listUniverse(), (listing) => splitHistory(listing, all.today))),
    maker("foreignTrades", (all) => each(listCompanies(), (one) => foreignTrades(one, all))),
    maker("statements", statements),
    maker("macroSeries", (all) => [...macroSeries(all), ...yieldCurves(all)]),
    maker("macroVintages", macroVintages),
    maker("macroForecasts", macroForecasts),
    maker("indexPe", indexPeHistory),
    maker("calendarEvents", calendarEvents),
    maker("analystCoverage", (all) =>
      each(listCompanies(), (listing) => analystCoverage(listing, all)),
    ),
    maker("earningsDates", (all) => each(listCompanies(), (listing) => earningsDate(listing, all))),
    maker("earningsResults", (all) =>
      each(listCompanies(), (listing) => earningsResults(listing, all)),
    ),
  ];
}

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

/** The records of the listings, without nulls, each made when it is read. */
function* each<T>(
  listings: readonly SampleListing[],
  make: (listing: SampleListing) => T | null,
): Generator<T> {
  for (const listing of listings) {
    const record = make(listing);
    if (record !== null) yield record;
  }
}
