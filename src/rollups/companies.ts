import { indexPe } from "#analytics/index-valuation.ts";
import { changePercent, performanceWindows } from "#analytics/performance.ts";
import { quotedFundamentals } from "#analytics/quoted-fundamentals.ts";
import { type RollUpCompany, type RollUpRow, rollUpRow } from "#analytics/sector-statistics.ts";
import { type CompanyFundamentals, companyFundamentals } from "#analytics/valuation.ts";
import type { Quote } from "#domain/quote.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/** The newest price of an instrument: of its newest bar, or as it was quoted since. */
interface NewestPrice {
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
  /** Its row in roll-ups; null where they leave it out. */
  readonly row: RollUpRow | null;
  /** Where the records behind all of it came from, each source and moment once. */
  readonly from: readonly Provenance[];
}

/**
 * What is computed needs two fiscal years before the newest one that is published; one that is not
 * published yet on the day may stand before that.
 */
const STATEMENT_YEARS = 4;

/** Computes the figures of one instrument as they are known at `now`. */
export function getCompany(
  market: MarketStore,
  instrument: StoredInstrument,
  now: number,
): Company {
  const { id, country, symbol } = instrument;
  const today = dateOf(now);
  const bars = market.bars.findProvenance(id);
  const statements = market.statements.listLatest(instrument, STATEMENT_YEARS);
  const dividends = market.documents.find("dividends", country, symbol);
  const quote = market.documents.find("quotes", country, symbol);
  const newest = newestPrice(market, instrument, bars, quote);
  const fundamentals = companyFundamentals({
    instrument,
    statements,
    price: newest?.close ?? null,
    quotedMarketCap: quote?.marketCap ?? null,
    dividends: dividends?.dividends ?? null,
    asOf: today,
  });
  const figures = {
    instrument,
    changePercent: changePercent(newest?.close ?? null, newest?.previousClose ?? null),
    performance: performanceWindows(newest, today, {
      findAtOrBefore: (date) => (bars ? market.bars.findAtOrBefore(id, date) : null),
      findOnOrAfter: (date) => (bars ? market.bars.findOnOrAfter(id, date) : null),
    }),
    fundamentals: quote ? quotedFundamentals(fundamentals, quote) : fundamentals,
  };
  return {
    ...figures,
    newest,
    row: rollUpRow(figures),
    from: distinct([instrument, bars, ...statements, dividends, quote]),
  };
}

/** Each source and moment once, and nothing of the records: a company that is kept keeps none alive. */
function distinct(records: readonly (Provenance | null)[]): Provenance[] {
  const found = new Map<string, Provenance>();
  for (const record of records) {
    if (record === null) continue;
    const { source, storedAt } = record;
    found.set(`${storedAt} ${source}`, { source, storedAt });
  }
  return [...found.values()];
}

/**
 * The P/E of a country's index, of all its companies; of the whole market where no source tells who is
 * a member.
 */
export function countryPe(companies: readonly Company[]): CountryPe {
  const primary = companies.filter(({ instrument }) => instrument.primaryListing);
  const members = primary.filter(({ instrument }) => instrument.indexMember);
  const [of, counted] =
    members.length > 0 ? ["index members" as const, members] : ["all companies" as const, primary];
  return { pe: indexPe(counted.map(({ fundamentals }) => fundamentals)), of };
}

/** Of which companies a country's P/E can be. */
export const PE_OF = ["index members", "all companies"] as const;

/** The P/E that stands for a country, null where nothing tells it, and of which companies it is. */
interface CountryPe {
  readonly pe: number | null;
  readonly of: (typeof PE_OF)[number];
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
