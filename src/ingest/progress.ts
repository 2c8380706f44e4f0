import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { Arrival, FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Fetcher } from "#sources/fetcher.ts";
import type { LastFetch, Outage } from "#store/fetches.ts";
import type { MarketStore } from "#store/index.ts";
import type { LargeCompany } from "#store/instrument-statements.ts";
import { arrivalOf, type ListedFetcher } from "./arrivals.ts";
import { isDue } from "./freshness.ts";
import { PRICE_KINDS, showsUnknownSplit } from "./due-keys.ts";
import { isAmong } from "./outages.ts";

/** The kinds that are fetched in the background for whole countries, in order of dependency. */
export const COUNTRY_KINDS: readonly RecordKind[] = [
  "instruments",
  "classifications",
  "quotes",
  "foreignTrades",
  "macroSeries",
  "macroForecasts",
  "macroVintages",
  "calendarEvents",
  "indexPe",
  "earningsDates",
  "earningsResults",
  "analystCoverage",
  "filings",
  "statements",
  "recentCloses",
];

/** The kinds that are fetched in the background for the largest companies; sectors need all of them. */
export const COMPANY_KINDS: readonly RecordKind[] = ["bars", "dividends", "splits", "statements"];
/** For a single instrument: its profile with its shares. Sectors omit companies of unknown size. */
export const PROFILE: RecordKind = "instruments";
/** The number of companies of each country. */
export const LARGEST_COUNT = 500;

/** What the background refresh has done of one kind for one country. */
export interface Progress {
  readonly kind: RecordKind;
  readonly country: Country;
  /** The lists and companies whose records are up to date. A list that only one of its sources gave is a part. */
  readonly done: number;
  readonly total: number;
  /** At the pace of the last minutes; null without a pace or without a known company, 0 if nothing is left. */
  readonly secondsLeft: number | null;
  /** What has come of it so far, however old it is. */
  readonly state: Arrival;
}

/** The pace of the last minutes. */
const PACE_MS = 5 * 60_000;

/**
 * What the background refresh has done, by country and kind, from the stored results; so any process can
 * read it. A list of a whole country counts as one, so does the list of each source that complements it, and each
 * of the largest companies. `fetchers` belong to sources that can be called.
 */
export async function listProgress(options: {
  market: MarketStore;
  fetchers: readonly ListedFetcher[];
  /** UTC milliseconds. */
  now: number;
  largest?: number;
}): Promise<Progress[]> {
  const { market, now, largest = LARGEST_COUNT } = options;
  // A source of currency pairs alone has nothing of a company.
  const fetchers = options.fetchers.filter(({ assetType }) => assetType === undefined);
  const progress: Progress[] = [];
  for (const country of COUNTRY_CODES) {
    const listServing = (scope: Fetcher["scope"], kind: RecordKind) =>
      fetchers.filter(
        (one) => one.scope === scope && one.kind === kind && one.countries.includes(country),
      );
    const companies = await market.instruments.listLargest(country, largest);
    for (const kind of COUNTRY_KINDS.concat(COMPANY_KINDS.slice(0, -1))) {
      await nextTurn();
      const lists = listsDone(market, kind, country, { now, of: listServing("country", kind) });
      const hasCompanies =
        COMPANY_KINDS.includes(kind) && listServing("instrument", kind).length > 0;
      if (lists.length === 0 && !hasCompanies) continue;
      const each = hasCompanies ? companiesDone(market, kind, country, companies, now) : [];
      const done = [...lists, ...each].filter(Boolean).length;
      const total = lists.length + each.length;
      const isUnknown = hasCompanies && companies.length === 0;
      const secondsLeft = isUnknown
        ? null
        : secondsFor(market, { kind, country, companies }, total - done, now);
      const state = arrivalOf(
        { market, kind, country, now },
        fetchers,
        hasCompanies ? companies : [],
      );
      progress.push({ kind, country, done, total, secondsLeft, state });
    }
  }
  return progress;
}

/** True for each list of a country that is not due: the one that any of several sources gives, and each complement. */
function listsDone(
  market: MarketStore,
  kind: RecordKind,
  country: Country,
  { now, of }: { now: number; of: readonly ListedFetcher[] },
): boolean[] {
  const overrides = market.documents.list("holidayOverrides", country);
  const chain = of.filter(({ complements }) => !complements);
  const complements = of.filter((one) => one.complements).map((one) => [one]);
  return [chain, ...complements].flatMap((fetchers) => {
    if (fetchers.length === 0) return [];
    const times = fetchers.flatMap(
      ({ source }) =>
        market.fetches.findLastSuccess(source.name, { kind, country, symbol: null }) ?? [],
    );
    const succeededAt = times.length === 0 ? null : Math.max(...times);
    return [!isDue(kind, country, succeededAt, now, { overrides, scope: "country" })];
  });
}

/** True for each company whose records are not due. */
function companiesDone(
  market: MarketStore,
  kind: RecordKind,
  country: Country,
  companies: readonly LargeCompany[],
  now: number,
): boolean[] {
  const isDueNow = createDueCheck(market, country, [kind], now);
  return companies.map(({ symbol }) => !isDueNow(kind, symbol));
}

/** The seconds that the rest takes at the pace of the last minutes; null without a pace. */
function secondsFor(
  market: MarketStore,
  {
    kind,
    country,
    companies,
  }: { kind: RecordKind; country: Country; companies: readonly LargeCompany[] },
  left: number,
  now: number,
): number | null {
  if (left === 0) return 0;
  const symbols = new Set(companies.map(({ symbol }) => symbol));
  const recent = market.fetches
    .listLast(kind, country)
    .filter(({ symbol }) => symbols.has(symbol))
    .flatMap(({ succeededAt }) => succeededAt ?? [])
    .filter((at) => at <= now && now - at <= PACE_MS);
  if (recent.length === 0) return null;
  const sinceMs = now - Math.min(...recent);
  return sinceMs === 0 ? null : Math.ceil((left * sinceMs) / recent.length / 1000);
}

/** The source that is called first for companies. */
interface FirstSource {
  readonly source: string;
  /** True if companies that failed need not wait for their next attempt. */
  readonly ignoresFailures: boolean;
  /** The outages of the source that have ended. */
  readonly outages: readonly Outage[];
}

/** A function that is true for a kind and a symbol whose records are due in the background. */
function createDueCheck(
  market: MarketStore,
  country: Country,
  kinds: readonly RecordKind[],
  now: number,
  first: FirstSource | null = null,
): (kind: RecordKind, symbol: string) => boolean {
  const fetches = new Map<RecordKind, ReadonlyMap<string, LastFetch>>(
    kinds.map((kind) => [
      kind,
      new Map(
        market.fetches
          .listLast(kind, country, { ...first, now })
          .map((last) => [last.symbol, last]),
      ),
    ]),
  );
  const standIns = new Map<RecordKind, ReadonlySet<string>>(
    kinds.map((kind) => [kind, listStandIns(market, kind, country, first)]),
  );
  const overrides = market.documents.list("holidayOverrides", country);
  return (kind, symbol) => {
    const { succeededAt = null, nextAttemptAt } = fetches.get(kind)?.get(symbol) ?? {};
    if (first?.ignoresFailures === false && (nextAttemptAt ?? 0) > now) return false;
    return (
      standIns.get(kind)?.has(symbol) ||
      isDue(kind, country, succeededAt, now, {
        overrides,
        inBackground: true,
        showsUnknownSplit: () => showsUnknownSplit(market, { kind, country, symbol }),
      })
    );
  };
}

/** The symbols whose newest records another source gave while the first one had an outage that has ended. */
function listStandIns(
  market: MarketStore,
  kind: RecordKind,
  country: Country,
  first: FirstSource | null,
): ReadonlySet<string> {
  // Without an outage, which is nearly always, nothing is read.
  if (!first || first.outages.length === 0 || PRICE_KINDS.has(kind)) return new Set();
  const others = market.fetches.listOfOthers(kind, country, first.source);
  return new Set(
    others.flatMap(({ symbol, succeededAt }) =>
      isAmong(first.outages, succeededAt) ? [symbol] : [],
    ),
  );
}

/**
 * The due keys of a country's companies: a list for each company, in the same order. A company that
 * failed waits for its next attempt. What another source gave during an outage of the first is due again.
 */
export function dueByRank(
  market: MarketStore,
  country: Country,
  companies: readonly LargeCompany[],
  options: FirstSource & { kinds: readonly RecordKind[]; now: number },
): FetchKey[][] {
  const { kinds, now } = options;
  const isDueNow = createDueCheck(market, country, kinds, now, options);
  return companies.map(({ symbol, marketCap, sector }) =>
    kinds
      .filter((kind) => kind !== PROFILE || marketCap === null || sector === null)
      .filter((kind) => isDueNow(kind, symbol))
      .map((kind) => ({ kind, country, symbol })),
  );
}
