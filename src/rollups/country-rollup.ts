import {
  type RollUpTable,
  rollUpTable,
  type SectorStatistics,
  sectorStatistics,
} from "#analytics/sector-statistics.ts";
import type { Provenance } from "#domain/records.ts";
import { lazy } from "#lib/lazy.ts";
import { type CompanyMetrics, type CountryPe, countryPe } from "./companies.ts";

/** The figures of all companies of a country on one date. It does not change after publication. */
export interface CountryRollup {
  /** The UTC date of the figures, `YYYY-MM-DD`. */
  readonly asOf: string;
  readonly list: readonly CompanyMetrics[];
  /** The date of the companies' newest session, `YYYY-MM-DD`; null without prices. */
  readonly session: string | null;
  /** The companies by symbol, computed on the first call. */
  readonly bySymbol: () => ReadonlyMap<string, CompanyMetrics>;
  /** The primary listings of each sector, computed on the first call. */
  readonly bySector: () => ReadonlyMap<string | null, readonly CompanyMetrics[]>;
  /** The companies' figures as columns, computed on the first call. */
  readonly table: () => RollUpTable;
  /** The statistics of each sector by slug, computed on the first call. */
  readonly statistics: () => ReadonlyMap<string, SectorStatistics>;
  /** The statistics of each industry by slug, computed on the first call. */
  readonly industryStatistics: () => ReadonlyMap<string, SectorStatistics>;
  /** The P/E of the country's index, computed on the first call. */
  readonly pe: () => CountryPe;
  /** The oldest and the newest provenance of each source, computed on the first call. */
  readonly from: () => readonly Provenance[];
}

/** The roll-up of these companies, with figures of the UTC date `asOf`. */
export function createCountryRollup(list: readonly CompanyMetrics[], asOf: string): CountryRollup {
  const table = lazy(() => rollUpTable(list.flatMap(({ row }) => row ?? [])));
  return {
    asOf,
    list,
    bySymbol: lazy(() => new Map(list.map((one) => [one.instrument.symbol, one]))),
    bySector: lazy(() => groupBySector(list)),
    session: newestSession(list),
    table,
    statistics: lazy(() => sectorStatistics(table(), asOf)),
    industryStatistics: lazy(() => sectorStatistics(table(), asOf, "industry")),
    pe: lazy(() => countryPe(list)),
    from: lazy(() => listOldestAndNewest(list)),
  };
}

function groupBySector(companies: readonly CompanyMetrics[]) {
  const primary = companies.filter(({ instrument }) => instrument.primaryListing);
  return Map.groupBy(primary, ({ instrument }) => instrument.sector);
}

function newestSession(companies: readonly CompanyMetrics[]): string | null {
  let session: string | null = null;
  for (const { newest } of companies) {
    if (newest && (session === null || newest.date > session)) session = newest.date;
  }
  return session;
}

function listOldestAndNewest(companies: readonly CompanyMetrics[]): Provenance[] {
  const bySource = new Map<string, { oldest: Provenance; newest: Provenance }>();
  for (const { from } of companies) {
    for (const record of from) {
      const known = bySource.get(record.source);
      if (!known) bySource.set(record.source, { oldest: record, newest: record });
      else if (record.storedAt < known.oldest.storedAt) known.oldest = record;
      else if (record.storedAt > known.newest.storedAt) known.newest = record;
    }
  }
  return [...bySource.values()].flatMap(({ oldest, newest }) => [oldest, newest]);
}
