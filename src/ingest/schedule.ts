import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import type { Log } from "#lib/log.ts";
import { nextTurn, runInTurns } from "#lib/slices.ts";
import type { LastFetch } from "#store/fetches.ts";
import type { MarketStore } from "#store/index.ts";
import type { LargeCompany } from "#store/instruments.ts";
import { isDue } from "./freshness.ts";
import { storeIndexPe } from "./index-pe.ts";
import { nameOf, type Refresher, type RefreshOutcome } from "./refresh.ts";

/** The kinds that are fetched in the background for whole countries, in order of dependency. */
const COUNTRY_KINDS: readonly RecordKind[] = [
  "instruments",
  "classifications",
  "quotes",
  "macroSeries",
  "macroForecasts",
  "calendarEvents",
  "indexPe",
  "earningsDates",
  "statements",
];

/** The kinds that are fetched in the background for the largest companies; sectors need all of them. */
const COMPANY_KINDS: readonly RecordKind[] = ["bars", "dividends", "statements"];
/** For a single instrument: its profile with its shares. Sectors omit companies of unknown size. */
const PROFILE: RecordKind = "instruments";
/** The number of companies of each country. */
const LARGEST_COUNT = 500;
/** After this time the schedule starts again with the keys of whole countries. */
const CHECK_AGAIN_MS = 60_000;
/** The number of consecutive failures after which a kind is paused for the companies of the country. */
const FAILURES_IN_A_ROW = 4;
const PAUSE_MS = 15 * 60_000;
/** A company that failed is retried after this time, because the reason may concern it alone. */
const RETRY_COMPANY_MS = 6 * 3_600_000;
/** The number of keys that are looked up without a pause. */
const KEYS_PER_SLICE = 20;

/** The dependencies of a schedule. */
export interface ScheduleParts {
  readonly market: MarketStore;
  readonly refresher: Refresher;
  readonly clock: () => number;
  readonly log: Log;
  /** The current P/E of a country's index; null if unknown. */
  readonly indexPe: (country: Country) => Promise<number | null>;
  /** The number of companies of each country that are fetched; 500 by default. */
  readonly largest?: number;
}

/** The options of one run. */
export interface ScheduleRun {
  /** Called before each fetch; true ends the run. */
  readonly stopped: () => boolean;
  /** True for the keys to fetch; all by default. */
  readonly wants?: (key: FetchKey) => boolean;
  /** Called with each outcome, its position and the number of fetches known so far. */
  readonly onOutcome?: (outcome: RefreshOutcome, place: number, of: number) => void;
  /** Tries each key exactly once, even if it failed shortly before the run. */
  readonly triesOnce?: boolean;
}

/** A run and its progress. */
interface ActiveRun extends ScheduleRun {
  readonly wants: (key: FetchKey) => boolean;
  /** The names of the keys that failed. */
  readonly failed: Set<string>;
  /** The number of company keys that were tried. */
  companies: number;
}

/** The failures of one kind for the companies of one country. */
interface Lane {
  /** In a row. */
  failures: number;
  /** UTC milliseconds. */
  pausedUntil: number;
}

/** All keys of whole countries, country by country. */
export function countryKeys(): FetchKey[] {
  return COUNTRY_CODES.flatMap((country) =>
    COUNTRY_KINDS.map((kind) => ({ kind, country, symbol: null })),
  );
}

/** True if that kind is fetched for companies in the background. */
export function isCompanyKind(kind: RecordKind): boolean {
  return COMPANY_KINDS.includes(kind);
}

/** Fetches due records in the background. Only this class decides which keys are fetched. */
export class Schedule {
  readonly #parts: ScheduleParts;
  readonly #lanes = new Map<string, Lane>();

  /** A schedule that has not run yet. */
  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  /**
   * Fetches all due keys, then stores the index P/E of the month. Resolves when all keys were tried or
   * `stopped` returns true. The order is: keys of whole countries, then companies, the largest first
   * and the countries in turn. One key at a time, so that a request waits for at most one fetch of its
   * source.
   */
  async run(options: ScheduleRun): Promise<void> {
    const { market, clock, indexPe } = this.#parts;
    const run = { wants: () => true, ...options, failed: new Set<string>(), companies: 0 };
    let isOver = false;
    while (!isOver && !run.stopped()) {
      await this.#runCountryKeys(run);
      isOver = await this.#runCompanies(run);
    }
    for (const country of COUNTRY_CODES) {
      if (run.stopped() || !run.wants({ kind: "indexPe", country, symbol: null })) continue;
      await storeIndexPe(market, country, clock(), () => indexPe(country));
    }
  }

  async #runCountryKeys(run: ActiveRun): Promise<void> {
    const keys = countryKeys().filter((key) => isOpen(key, run));
    for (const [i, key] of keys.entries()) {
      if (run.stopped()) return;
      const outcome = await this.#refreshIfDue(key, run);
      if (!outcome) continue;
      run.onOutcome?.(outcome, i + 1, keys.length);
      const { kind, country, source, records } = outcome;
      if (source !== null) this.#parts.log.info("refreshed", { kind, country, source, records });
    }
  }

  /** Fetches companies for a minute at most; true if all of them were tried. */
  async #runCompanies(run: ActiveRun): Promise<boolean> {
    const { clock, log } = this.#parts;
    const began = clock();
    const isOver = () => run.stopped() || Math.abs(clock() - began) >= CHECK_AGAIN_MS;
    const keys = await this.#dueCompanyKeys(run);
    const of = run.companies + keys.length;
    let fetched = 0;
    for (const [i, key] of keys.entries()) {
      if (i % KEYS_PER_SLICE === 0) await nextTurn();
      if (isOver()) break;
      if (this.#isPaused(key)) continue;
      const outcome = await this.#refreshIfDue(key, run);
      if (!outcome) continue;
      run.onOutcome?.(outcome, ++run.companies, of);
      this.#updateLane(outcome);
      fetched += Number(outcome.error === null);
    }
    if (fetched > 0) log.info("refreshed companies", { fetched });
    return !isOver();
  }

  /** Fetches one key if it is due; null if it is not, or if the stop interrupted the fetch. */
  async #refreshIfDue(key: FetchKey, run: ActiveRun): Promise<RefreshOutcome | null> {
    const { refresher } = this.#parts;
    if (!refresher.isDue(key)) return null;
    const outcome = await refresher.refresh(key);
    if (outcome.error === null) return outcome;
    run.failed.add(nameOf(key));
    return run.stopped() ? null : outcome;
  }

  /** The due keys of the companies: by rank, the countries in turn. */
  async #dueCompanyKeys(run: ActiveRun): Promise<FetchKey[]> {
    const { market, clock, largest = LARGEST_COUNT } = this.#parts;
    const retryMs = run.triesOnce ? 0 : RETRY_COMPANY_MS;
    const countries: FetchKey[][][] = [];
    for (const country of COUNTRY_CODES) {
      const companies = await runInTurns(market.instruments.listLargest(country, largest));
      countries.push(dueByRank(market, country, companies, clock(), retryMs));
    }
    return Array.from({ length: largest }, (_, rank) =>
      countries.flatMap((companies) => companies[rank] ?? []),
    )
      .flat()
      .filter((key) => isOpen(key, run));
  }

  #lane({ kind, country }: Pick<FetchKey, "kind" | "country">): Lane {
    const name = `${kind} ${country}`;
    const lane = this.#lanes.get(name) ?? { failures: 0, pausedUntil: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }

  #isPaused(key: FetchKey): boolean {
    const leftMs = this.#lane(key).pausedUntil - this.#parts.clock();
    // A clock that stepped back does not prolong a pause.
    return leftMs > 0 && leftMs <= PAUSE_MS;
  }

  #updateLane({ kind, country, error, calledSource }: RefreshOutcome): void {
    const { clock, log } = this.#parts;
    const lane = this.#lane({ kind, country });
    lane.failures = error === null ? 0 : lane.failures + Number(calledSource);
    if (lane.failures >= FAILURES_IN_A_ROW) {
      lane.failures = 0;
      lane.pausedUntil = clock() + PAUSE_MS;
      log.warn("companies are paused after failures", {
        kind,
        country,
        reason: error ?? undefined,
      });
    } else if (!calledSource && error !== null) {
      lane.pausedUntil = clock() + CHECK_AGAIN_MS;
    }
  }
}

/** True if the run still has to try that key. */
function isOpen(key: FetchKey, { wants, triesOnce, failed }: ActiveRun): boolean {
  return wants(key) && !(triesOnce && failed.has(nameOf(key)));
}

/** The due keys of a country's companies: a list for each company, in the same order. */
function dueByRank(
  market: MarketStore,
  country: Country,
  companies: readonly LargeCompany[],
  now: number,
  retryMs: number,
): FetchKey[][] {
  const fetches = new Map<RecordKind, ReadonlyMap<string, LastFetch>>(
    [PROFILE, ...COMPANY_KINDS].map((kind) => [
      kind,
      new Map(market.fetches.listLast(kind, country).map((last) => [last.symbol, last])),
    ]),
  );
  const overrides = market.documents.list("holidayOverrides", country);
  const isDueNow = (kind: RecordKind, symbol: string) => {
    const { succeededAt = null, failedAt = null } = fetches.get(kind)?.get(symbol) ?? {};
    const failedLately = failedAt !== null && Math.abs(now - failedAt) < retryMs;
    return (
      !failedLately && isDue(kind, country, succeededAt, now, { overrides, inBackground: true })
    );
  };
  return companies.map(({ symbol, marketCap, sector }) =>
    (marketCap === null || sector === null ? [PROFILE, ...COMPANY_KINDS] : COMPANY_KINDS)
      .filter((kind) => isDueNow(kind, symbol))
      .map((kind) => ({ kind, country, symbol })),
  );
}
