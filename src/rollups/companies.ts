import { type AnalystFigures, analystFigures } from "#analytics/analyst-rating.ts";
import { NEWEST_SESSIONS } from "#analytics/earlier-changes.ts";
import { indexPe } from "#analytics/index-valuation.ts";
import type { MetricHistory } from "#analytics/metrics.ts";
import {
  changePercent,
  type Performance,
  PERFORMANCE_WINDOWS,
  performanceOf,
  windowStart,
  windowStarts,
} from "#analytics/performance.ts";
import type { SessionLimits } from "#analytics/price-limits.ts";
import { NO_CLOSES } from "#analytics/price-statistics.ts";
import { quotedFundamentals } from "#analytics/quoted-fundamentals.ts";
import { type RollUpCompany, type RollUpRow, rollUpRow } from "#analytics/sector-statistics.ts";
import { type CompanyFundamentals, companyFundamentals } from "#analytics/valuation.ts";
import {
  type IndexCloses,
  type YearFigures,
  yearFigures,
  yearOfBars,
} from "#analytics/year-figures.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import type { ForeignTrades } from "#domain/quote.ts";
import { type InstrumentKey, isCompany } from "#domain/instrument.ts";
import type { Provenance } from "#domain/records.ts";
import { lazy } from "#lib/lazy.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { CompanyHistory, longFigures } from "./company-history.ts";
import { type CompanyRecords, readCompany } from "./company-inputs.ts";
import { type NewestPrice, newestPrice } from "./prices.ts";
import { sessionLimits } from "./session-limits.ts";

/** An instrument with the figures computed from its prices, quote and statements. */
export interface Company extends RollUpCompany {
  readonly instrument: StoredInstrument;
  readonly fundamentals: CompanyFundamentals;
  /** True if its newest quote shows a split that is not known yet. */
  readonly showsUnknownSplit: boolean;
  readonly newest: NewestPrice | null;
  /** Null if the exchange has no limits, or its reference price is not known for certain. */
  readonly limits: SessionLimits | null;
  /** The trades of foreigners in the newest session; null if they are unknown. */
  readonly foreign: ForeignTrades | null;
  /** The date of the close from which each return is measured; null if it is unknown. */
  readonly starts: Readonly<Record<keyof Performance, string | null>>;
  /** Its row in roll-ups; null if they leave it out. */
  readonly row: RollUpRow | null;
  /** The distinct provenances of the records behind the figures. */
  readonly from: readonly Provenance[];
}

/** A company with the figures of all metrics. */
export interface CompanyMetrics extends Company {
  /** From the bars of the last year; null without such bars. */
  readonly year: YearFigures | null;
  /** Null if no analyst covers the company. */
  readonly analysts: (AnalystFigures & { readonly from: Provenance }) | null;
  readonly history: MetricHistory;
}

/**
 * The number of fiscal years to read. The figures need the newest published year and the two years
 * before it; one more year may be stored that is not published yet.
 */
export const STATEMENT_YEARS = 4;

/**
 * Computes the figures of one instrument as known at `now` (UTC milliseconds). If its newest quote shows
 * a split that is not known yet, stored figures per share and the price are in different shares. A figure
 * that needs both then comes from the quote, or is null.
 */
export function getCompany(
  market: MarketStore,
  instrument: StoredInstrument,
  now: number,
): Company {
  return companyOf(market, instrument, readCompany(market, instrument, now, STATEMENT_YEARS));
}

function companyOf(
  market: MarketStore,
  instrument: StoredInstrument,
  { inputs, showsUnknownSplit, quote, prices, rates, from }: CompanyRecords,
): Company {
  const { newest } = prices;
  const { country, symbol } = instrument;
  const trades = country === "VN" ? market.documents.find("foreignTrades", country, symbol) : null;
  const foreign = trades?.date === newest?.date ? trades : null;
  const starts = windowStarts(newest?.date ?? null, prices.findClose);
  const fundamentals = companyFundamentals(inputs);
  const figures = {
    instrument,
    changePercent: changePercent(newest?.close ?? null, newest?.previousClose ?? null),
    performance: performanceOf(newest, prices.findClose, starts),
    fundamentals: quote ? quotedFundamentals(fundamentals, quote) : fundamentals,
  };
  return {
    ...figures,
    newest,
    limits: showsUnknownSplit
      ? null
      : sessionLimits(market, instrument, newest, { ...inputs, quote }),
    foreign,
    starts: Object.fromEntries(
      PERFORMANCE_WINDOWS.map((window) => [window, starts[window]?.date ?? null]),
    ) as Company["starts"],
    showsUnknownSplit,
    row: rollUpRow(figures),
    from: distinct([...from, foreign, ...prices.from, ...rates.from]),
  };
}

/**
 * Computes the figures of all metrics of one instrument as known at `now` (UTC milliseconds).
 *
 * @param index the closes of the index of its country: see `listIndexCloses`
 * @param withHistory true if the figures of several years are computed at once, not when they are read
 */
export function getCompanyMetrics(
  market: MarketStore,
  instrument: StoredInstrument,
  now: number,
  index: IndexCloses,
  { withHistory = false } = {},
): CompanyMetrics {
  const { country, symbol } = instrument;
  const records = readCompany(market, instrument, now, STATEMENT_YEARS);
  const company = companyOf(market, instrument, records);
  const { fundamentals, showsUnknownSplit: isSplit } = company;
  const known = withHistory ? longFigures(market, instrument, records, fundamentals) : null;
  const coverage = isSplit ? null : market.documents.find("analystCoverage", country, symbol);
  const others = {
    ...company,
    analysts: coverage && {
      ...analystFigures(coverage),
      from: { source: coverage.source, storedAt: coverage.storedAt },
    },
    history: new CompanyHistory(market, instrument, { fundamentals, now, known }),
  };
  return market.knownOn === null
    ? { ...others, year: readYear(market, company, index) }
    : withYear(market, others, () => index);
}

/** The company with the figures of its last year, which are computed when they are first read. */
export function withYear(
  market: MarketStore,
  company: Omit<CompanyMetrics, "year">,
  index: () => IndexCloses,
): CompanyMetrics {
  // A year of bars is half of the work of a past day, and few calls read it.
  const year = lazy(() => readYear(market, company, index()));
  return {
    ...company,
    get year() {
      return year();
    },
  };
}

/**
 * The metrics of a listed company as known at `now` (UTC milliseconds); null if the instrument is none.
 *
 * @param index the closes of the index of its country
 * @param options as for `getCompanyMetrics`
 */
export function findCompanyMetrics(
  market: MarketStore,
  key: InstrumentKey,
  now: number,
  index: () => IndexCloses,
  options?: { readonly withHistory: boolean },
): CompanyMetrics | null {
  return market.readTogether(() => {
    const instrument = market.instruments.find(key);
    if (!instrument || instrument.delistedAt !== undefined || !isCompany(instrument.assetType))
      return null;
    // The summary is long, and roll-ups do not read it.
    const shown = { ...instrument, summary: null };
    const company = getCompanyMetrics(market, shown, now, index(), options);
    return market.knownOn !== null && !hasRecords(market, company) ? null : company;
  });
}

/** False for a company without prices and statements on the day of the market: it was listed later. */
const hasRecords = (market: MarketStore, { instrument, newest }: Company): boolean =>
  newest !== null || market.statements.list(instrument).length > 0;

function readYear(
  market: MarketStore,
  {
    instrument: { id, assetType },
    newest,
    changePercent: change,
    showsUnknownSplit: isSplit,
  }: Omit<Company, "row">,
  index: IndexCloses,
): YearFigures | null {
  if (newest === null || isSplit) return null;
  const bars = market.bars.series(id, yearOfBars(assetType));
  const start = windowStart("1y", newest.date);
  return yearFigures(bars, index, {
    start,
    newest: { ...newest, changePercent: change },
    assetType,
  });
}

/** The closes of a country's index in the last year, oldest first, and its newest sessions; empty if unknown. */
export function listIndexCloses(market: MarketStore, country: Country): IndexCloses {
  const index = findIndex(market, country);
  if (!index) return { ...NO_CLOSES, sessions: [] };
  const closes = market.bars.closes(index.id, yearOfBars("index"));
  return { ...closes, sessions: listNewestSessions(market, index) };
}

function findIndex(market: MarketStore, country: Country): StoredInstrument | null {
  return market.instruments.find({ country, symbol: COUNTRIES[country].indexSymbol });
}

/**
 * The dates of the newest sessions of an index, newest first: the dates of its bars, and a quote's date. Empty if the
 * quote is more than one session newer than the bars, because the sessions between are unknown.
 */
function listNewestSessions(market: MarketStore, index: StoredInstrument): string[] {
  const dates = market.bars.listNewest(index.id, NEWEST_SESSIONS).map(({ date }) => date);
  const quote = market.documents.find("quotes", index.country, index.symbol);
  const newest = newestPrice(market, index, market.bars.findProvenance(index.id), quote);
  if (newest === null || newest.date === dates[0]) return dates;
  return newest.previousDate === dates[0] ? [newest.date, ...dates].slice(0, NEWEST_SESSIONS) : [];
}

/** What computes the metrics of instruments at `now`, UTC milliseconds. It reads the index of each country once. */
export function createMetricsReader(
  market: MarketStore,
  now: number,
): (instrument: StoredInstrument) => CompanyMetrics {
  const indexes = new Map<Country, IndexCloses>();
  return (instrument) => {
    const { country } = instrument;
    const index = indexes.get(country) ?? listIndexCloses(market, country);
    indexes.set(country, index);
    return getCompanyMetrics(market, instrument, now, index);
  };
}

/** A text that is equal only as long as `listIndexCloses` is. */
export function indexFingerprint(market: MarketStore, country: Country): string {
  const index = findIndex(market, country);
  if (!index) return "";
  return [market.bars.fingerprint(index.id), ...listNewestSessions(market, index)].join();
}

/** The distinct provenances, copied so that a cached company does not keep its records in memory. */
function distinct(records: readonly (Provenance | null)[]): Provenance[] {
  const found: Provenance[] = [];
  for (const record of records) {
    if (record === null) continue;
    const { source, storedAt } = record;
    // A company has a few sources. Keys of a map would take longer.
    if (!found.some((one) => one.storedAt === storedAt && one.source === source))
      found.push({ source, storedAt });
  }
  return found;
}

/**
 * The P/E of a country's index over the index members, or over all companies if no source names the
 * members. Both lists have primary listings only.
 */
export function countryPe(primary: readonly Company[], members: readonly Company[]): CountryPe {
  const [of, counted] =
    members.length > 0 ? ["index members" as const, members] : ["all companies" as const, primary];
  return { pe: indexPe(counted.map(({ fundamentals }) => fundamentals)), of };
}

/** The possible sets of companies of a country's P/E. */
export const PE_OF = ["index members", "all companies"] as const;

/** A country's P/E (null if unknown), and the set of companies that it covers. */
export interface CountryPe {
  readonly pe: number | null;
  readonly of: (typeof PE_OF)[number];
}
