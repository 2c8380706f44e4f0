import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { RecordKind } from "#domain/records.ts";
import type { Log } from "#lib/log.ts";
import type { FetchKey } from "#store/fetches.ts";
import type { MarketStore } from "#store/index.ts";
import { isDue } from "./freshness.ts";
import { noteIndexPe } from "./index-pe.ts";
import type { Refresher, RefreshOutcome } from "./refresh.ts";

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
/** How many companies of a country are among them. */
const LARGEST = 500;
/** How often what is broad is looked at again while companies are fetched. */
const BROAD_EVERY_MS = 60_000;
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
  readonly indexPe: (country: Country) => number | null;
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
  /** Whether companies that failed a moment ago are tried again too. */
  readonly insists?: boolean;
}

/** Brings what is due without being asked for: it alone knows what that is. */
export interface Schedule {
  /**
   * Brings everything that is due, one after the other, so that whoever asks for something stands
   * behind one request of it at most: first what is broad, then the companies, the largest first and
   * the countries in turn. Returns when all was tried or `stopped` says so.
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

  /** Brings one thing where it is due; null where it is not, or where the stop cut it off. */
  const bring = async (key: FetchKey, run: ScheduleRun, place: number, of: number) => {
    if (!refresher.isDue(key)) return null;
    const outcome = await refresher.refresh(key);
    if (run.stopped() && outcome.error !== null) return null;
    run.told?.(outcome, place, of);
    return outcome;
  };

  const runBroad = async (run: ScheduleRun): Promise<void> => {
    const { stopped, wants = () => true } = run;
    const keys = broadKeys().filter(wants);
    for (const [i, key] of keys.entries()) {
      if (stopped()) return;
      const outcome = await bring(key, run, i + 1, keys.length);
      if (!outcome || outcome.source === null) continue;
      const { kind, country, source, records } = outcome;
      log.info("refreshed", { kind, country, source, records });
    }
    for (const { country } of keys.filter(({ kind }) => kind === "indexPe")) {
      if (!stopped()) await noteIndexPe(market, country, clock(), () => parts.indexPe(country));
    }
  };

  /** What is due of the companies, as the store tells it now. */
  const dueOfCompanies = ({ wants = () => true, insists }: ScheduleRun): FetchKey[] => {
    const now = clock();
    const isLately = (at: number | null) =>
      !insists && at !== null && Math.abs(now - at) < RETRY_COMPANY_MS;
    const ranks = COUNTRY_CODES.map((country) => {
      const last = new Map(
        ["instruments" as const, ...OF_COMPANIES].map((kind) => [
          kind,
          new Map(market.fetches.listLast(kind, country).map((fetch) => [fetch.symbol, fetch])),
        ]),
      );
      return market.instruments
        .listLargest(country, parts.largest ?? LARGEST)
        .map(({ symbol, marketCap }) => {
          // Without its size no sector counts it; its profile has the number of its shares.
          const kinds =
            marketCap === null ? ["instruments" as const, ...OF_COMPANIES] : OF_COMPANIES;
          return kinds
            .filter((kind) => {
              const fetch = last.get(kind)?.get(symbol);
              return (
                isDue(kind, country, fetch?.succeededAt ?? null, now, "unasked") &&
                !isLately(fetch?.failedAt ?? null)
              );
            })
            .map((kind): FetchKey => ({ kind, country, symbol }))
            .filter(wants);
        });
    });
    const length = Math.max(...ranks.map((companies) => companies.length));
    return Array.from({ length }, (_, rank) =>
      ranks.flatMap((companies) => companies[rank] ?? []),
    ).flat();
  };

  const noteLane = ({ kind, country, error, asked }: RefreshOutcome) => {
    const lane = laneOf({ kind, country });
    lane.failures = error === null ? 0 : lane.failures + 1;
    if (error === null || (asked && lane.failures < FAILURES_IN_A_ROW)) return;
    lane.failures = 0;
    lane.restsUntil = clock() + REST_MS;
    log.warn("companies are left for a while", { kind, country, reason: error });
  };

  return {
    async run(run) {
      await runBroad(run);
      let broadAt = clock();
      let fetched = 0;
      const keys = dueOfCompanies(run);
      const tell = () => {
        if (fetched > 0) log.info("refreshed companies", { fetched });
        fetched = 0;
      };
      for (const [i, key] of keys.entries()) {
        if (Math.abs(clock() - broadAt) >= BROAD_EVERY_MS) {
          tell();
          await runBroad(run);
          broadAt = clock();
        }
        if (run.stopped()) break;
        if (clock() < laneOf(key).restsUntil) continue;
        const outcome = await bring(key, run, i + 1, keys.length);
        if (!outcome) continue;
        noteLane(outcome);
        if (outcome.error === null) fetched++;
      }
      tell();
    },
  };
}
