import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import type { Log } from "#lib/log.ts";
import type { LastFetch } from "#store/fetches.ts";
import type { MarketStore } from "#store/index.ts";
import { isDue } from "./freshness.ts";
import { storeIndexPe } from "./index-pe.ts";
import { nameOf, type Refresher, type RefreshOutcome } from "./refresh.ts";

/** What is fetched in the background for whole countries, each before what builds on it. */
const COUNTRY_KINDS: readonly RecordKind[] = [
  "instruments",
  "classifications",
  "quotes",
  "macroSeries",
  "macroForecasts",
  "calendarEvents",
  "indexPe",
  "earningsDates",
];

/** What is fetched in the background of the largest companies: all that sectors are made of. */
const COMPANY_KINDS: readonly RecordKind[] = ["bars", "dividends", "statements"];
/** Of an instrument: its profile with the number of its shares. Without a size no sector counts it. */
const PROFILE: RecordKind = "instruments";
/** How many companies of a country are among them. */
const LARGEST_COUNT = 500;
/** How often the schedule checks what is due by now, beginning with what is broad. */
const CHECK_AGAIN_MS = 60_000;
/** After so many failures in a row, a kind of a country's companies is paused. */
const FAILURES_IN_A_ROW = 4;
const PAUSE_MS = 15 * 60_000;
/** A company that failed is not tried again sooner, because the reason may concern it alone. */
const RETRY_COMPANY_MS = 6 * 3_600_000;

/** What a schedule works with. */
export interface ScheduleParts {
  readonly market: MarketStore;
  readonly refresher: Refresher;
  readonly clock: () => number;
  readonly log: Log;
  /** The P/E of a country's index as answers give it now; null where unknown. */
  readonly indexPe: (country: Country) => Promise<number | null>;
  /** How many companies of each country are fetched in the background; 500 where left out. */
  readonly largest?: number;
}

/** How one run goes. */
export interface ScheduleRun {
  /** Called before each fetch: true ends the run. */
  readonly stopped: () => boolean;
  /** Which keys are fetched; all where left out. */
  readonly wants?: (key: FetchKey) => boolean;
  /** Called with each outcome, its place and the number of fetches known so far. */
  readonly onOutcome?: (outcome: RefreshOutcome, place: number, of: number) => void;
  /** Tries each key exactly once, also one that failed before the run. */
  readonly triesOnce?: boolean;
}

/** A run with what it has done so far. */
interface ActiveRun extends ScheduleRun {
  readonly wants: (key: FetchKey) => boolean;
  /** The names of the keys that failed in it. */
  readonly failed: Set<string>;
  /** How many keys of companies were tried. */
  companies: number;
}

/** How the companies of one kind and country fared. */
interface Lane {
  /** In a row. */
  failures: number;
  /** UTC milliseconds. */
  pausedUntil: number;
}

/** Every broad key, country by country. */
export function countryKeys(): FetchKey[] {
  return COUNTRY_CODES.flatMap((country) =>
    COUNTRY_KINDS.map((kind) => ({ kind, country, symbol: null })),
  );
}

/** True where that kind is fetched of companies in the background. */
export function isCompanyKind(kind: RecordKind): boolean {
  return COMPANY_KINDS.includes(kind);
}

/** Fetches in the background what is due. It alone decides what that is. */
export class Schedule {
  readonly #parts: ScheduleParts;
  readonly #lanes = new Map<string, Lane>();

  /** A schedule with nothing under way. */
  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  /**
   * Fetches everything that is due, one key after the other, so that a request waits behind one fetch
   * of its source at most: first what is broad, then the companies, the largest first and the
   * countries in turn, and stores the index P/E of the month. Returns when all was tried or `stopped`
   * says so.
   */
  async run(asked: ScheduleRun): Promise<void> {
    const { market, clock, indexPe } = this.#parts;
    const run = { wants: () => true, ...asked, failed: new Set<string>(), companies: 0 };
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

  /** Fetches companies until what is broad is to be checked again; true where all of them were tried. */
  async #runCompanies(run: ActiveRun): Promise<boolean> {
    const { clock, log } = this.#parts;
    const began = clock();
    const isOver = () => run.stopped() || Math.abs(clock() - began) >= CHECK_AGAIN_MS;
    const keys = this.#dueCompanyKeys(run);
    const of = run.companies + keys.length;
    let fetched = 0;
    for (const key of keys) {
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

  /** Fetches one key where it is due; null where it is not, or where the stop cut it off. */
  async #refreshIfDue(key: FetchKey, run: ActiveRun): Promise<RefreshOutcome | null> {
    const { refresher } = this.#parts;
    if (!refresher.isDue(key)) return null;
    const outcome = await refresher.refresh(key);
    if (outcome.error === null) return outcome;
    run.failed.add(nameOf(key));
    return run.stopped() ? null : outcome;
  }

  /** What is due of the companies as the store is now: by rank, the countries in turn. */
  #dueCompanyKeys(run: ActiveRun): FetchKey[] {
    const { market, clock, largest = LARGEST_COUNT } = this.#parts;
    const retryMs = run.triesOnce ? 0 : RETRY_COMPANY_MS;
    const countries = COUNTRY_CODES.map((country) =>
      dueByRank(market, country, largest, clock(), retryMs),
    );
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
    // A clock that stepped back prolongs no pause.
    return leftMs > 0 && leftMs <= PAUSE_MS;
  }

  #updateLane({ kind, country, error, calledSource }: RefreshOutcome): void {
    const { clock, log } = this.#parts;
    const lane = this.#lane({ kind, country });
    lane.failures = error === null ? 0 : lane.failures + Number(calledSource);
    if (lane.failures >= FAILURES_IN_A_ROW) {
      lane.failures = 0;
      lane.pausedUntil = clock() + PAUSE_MS;
      log.warn("companies are left for a while", { kind, country, reason: error ?? undefined });
    } else if (!calledSource && error !== null) {
      lane.pausedUntil = clock() + CHECK_AGAIN_MS;
    }
  }
}

/** True where the run still has to try that key. */
function isOpen(key: FetchKey, { wants, triesOnce, failed }: ActiveRun): boolean {
  return wants(key) && !(triesOnce && failed.has(nameOf(key)));
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
  return market.instruments
    .listLargest(country, largest)
    .map(({ symbol, marketCap, sector }) =>
      (marketCap === null || sector === null ? [PROFILE, ...COMPANY_KINDS] : COMPANY_KINDS)
        .filter((kind) => isDueNow(kind, symbol))
        .map((kind) => ({ kind, country, symbol })),
    );
}
