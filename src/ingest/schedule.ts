import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import type { Log } from "#lib/log.ts";
import type { LastFetch } from "#store/fetches.ts";
import type { MarketStore } from "#store/index.ts";
import { isDue } from "./freshness.ts";
import { noteIndexPe } from "./index-pe.ts";
import { nameOf, type Refresher, type RefreshOutcome } from "./refresh.ts";

/** What is fetched for whole countries without being asked, each before what builds on it. */
const BROAD: readonly RecordKind[] = [
  "instruments",
  "quotes",
  "macroSeries",
  "macroForecasts",
  "calendarEvents",
  "indexPe",
  "earningsDates",
];

/** What is fetched of the largest companies without being asked: all that sectors are made of. */
const OF_COMPANIES: readonly RecordKind[] = ["bars", "dividends", "statements"];
/** Of an instrument: its profile, with the number of its shares. Without its size no sector counts it. */
const PROFILE: RecordKind = "instruments";
/** How many companies of a country are among them. */
const LARGEST = 500;
/** How often it is looked what is due by now, first of what is broad. */
const LOOK_AGAIN_MS = 60_000;
/** After so many failures in a row a kind of a country's companies rests for a while. */
const FAILURES_IN_A_ROW = 4;
const REST_MS = 15 * 60_000;
/** A company that failed is not tried again sooner, for the reason may lie with it alone. */
const RETRY_COMPANY_MS = 6 * 3_600_000;

/** What a schedule works with. */
export interface ScheduleParts {
  readonly market: MarketStore;
  readonly refresher: Refresher;
  readonly clock: () => number;
  readonly log: Log;
  /** The P/E of a country's index as answers give it now; null where unknown. */
  readonly indexPe: (country: Country) => Promise<number | null>;
  /** How many companies of each country are fetched without being asked; 500 where left out. */
  readonly largest?: number;
}

/** How one run goes. */
export interface ScheduleRun {
  /** Asked before each fetch: whether to end here. */
  readonly stopped: () => boolean;
  /** Which keys; all where left out. */
  readonly wants?: (key: FetchKey) => boolean;
  /** Told how each fetch ended, which of how many it was. */
  readonly told?: (outcome: RefreshOutcome, place: number, of: number) => void;
  /** Whether each thing is tried, but once: what failed before the run too, nothing twice in it. */
  readonly once?: boolean;
}

/** A run with what it has come to. */
interface RunUnderWay extends ScheduleRun {
  readonly wants: (key: FetchKey) => boolean;
  /** What failed in it. */
  readonly failed: Set<string>;
  /** How many things of companies were tried. */
  companies: number;
}

/** Brings what is due without being asked for: it alone knows what that is. */
export interface Schedule {
  /**
   * Brings everything that is due, one after the other, so that whoever asks for something stands
   * behind one request of it at most: first what is broad, then the companies, the largest first and
   * the countries in turn, and keeps the index P/E of the month. Returns when all was tried or
   * `stopped` says so.
   */
  run(run: ScheduleRun): Promise<void>;
}

/** Everything broad, country by country. */
export function broadKeys(): FetchKey[] {
  return COUNTRY_CODES.flatMap((country) => BROAD.map((kind) => ({ kind, country, symbol: null })));
}

/** Whether companies are fetched for that kind without being asked. */
export function isOfCompanies(kind: RecordKind): boolean {
  return OF_COMPANIES.includes(kind);
}

/** A schedule with nothing under way. */
export function createSchedule(parts: ScheduleParts): Schedule {
  const { market, refresher, clock, log } = parts;
  /** Of each kind and country how its companies fared: failures in a row, and the end of a rest. */
  const lanes = new Map<string, { failures: number; restsUntil: number }>();
  const laneOf = ({ kind, country }: Pick<FetchKey, "kind" | "country">) => {
    const name = `${kind} ${country}`;
    const lane = lanes.get(name) ?? { failures: 0, restsUntil: 0 };
    lanes.set(name, lane);
    return lane;
  };

  const isOpen = (key: FetchKey, { wants, once, failed }: RunUnderWay) =>
    wants(key) && !(once && failed.has(nameOf(key)));

  /** Brings one thing where it is due; null where it is not, or where the stop cut it off. */
  const bring = async (key: FetchKey, run: RunUnderWay): Promise<RefreshOutcome | null> => {
    if (!refresher.isDue(key)) return null;
    const outcome = await refresher.refresh(key);
    if (outcome.error === null) return outcome;
    run.failed.add(nameOf(key));
    return run.stopped() ? null : outcome;
  };

  const runBroad = async (run: RunUnderWay): Promise<void> => {
    const keys = broadKeys().filter((key) => isOpen(key, run));
    for (const [i, key] of keys.entries()) {
      if (run.stopped()) return;
      const outcome = await bring(key, run);
      if (!outcome) continue;
      run.told?.(outcome, i + 1, keys.length);
      const { kind, country, source, records } = outcome;
      if (source !== null) log.info("refreshed", { kind, country, source, records });
    }
  };

  /** What is due of the companies, as the store tells it now: the countries in turn. */
  const dueOfCompanies = (run: RunUnderWay): FetchKey[] => {
    const largest = parts.largest ?? LARGEST;
    const retryMs = run.once ? 0 : RETRY_COMPANY_MS;
    const countries = COUNTRY_CODES.map((country) =>
      dueByRank(market, country, largest, clock(), retryMs),
    );
    return Array.from({ length: largest }, (_, rank) =>
      countries.flatMap((companies) => companies[rank] ?? []),
    )
      .flat()
      .filter((key) => isOpen(key, run));
  };

  const isResting = (key: FetchKey) => {
    const leftMs = laneOf(key).restsUntil - clock();
    // A clock that stepped back prolongs no rest.
    return leftMs > 0 && leftMs <= REST_MS;
  };

  const noteLane = ({ kind, country, error, asked }: RefreshOutcome) => {
    const lane = laneOf({ kind, country });
    lane.failures = error === null ? 0 : lane.failures + Number(asked);
    if (lane.failures >= FAILURES_IN_A_ROW) {
      lane.failures = 0;
      lane.restsUntil = clock() + REST_MS;
      log.warn("companies are left for a while", { kind, country, reason: error ?? undefined });
    } else if (!asked && error !== null) {
      lane.restsUntil = clock() + LOOK_AGAIN_MS;
    }
  };

  /** Brings companies for as long as what is broad may wait; true where all of them were tried. */
  const runCompanies = async (run: RunUnderWay): Promise<boolean> => {
    const began = clock();
    const isOver = () => run.stopped() || Math.abs(clock() - began) >= LOOK_AGAIN_MS;
    const keys = dueOfCompanies(run);
    const of = run.companies + keys.length;
    let fetched = 0;
    for (const key of keys) {
      if (isOver()) break;
      if (isResting(key)) continue;
      const outcome = await bring(key, run);
      if (!outcome) continue;
      run.told?.(outcome, ++run.companies, of);
      noteLane(outcome);
      fetched += Number(outcome.error === null);
    }
    if (fetched > 0) log.info("refreshed companies", { fetched });
    return !isOver();
  };

  return {
    async run(asked) {
      const run = { wants: () => true, ...asked, failed: new Set<string>(), companies: 0 };
      let isOver = false;
      while (!isOver && !run.stopped()) {
        await runBroad(run);
        isOver = await runCompanies(run);
      }
      for (const country of COUNTRY_CODES) {
        if (run.stopped() || !run.wants({ kind: "indexPe", country, symbol: null })) continue;
        await noteIndexPe(market, country, clock(), () => parts.indexPe(country));
      }
    },
  };
}

/** What is due of a country's companies, a list for each, the largest first. */
function dueByRank(
  market: MarketStore,
  country: Country,
  largest: number,
  now: number,
  retryMs: number,
): FetchKey[][] {
  const fetches = new Map<RecordKind, ReadonlyMap<string, LastFetch>>(
    [PROFILE, ...OF_COMPANIES].map((kind) => [
      kind,
      new Map(market.fetches.listLast(kind, country).map((last) => [last.symbol, last])),
    ]),
  );
  const isDueNow = (kind: RecordKind, symbol: string) => {
    const { succeededAt = null, failedAt = null } = fetches.get(kind)?.get(symbol) ?? {};
    const failedLately = failedAt !== null && Math.abs(now - failedAt) < retryMs;
    return !failedLately && isDue(kind, country, succeededAt, now, "unasked");
  };
  return market.instruments
    .listLargest(country, largest)
    .map(({ symbol, marketCap }) =>
      (marketCap === null ? [PROFILE, ...OF_COMPANIES] : OF_COMPANIES)
        .filter((kind) => isDueNow(kind, symbol))
        .map((kind) => ({ kind, country, symbol })),
    );
}
