import { indexPe } from "#analytics/index-valuation.ts";
import { changePercent, performanceWindows } from "#analytics/performance.ts";
import { quotedFundamentals } from "#analytics/quoted-fundamentals.ts";
import type { RollUpCompany } from "#analytics/sector-statistics.ts";
import { type CompanyFundamentals, companyFundamentals } from "#analytics/valuation.ts";
import type { Country } from "#domain/country.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { isCompany } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import type { Statement } from "#domain/statement.ts";
import { dateOf } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/** The newest price of an instrument: of its newest bar, or as it was quoted since. */
export interface NewestPrice {
  readonly date: string;
  readonly close: number;
  readonly previousClose: number | null;
  readonly volume: number | null;
}

/** An instrument with everything that is computed from its prices, quote and statements. */
export interface Company extends RollUpCompany {
  readonly instrument: StoredInstrument;
  readonly fundamentals: CompanyFundamentals;
  readonly newest: NewestPrice | null;
  /** Where the records behind all of it came from, each source and moment once. */
  readonly from: readonly Provenance[];
}

type Stored<T> = T & Provenance;

/** What a company is computed from beside its bars. */
interface CompanyRecords {
  readonly statements: readonly Stored<Statement>[];
  readonly dividends: Stored<DividendHistory> | null;
  readonly quote: Stored<Quote> | null;
}

/** Computes the figures of one instrument as they are known at `now`. */
export function getCompany(
  market: MarketStore,
  instrument: StoredInstrument,
  now: number,
): Company {
  const { country, symbol } = instrument;
  return companyOf(market, instrument, dateOf(now), market.bars.findProvenance(instrument.id), {
    statements: market.statements.list(instrument),
    dividends: market.documents.find("dividends", country, symbol),
    quote: market.documents.find("quotes", country, symbol),
  });
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

  // Read kind by kind: of a live market most companies have no more than a quote.
  const bySymbol = <T extends { symbol: string }>(records: T[]) =>
    new Map(records.map((record) => [record.symbol, record]));
  const histories = market.bars.listProvenances(country);
  const reporting = new Set(market.statements.listSymbols(country));
  const dividends = bySymbol(market.documents.list("dividends", country));
  const quotes = bySymbol(market.documents.list("quotes", country));
  const companies = market.instruments
    .list(country)
    .filter(({ assetType }) => isCompany(assetType))
    .map((instrument) =>
      companyOf(market, instrument, dateOf(now), histories.get(instrument.id) ?? null, {
        statements: reporting.has(instrument.symbol) ? market.statements.list(instrument) : [],
        dividends: dividends.get(instrument.symbol) ?? null,
        quote: quotes.get(instrument.symbol) ?? null,
      }),
    );
  byCountry.set(country, { key, companies });
  return companies;
}

/**
 * The P/E of a country's index, of all its companies; of the whole market where no source tells who is
 * a member. Null where nothing tells it.
 */
export function countryPe(companies: readonly Company[]): number | null {
  const primary = companies.filter(({ instrument }) => instrument.primaryListing);
  const members = primary.filter(({ instrument }) => instrument.indexMember);
  return indexPe((members.length > 0 ? members : primary).map(({ fundamentals }) => fundamentals));
}

function companyOf(
  market: MarketStore,
  instrument: StoredInstrument,
  today: string,
  barProvenance: Provenance | null,
  { statements, dividends, quote }: CompanyRecords,
): Company {
  const newest = newestPrice(market, instrument, barProvenance, quote);
  const fundamentals = companyFundamentals({
    instrument,
    statements,
    price: newest?.close ?? null,
    dividends: dividends?.dividends ?? null,
    asOf: today,
  });
  return {
    instrument,
    newest,
    changePercent: changePercent(newest?.close ?? null, newest?.previousClose ?? null),
    performance: performanceWindows(newest, today, {
      findAtOrBefore: (date) =>
        barProvenance ? market.bars.findAtOrBefore(instrument.id, date) : null,
      findOnOrAfter: (date) =>
        barProvenance ? market.bars.findOnOrAfter(instrument.id, date) : null,
    }),
    fundamentals: quote ? quotedFundamentals(fundamentals, quote) : fundamentals,
    from: distinct([
      instrument,
      ...(barProvenance ? [barProvenance] : []),
      ...statements,
      ...(dividends ? [dividends] : []),
      ...(quote ? [quote] : []),
    ]),
  };
}

/** The newest price that is known; an instrument with imported bars has those alone. */
export function newestPrice(
  market: MarketStore,
  { id }: StoredInstrument,
  barProvenance: Provenance | null,
  quote: Quote | null,
): NewestPrice | null {
  const [bar, barBefore] = barProvenance ? market.bars.listNewest(id, 2) : [];
  if (quote && barProvenance?.source !== IMPORT && (!bar || quote.date > bar.date)) {
    return { ...quote, close: quote.price };
  }
  return bar ? { ...bar, previousClose: barBefore?.close ?? null } : null;
}
