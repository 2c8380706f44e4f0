import { type MarketBreadth, marketBreadth } from "#analytics/market-breadth.ts";
import {
  type RollUpTable,
  RollUpTableBuilder,
  type SectorStatistics,
  sectorStatistics,
} from "#analytics/sector-statistics.ts";
import type { Provenance } from "#domain/records.ts";
import { type CompanyMetrics, type CountryPe, countryPe } from "./companies.ts";

/** The figures of all companies of a country on one date. It does not change after publication. */
export interface CountryRollup {
  /** The UTC date of the figures, `YYYY-MM-DD`. */
  readonly asOf: string;
  readonly list: readonly CompanyMetrics[];
  /** The date of the companies' newest session, `YYYY-MM-DD`; null without prices. */
  readonly session: string | null;
  /** How the companies traded in it. */
  readonly breadth: MarketBreadth;
  readonly bySymbol: ReadonlyMap<string, CompanyMetrics>;
  /** The primary listings of each sector. */
  readonly bySector: ReadonlyMap<string | null, readonly CompanyMetrics[]>;
  /** The companies' figures as columns. */
  readonly table: RollUpTable;
  /** The statistics of each sector by slug. */
  readonly statistics: ReadonlyMap<string, SectorStatistics>;
  /** The statistics of each industry by slug. */
  readonly industryStatistics: ReadonlyMap<string, SectorStatistics>;
  /** The P/E of the country's index. */
  readonly pe: CountryPe;
  /** The oldest and the newest provenance of each source. */
  readonly from: readonly Provenance[];
}

/** The number of companies between two yields. Hundred take some 0.3 ms. */
const COMPANIES_PER_PART = 100;

/** The roll-up of these companies, with figures of the UTC date `asOf`. It yields between its parts. */
export function* createCountryRollup(
  list: readonly CompanyMetrics[],
  asOf: string,
): Generator<void, CountryRollup> {
  const bySymbol = new Map<string, CompanyMetrics>();
  const bySector = new Map<string | null, CompanyMetrics[]>();
  const builder = new RollUpTableBuilder(list.length);
  const bySource = new Map<string, Ages>();
  const primary: CompanyMetrics[] = [];
  const members: CompanyMetrics[] = [];
  let session: string | null = null;
  let count = 0;
  for (const company of list) {
    const { instrument, newest, row } = company;
    bySymbol.set(instrument.symbol, company);
    if (instrument.primaryListing) {
      primary.push(company);
      if (instrument.indexMember) members.push(company);
      const ofSector = bySector.get(instrument.sector);
      if (ofSector) ofSector.push(company);
      else bySector.set(instrument.sector, [company]);
    }
    if (row) builder.add(row);
    if (newest && (session === null || newest.date > session)) session = newest.date;
    for (const record of company.from) noteAge(bySource, record);
    if (++count % COMPANIES_PER_PART === 0) yield;
  }
  yield;
  const table = builder.build();
  yield;
  const breadth = marketBreadth(list, session);
  yield;
  return {
    asOf,
    list,
    session,
    breadth,
    bySymbol,
    bySector,
    table,
    statistics: yield* sectorStatistics(table, asOf),
    industryStatistics: yield* sectorStatistics(table, asOf, "industry"),
    pe: countryPe(primary, members),
    from: [...bySource.values()].flatMap(({ oldest, newest }) => [oldest, newest]),
  };
}

/** The oldest and the newest record of a source. */
interface Ages {
  oldest: Provenance;
  newest: Provenance;
}

function noteAge(bySource: Map<string, Ages>, record: Provenance): void {
  const known = bySource.get(record.source);
  if (!known) bySource.set(record.source, { oldest: record, newest: record });
  else if (record.storedAt < known.oldest.storedAt) known.oldest = record;
  else if (record.storedAt > known.newest.storedAt) known.newest = record;
}
