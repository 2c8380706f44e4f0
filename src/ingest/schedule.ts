import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import type { Log } from "#lib/log.ts";
import type { FailedCompanies } from "#store/fetches.ts";
import type { MarketStore } from "#store/index.ts";
import type { MarketWriter } from "./changes.ts";
import { storeIndexPe } from "./index-pe.ts";
import { COMPANY_KINDS, COUNTRY_KINDS, dueByRank, LARGEST_COUNT, PROFILE } from "./progress.ts";
import { nameOf } from "./due-keys.ts";
import type { Refresher } from "./refresh.ts";
import type { RefreshOutcome } from "./source-chain.ts";

/** The kinds that decide which companies are the largest ones. */
const SIZE_KINDS: readonly RecordKind[] = ["classifications", "quotes"];
/** After this time the schedule starts again with the keys of whole countries, and a source without due keys looks again. */
const CHECK_AGAIN_MS = 60_000;
/** How long sources wait for the lists of the others: a source that hangs must not hold the others. */
const LISTS_MS = 30_000;
/**
 * The number of consecutive failures after which a kind is paused for the companies of the country. After
 * each pause one company is tried. If it fails too, the next pause is twice as long, up to the maximum.
 */
const FAILURES_IN_A_ROW = 4;
const PAUSE_MS = 60_000;
const MAX_PAUSE_MS = 15 * 60_000;

/** The dependencies of a schedule. */
export interface ScheduleParts {
  readonly market: MarketStore;
  readonly writer: MarketWriter;
  readonly refresher: Refresher;
  readonly clock: () => number;
  readonly log: Log;
  /** The current P/E of a country's index; null if unknown. */
  readonly indexPe: (country: Country) => Promise<number | null>;
  /** The symbols whose newest quotes show a split that is not known yet. */
  readonly listUnknownSplits?: (country: Country) => Awaitable<readonly string[]>;
  /** The number of companies of each country that are fetched; 500 by default. */
  readonly largest?: number;
  /** Waits while other sources work; for ever if absent. */
  readonly patience?: (ms: number) => Promise<void>;
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
  /** The number of keys that were tried. */
  tried: number;
  /** The number of due keys that each source still has. */
  readonly left: Map<string, number>;
  readonly workers: Workers;
  /** Failures before this time do not pause companies, UTC milliseconds. */
  readonly since: number;
}

/** The sources of a run. A source without due keys waits until no source has any, and looks again from time to time. */
class Workers {
  readonly #count: number;
  readonly #patience: (ms: number) => Promise<void>;
  #waiting = 0;
  #isOver = false;
  #turn = Promise.withResolvers<undefined>();

  constructor(count: number, patience: (ms: number) => Promise<void>) {
    this.#count = count;
    this.#patience = patience;
  }

  /** Waits for the next `wake`, a minute at most; resolves with true if the run is over, because all sources wait. */
  async wait(): Promise<boolean> {
    if (++this.#waiting === this.#count) this.end();
    if (!this.#isOver) await Promise.race([this.#turn.promise, this.#patience(CHECK_AGAIN_MS)]);
    this.#waiting--;
    return this.#isOver;
  }

  /** Wakes the waiting sources, which look for due keys again; returns true if the run is over. */
  wake(): boolean {
    this.#turn.resolve(undefined);
    this.#turn = Promise.withResolvers();
    return this.#isOver;
  }

  end(): void {
    this.#isOver = true;
    this.wake();
  }
}

/** All keys of whole countries, in order of dependency. */
export function countryKeys(): FetchKey[] {
  return COUNTRY_KINDS.flatMap((kind) =>
    COUNTRY_CODES.map((country) => ({ kind, country, symbol: null })),
  );
}

/** True if that kind is fetched for companies in the background. */
export function isCompanyKind(kind: RecordKind): boolean {
  return COMPANY_KINDS.includes(kind);
}

/** Fetches due records in the background. Only this class decides which keys are fetched. */
export class Schedule {
  readonly #parts: ScheduleParts;

  /** A schedule that has not run yet. */
  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  /**
   * Fetches all due keys, then stores the index P/E of the month. Resolves when all keys were tried or
   * `stopped` returns true. Lists of instruments come first, then sectors and quotes, the other keys of
   * whole countries, and companies, the largest first and the countries in turn.
   *
   * Sources are called in parallel, each with one key at a time, so that a request waits for at most one
   * fetch of its source. A source waits half a minute at most for the lists of others.
   */
  async run(options: ScheduleRun): Promise<void> {
    const { clock, indexPe, refresher, patience = forEver } = this.#parts;
    const sources = refresher.sources();
    const run = {
      wants: () => true,
      ...options,
      failed: new Set<string>(),
      tried: 0,
      left: new Map<string, number>(),
      workers: new Workers(sources.length, patience),
      since: options.triesOnce ? clock() : 0,
    };
    const inTime = (work: readonly Promise<void>[]) =>
      Promise.race([Promise.all(work), patience(LISTS_MS)]);
    const lists = sources.map((source) => this.#runLists(source, run, ["instruments"]));
    await inTime(lists);
    const sizes = sources.map(async (source, i) => {
      await lists[i];
      await this.#runLists(source, run, SIZE_KINDS);
    });
    const sized = inTime(sizes);
    await Promise.all(
      sources.map((source, i) => this.#runSource(source, run, { own: sizes[i], sized })),
    );
    for (const country of COUNTRY_CODES) {
      if (run.stopped() || !run.wants({ kind: "indexPe", country, symbol: null })) continue;
      await storeIndexPe(this.#parts, country, clock(), () => indexPe(country));
    }
  }

  /** Fetches the keys of one source until none is due. */
  async #runSource(
    source: string,
    run: ActiveRun,
    { own, sized }: { own: Promise<void> | undefined; sized: Promise<unknown> },
  ): Promise<void> {
    await own;
    let isOver = false;
    do {
      await this.#runLists(source, run, COUNTRY_KINDS);
      // The largest companies are known then.
      await sized;
      const isIdle = await this.#runCompanies(source, run);
      // Keys of whole countries become due again while other sources fetch companies for hours.
      isOver = isIdle ? await run.workers.wait() : run.workers.wake();
    } while (!isOver && !run.stopped());
    run.workers.end();
  }

  /** Fetches the due keys of whole countries that one source serves. */
  async #runLists(source: string, run: ActiveRun, kinds: readonly RecordKind[]): Promise<void> {
    const { refresher, log } = this.#parts;
    const isOurs = (key: FetchKey) =>
      kinds.includes(key.kind) && refresher.sourceOf(key) === source;
    const keys = countryKeys().filter(
      (key) => isOurs(key) && isOpen(key, run) && refresher.isDue(key),
    );
    for (const [i, key] of keys.entries()) {
      if (run.stopped()) return;
      const outcome = await this.#refreshIfDue(key, run);
      run.left.set(source, keys.length - i - 1);
      if (!outcome) continue;
      reportOutcome(outcome, run);
      const { kind, country, source: given, records } = outcome;
      if (given !== null) log.info("refreshed", { kind, country, source: given, records });
    }
  }

  /** Fetches companies from one source for a minute at most; true if all of them were tried. */
  async #runCompanies(source: string, run: ActiveRun): Promise<boolean> {
    const { clock, log } = this.#parts;
    const began = clock();
    const isOver = () => run.stopped() || Math.abs(clock() - began) >= CHECK_AGAIN_MS;
    const keys = await this.#dueCompanyKeys(source, run);
    let fetched = 0;
    // The kinds that are paused, or for which no source can be called, until the next minute.
    const blocked = new Set<string>();
    for (const [i, key] of keys.entries()) {
      if (isOver()) break;
      const lane = laneName(key);
      if (!blocked.has(lane) && this.#isPaused(key, source, run)) blocked.add(lane);
      if (blocked.has(lane)) continue;
      const outcome = await this.#refreshIfDue(key, run);
      run.left.set(source, keys.length - i - 1);
      if (!outcome) continue;
      reportOutcome(outcome, run);
      if (outcome.error !== null) {
        if (!outcome.calledSource) blocked.add(lane);
        else if (this.#countFailures(key, source, run).failures === FAILURES_IN_A_ROW)
          log.warn("companies are paused after failures", {
            kind: key.kind,
            country: key.country,
            reason: outcome.error,
          });
      }
      fetched += Number(outcome.error === null);
    }
    if (fetched > 0) log.info("refreshed companies", { source, fetched });
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

  /** The due splits that one source serves of companies of any size whose quotes show one. */
  async #dueSplitKeys(source: string): Promise<FetchKey[]> {
    const { refresher, listUnknownSplits = () => [] } = this.#parts;
    const keys: FetchKey[] = [];
    for (const country of COUNTRY_CODES) {
      if (refresher.sourceOf({ kind: "splits", country, symbol: "" }) !== source) continue;
      for (const symbol of await listUnknownSplits(country))
        keys.push({ kind: "splits", country, symbol });
    }
    return keys.filter((key) => refresher.isDue(key));
  }

  /**
   * The due keys that one source serves: splits that quotes show, bars of currency pairs, by which
   * statements in other currencies are converted, then those of the companies by rank, the countries in
   * turn.
   */
  async #dueCompanyKeys(source: string, run: ActiveRun): Promise<FetchKey[]> {
    const { market, clock, refresher, largest = LARGEST_COUNT } = this.#parts;
    const first = {
      source,
      ignoresFailures: run.triesOnce ?? false,
      outages: market.fetches.findHealth(source).outages,
    };
    const pairs: FetchKey[] = [];
    const countries: FetchKey[][][] = [];
    for (const country of COUNTRY_CODES) {
      // Which source serves a kind does not depend on the symbol.
      const kinds = [PROFILE, ...COMPANY_KINDS].filter(
        (kind) => refresher.sourceOf({ kind, country, symbol: "" }) === source,
      );
      if (kinds.length === 0) continue;
      const companies = await market.instruments.listLargest(country, largest);
      const options = { now: clock(), ...first };
      countries.push(dueByRank(market, country, companies, { kinds, ...options }));
      if (!kinds.includes("bars")) continue;
      const listed = currencyPairs(market, country);
      pairs.push(...dueByRank(market, country, listed, { kinds: ["bars"], ...options }).flat());
    }
    const byRank = Array.from({ length: largest }, (_, rank) =>
      countries.flatMap((companies) => companies[rank] ?? []),
    ).flat();
    const urgent = [...(await this.#dueSplitKeys(source)), ...pairs];
    const keys = [...urgent, ...byRank].filter((key) => isOpen(key, run));
    run.left.set(source, keys.length);
    return keys;
  }

  /** True if a kind is paused for the companies of a country. An answer ends the pause. */
  #isPaused(key: FetchKey, source: string, run: ActiveRun): boolean {
    const { failures, failedAt } = this.#countFailures(key, source, run);
    return failedAt !== null && this.#parts.clock() < failedAt + pauseMs(failures);
  }

  #countFailures(key: FetchKey, source: string, { since }: ActiveRun): FailedCompanies {
    const { market, clock } = this.#parts;
    return market.fetches.findFailedCompanies(key, source, { now: clock(), since });
  }
}

const forEver = () => new Promise<void>(() => {});

/** The pause after failures in a row, in milliseconds. */
function pauseMs(failures: number): number {
  const excess = failures - FAILURES_IN_A_ROW;
  return excess < 0 ? 0 : Math.min(PAUSE_MS * 2 ** excess, MAX_PAUSE_MS);
}

/** The stored currency pairs of a country. */
function currencyPairs(market: MarketStore, country: Country) {
  return listReferenceInstruments()
    .filter((one) => one.country === country && one.assetType === "currency")
    .filter(({ symbol }) => market.instruments.find({ country, symbol }) !== null)
    .map(({ symbol }) => ({ symbol, marketCap: null, sector: null }));
}

/** The kinds and countries fail independently of each other. */
function laneName({ kind, country }: FetchKey): string {
  return `${kind} ${country}`;
}

/** True if the run still has to try that key. */
function isOpen(key: FetchKey, { wants, triesOnce, failed }: ActiveRun): boolean {
  return wants(key) && !(triesOnce && failed.has(nameOf(key)));
}

/** Reports an outcome with its position and the number of keys that are known to be due. */
function reportOutcome(outcome: RefreshOutcome, run: ActiveRun): void {
  run.tried++;
  const left = [...run.left.values()].reduce((sum, count) => sum + count, 0);
  run.onOutcome?.(outcome, run.tried, run.tried + left);
}
