import { indexPe } from "#analytics/index-valuation.ts";
import { changePercent, performanceWindows } from "#analytics/performance.ts";
import { quotedFundamentals } from "#analytics/quoted-fundamentals.ts";
import { type RollUpCompany, type RollUpTable, rollUpTable } from "#analytics/sector-statistics.ts";
import { type CompanyFundamentals, companyFundamentals } from "#analytics/valuation.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { isCompany } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { IMPORT, type Provenance } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import { lazy } from "#lib/lazy.ts";
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
    dividends: dividends?.dividends ?? null,
    asOf: today,
  });
  return {
    instrument,
    newest,
    changePercent: changePercent(newest?.close ?? null, newest?.previousClose ?? null),
    performance: performanceWindows(newest, today, {
      findAtOrBefore: (date) => (bars ? market.bars.findAtOrBefore(id, date) : null),
      findOnOrAfter: (date) => (bars ? market.bars.findOnOrAfter(id, date) : null),
    }),
    fundamentals: quote ? quotedFundamentals(fundamentals, quote) : fundamentals,
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

/** All companies of a country. */
export interface Companies {
  readonly list: readonly Company[];
  /** Their figures as columns, put together when a roll-up asks for them first. */
  readonly table: () => RollUpTable;
  /** Where their records came from: of each source the oldest and the newest moment. */
  readonly from: readonly Provenance[];
}

/** The companies of a market as they were computed last. */
interface Kept {
  /** The date that they are computed for. */
  today: string;
  /** The number of the last change that was seen. */
  seen: number;
  readonly countries: Record<Country, KeptCountry>;
}

interface KeptCountry {
  /** Ids of the instruments that changed and are not computed again yet. */
  readonly due: Set<number>;
  readonly byId: Map<number, Company>;
  /** Null where something changed since it was put together. */
  all: Companies | null;
}

const keptOf = new WeakMap<MarketStore, Kept>();

/**
 * Every company of a country. They are kept, and computed again where something of theirs was stored,
 * by this process or another, or a day began.
 */
export function listCompanies(market: MarketStore, country: Country, now: number): Companies {
  const kept = keptCountry(market, country, now);
  compute(market, kept, now, Number.POSITIVE_INFINITY);
  if (kept.all) return kept.all;
  const list = [...kept.byId.values()];
  return (kept.all = {
    list,
    table: lazy(() => rollUpTable(list)),
    from: oldestAndNewest(list.flatMap(({ from }) => from)),
  });
}

/**
 * Computes what `listCompanies` would have to, at most so many companies of it, and tells how many are
 * left.
 */
export function prepareCompanies(
  market: MarketStore,
  country: Country,
  now: number,
  most: number,
): number {
  const kept = keptCountry(market, country, now);
  compute(market, kept, now, most);
  return kept.due.size;
}

function compute(market: MarketStore, kept: KeptCountry, now: number, most: number): void {
  let computed = 0;
  for (const id of kept.due) {
    if (computed++ >= most) break;
    const instrument = market.instruments.findById(id);
    if (instrument && isCompany(instrument.assetType)) {
      // The one long text of a company, which nothing that rolls up reads.
      kept.byId.set(id, getCompany(market, { ...instrument, summary: null }, now));
    } else kept.byId.delete(id);
    kept.due.delete(id);
    kept.all = null;
  }
}

/** Ten take a millisecond or two; what is left of a country is a request's, which it holds up by 50. */
const COMPANIES_AT_ONCE = 10;
const LEFT_TO_REQUESTS = 500;
const PAUSE_MS = 2;

/**
 * Computes what `listCompanies` needs for all countries ahead of the requests, but for the last
 * hundreds, a few companies at a time: ten thousand at once would hold up everything for a second.
 */
export async function prepareAllCompanies(
  market: MarketStore,
  clock: () => number,
  isStopped: () => boolean,
): Promise<void> {
  for (const country of COUNTRY_CODES) {
    while (!isStopped()) {
      const ahead = prepareCompanies(market, country, clock(), 0) - LEFT_TO_REQUESTS;
      if (ahead <= 0) break;
      prepareCompanies(market, country, clock(), Math.min(ahead, COMPANIES_AT_ONCE));
      await Bun.sleep(PAUSE_MS);
    }
  }
}

/** What is kept of a country, with everything due that changed since it was looked at last. */
function keptCountry(market: MarketStore, country: Country, now: number): KeptCountry {
  const kept = keptOf.get(market) ?? {
    today: "",
    seen: 0,
    countries: { US: noCompanies(), JP: noCompanies(), VN: noCompanies() },
  };
  keptOf.set(market, kept);
  const today = dateOf(now);
  if (kept.today !== today) {
    kept.today = today;
    kept.seen = 0;
    for (const country of COUNTRY_CODES) kept.countries[country] = noCompanies();
  }
  for (const change of market.instruments.listChanged(kept.seen)) {
    kept.countries[change.country].due.add(change.id);
    kept.seen = change.number;
  }
  return kept.countries[country];
}

const noCompanies = (): KeptCountry => ({ due: new Set(), byId: new Map(), all: null });

function oldestAndNewest(records: readonly Provenance[]): Provenance[] {
  const bySource = new Map<string, { oldest: Provenance; newest: Provenance }>();
  for (const record of records) {
    const known = bySource.get(record.source);
    if (!known) bySource.set(record.source, { oldest: record, newest: record });
    else if (record.storedAt < known.oldest.storedAt) known.oldest = record;
    else if (record.storedAt > known.newest.storedAt) known.newest = record;
  }
  return [...bySource.values()].flatMap(({ oldest, newest }) => [oldest, newest]);
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
export interface CountryPe {
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
