import {
  opensYear,
  type Performance,
  performancePercent,
  performanceReferences,
} from "#analytics/performance.ts";
import type { RollUpCompany } from "#analytics/sector-statistics.ts";
import { type CompanyFundamentals, companyFundamentals } from "#analytics/valuation.ts";
import type { Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { Provenance } from "#domain/records.ts";
import { addDays, dateOf } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/** An instrument with everything that is computed from its newest bars and its statements. */
export interface Company extends RollUpCompany {
  readonly instrument: StoredInstrument;
  readonly fundamentals: CompanyFundamentals;
  /** The newest bar. */
  readonly quote: DailyBar | null;
  /** The records behind all of it. */
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
    changePercent: quote && previous ? 100 * (quote.close / previous.close - 1) : null,
    performance: performanceOf(market, instrument.id, quote, today),
    fundamentals: companyFundamentals({
      instrument,
      statements,
      price: quote?.close ?? null,
      dividends: dividends?.dividends ?? null,
      asOf: today,
    }),
    from: [
      instrument,
      ...(barProvenance ? [barProvenance] : []),
      ...statements,
      ...(dividends ? [dividends] : []),
    ],
  };
}

const isCompany = ({ assetType }: StoredInstrument) =>
  assetType === "stock" || assetType === "reit";

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
    .filter(isCompany)
    .map((instrument) => getCompany(market, instrument, now));
  byCountry.set(country, { key, companies });
  return companies;
}

/** The performance windows from the few bars that they need. */
function performanceOf(
  market: MarketStore,
  id: number,
  quote: DailyBar | null,
  today: string,
): Performance {
  const references = performanceReferences(today, quote?.date ?? today);
  const since = (reference: DailyBar | null) =>
    quote && reference ? performancePercent(quote.close, reference) : null;
  const back = (window: Exclude<keyof Performance, "yearToDate">) =>
    since(market.bars.findAtOrBefore(id, references[window]));
  const first = market.bars.findOnOrAfter(id, references.yearToDate);
  const before = market.bars.findAtOrBefore(id, addDays(references.yearToDate, -1));
  return {
    oneWeek: back("oneWeek"),
    oneMonth: back("oneMonth"),
    threeMonths: back("threeMonths"),
    sixMonths: back("sixMonths"),
    yearToDate: first && opensYear(first.date, before !== null) ? since(first) : null,
    oneYear: back("oneYear"),
    fiveYears: back("fiveYears"),
    tenYears: back("tenYears"),
  };
}
