import { changePercent, performanceWindows } from "#analytics/performance.ts";
import type { RollUpCompany } from "#analytics/sector-statistics.ts";
import { type CompanyFundamentals, companyFundamentals } from "#analytics/valuation.ts";
import type { Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { isCompany } from "#domain/instrument.ts";
import type { Provenance } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/** An instrument with everything that is computed from its newest bars and its statements. */
export interface Company extends RollUpCompany {
  readonly instrument: StoredInstrument;
  readonly fundamentals: CompanyFundamentals;
  /** The newest bar. */
  readonly quote: DailyBar | null;
  /** Where the records behind all of it came from, each source and moment once. */
  readonly from: readonly Provenance[];
}

/** Computes the figures of one instrument as they are known at `now`. */
export function getCompany(
  market: MarketStore,
  instrument: StoredInstrument,
  now: number,
): Company {
  const today = dateOf(now);
  const [quote = null, previous] = market.bars.listNewest(instrument.id, 2);
  const statements = market.statements.list(instrument);
  const dividends = market.documents.find("dividends", instrument.country, instrument.symbol);
  const barProvenance = market.bars.findProvenance(instrument.id);
  return {
    instrument,
    quote,
    changePercent: changePercent(quote?.close ?? null, previous?.close ?? null),
    performance: performanceWindows(quote, today, {
      findAtOrBefore: (date) => market.bars.findAtOrBefore(instrument.id, date),
      findOnOrAfter: (date) => market.bars.findOnOrAfter(instrument.id, date),
    }),
    fundamentals: companyFundamentals({
      instrument,
      statements,
      price: quote?.close ?? null,
      dividends: dividends?.dividends ?? null,
      asOf: today,
    }),
    from: distinct([
      instrument,
      ...(barProvenance ? [barProvenance] : []),
      ...statements,
      ...(dividends ? [dividends] : []),
    ]),
  };
}

/** Each source and moment once, and nothing of the records: a company that is remembered keeps none alive. */
function distinct(records: readonly Provenance[]): Provenance[] {
  const found = new Map<string, Provenance>();
  for (const { source, storedAt } of records) {
    found.set(`${storedAt} ${source}`, { source, storedAt });
  }
  return [...found.values()];
}

const remembered = new WeakMap<MarketStore, Map<Country, { key: string; companies: Company[] }>>();

/** Every company of a country. They are computed once for each state of the market file and day. */
export function listCompanies(market: MarketStore, country: Country, now: number): Company[] {
  const byCountry =
    remembered.get(market) ?? new Map<Country, { key: string; companies: Company[] }>();
  remembered.set(market, byCountry);
  const key = `${market.version()} ${dateOf(now)}`;
  const known = byCountry.get(country);
  if (known?.key === key) return known.companies;
  const companies = market.instruments
    .list(country)
    .filter(({ assetType }) => isCompany(assetType))
    .map((instrument) => getCompany(market, instrument, now));
  byCountry.set(country, { key, companies });
  return companies;
}
