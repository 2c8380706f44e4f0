import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { FetchKey } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import type { Log } from "#lib/log.ts";
import { SourceError } from "#sources/source.ts";
import type { FailedCompanies } from "#store/fetches.ts";
import type { MarketStore } from "#store/index.ts";
import { FAILURES_IN_A_ROW } from "./arrivals.ts";
import type { MarketWriter } from "./changes.ts";
import { storeIndexPe } from "./index-pe.ts";
import { COMPANY_KINDS, COUNTRY_KINDS, dueByRank, LARGEST_COUNT, PROFILE } from "./progress.ts";
import { nameOf } from "./due-keys.ts";
import type { Refresher } from "./refresh.ts";
import type { RefreshOutcome } from "./source-chain.ts";

/** The kinds that need no list of instruments. */
const UNLISTED_KINDS: readonly RecordKind[] = [
  "macroSeries",
  "macroForecasts",
  "macroVintages",
  "calendarEvents",
  "indexPe",
];
/** The kinds that decide which companies are the largest ones. */
const SIZE_KINDS: readonly RecordKind[] = ["classifications", "quotes"];
/** After this time the schedule starts again with the keys of whole countries, and a source without due keys looks again. */
const CHECK_AGAIN_MS = 60_000;
/** How long sources wait for the lists of the others: a source that hangs must not hold the others. */
const LISTS_MS = 30_000;
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
  /** The number of companies whose fetches went on to another source than the one that serves them first. */
  elsewhere: number;
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

/** The companies of one source whose fetches went on to another source. That source gets one of them at a time. */
class Detours {
  readonly #underWay = new Map<string, Promise<void>>();
  #last: Promise<unknown> = Promise.resolve();
  readonly #run: ActiveRun;

  constructor(run: ActiveRun) {
    this.#run = run;
  }

  /** True while that key is under way at another source. */
  has(key: FetchKey): boolean {
    return this.#underWay.has(nameOf(key));
  }

  /** Resolves when the fetches that are under way have ended; null if there are none. */
  ended(): Promise<unknown> | null {
    return this.#underWay.size === 0 ? null : Promise.all(this.#underWay.values());
  }

  /** Runs a fetch of a company; resolves when it has ended or goes on to another source. */
  async run(key: FetchKey, fetch: (movesOn: () => Promise<void>) => Promise<void>): Promise<void> {
    const moved = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const movesOn = async () => {
      moved.resolve();
      if (this.has(key)) return;
      this.#underWay.set(nameOf(key), ended.promise);
      this.#run.elsewhere++;
      const turn = this.#last;
      this.#last = ended.promise.catch(() => {});
      await turn;
      if (this.#run.stopped())
        throw new SourceError("schedule", "not_asked", "the schedule has stopped", 0);
    };
    ended.resolve(fetch(movesOn).finally(() => this.end(key)));
    await Promise.race([ended.promise, moved.promise]);
  }

  /** Notes the end of the fetch of that key. */
  end(key: FetchKey): void {
    if (this.#underWay.delete(nameOf(key))) this.#run.elsewhere--;
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
  /** The outcomes in the log. A list that is still due has its last outcome for a while. */
  readonly #logged = new WeakSet<RefreshOutcome>();

  /** A schedule that has not run yet. */
  constructor(parts: ScheduleParts) {
    this.#parts = parts;
  }

  /**
   * Fetches all due keys, then stores the index P/E of the month. Resolves when all keys were tried or
   * `stopped` returns true. Lists of instruments come first, then lists that need none, then sectors and quotes
   * of one country after the other, the other keys of whole countries, and companies, the largest first and the
   * countries in turn.
   *
   * Sources are called in parallel, each with one key at a time. No source waits for another one longer than half
   * a minute, and companies that go on to another source hold neither source: see `Detours`.
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
      elsewhere: 0,
      workers: new Workers(sources.length, patience),
      since: options.triesOnce ? clock() : 0,
    };
    const inTime = (work: readonly Promise<void>[]) =>
      Promise.race([Promise.all(work), patience(LISTS_MS)]);
    const lists = sources.map((source) => this.#runLists(source, run, ["instruments"]));
    const listed = inTime(lists);
    const sizes = sources.map(async (source, i) => {
      await lists[i];
      await this.#runLists(source, run, UNLISTED_KINDS);
      await listed;
      for (const country of COUNTRY_CODES) await this.#runLists(source, run, SIZE_KINDS, [country]);
    });
    const sized = listed.then(() => inTime(sizes));
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
    const { patience = forEver } = this.#parts;
    const detours = new Detours(run);
    await own;
    let isOver = false;
    do {
      await this.#runLists(source, run, COUNTRY_KINDS);
      // The largest companies are known then.
      await sized;
      const isIdle = await this.#runCompanies(source, run, detours);
      const elsewhere = detours.ended();
      // Keys of whole countries become due again while other sources fetch companies for hours.
      if (isIdle && elsewhere) await Promise.race([elsewhere, patience(CHECK_AGAIN_MS)]);
      isOver = isIdle && !elsewhere ? await run.workers.wait() : run.workers.wake();
    } while (!isOver && !run.stopped());
    run.workers.end();
    await detours.ended();
  }

  /** Fetches the due keys of whole countries that one source serves. */
  async #runLists(
    source: string,
    run: ActiveRun,
    kinds: readonly RecordKind[],
    countries: readonly Country[] = COUNTRY_CODES,
  ): Promise<void> {
    const { refresher, log } = this.#parts;
    const isOurs = (key: FetchKey) =>
      kinds.includes(key.kind) &&
      countries.includes(key.country) &&
      refresher.sourceOf(key) === source;
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
      if (given === null || this.#logged.has(outcome)) continue;
      this.#logged.add(outcome);
      log.info("refreshed", { kind, country, source: given, records });
    }
  }

  /** Fetches companies from one source for a minute at most; true if all of them were tried. */
  async #runCompanies(source: string, run: ActiveRun, detours: Detours): Promise<boolean> {
    const { clock, log } = this.#parts;
    const began = clock();
    const isOver = () => run.stopped() || Math.abs(clock() - began) >= CHECK_AGAIN_MS;
    const keys = (await this.#dueCompanyKeys(source, run)).filter((key) => !detours.has(key));
    let fetched = 0;
    // The kinds that are paused, or for which no source can be called, until the next minute.
    const blocked = new Set<string>();
    for (const [i, key] of keys.entries()) {
      if (isOver()) break;
      const lane = laneName(key);
      if (!blocked.has(lane) && this.#isPaused(key, source, run)) blocked.add(lane);
      if (blocked.has(lane)) continue;
      run.left.set(source, keys.length - i - 1);
      await detours.run(key, async (movesOn) => {
        const outcome = await this.#refreshIfDue(key, run, movesOn);
        if (!outcome) return;
        detours.end(key);
        reportOutcome(outcome, run);
        if (outcome.error === null) fetched++;
        else if (this.#isBlockedAfter(outcome, source, run)) blocked.add(lane);
      });
    }
    if (fetched > 0) log.info("refreshed companies", { source, fetched });
    return !isOver();
  }

  /** Warns if a failure begins a pause; true if no source could be called. */
  #isBlockedAfter(outcome: RefreshOutcome, source: string, run: ActiveRun): boolean {
    if (!outcome.calledSource) return true;
    const { kind, country, error } = outcome;
    if (this.#countFailures(outcome, source, run).failures === FAILURES_IN_A_ROW)
      this.#parts.log.warn("companies are paused after failures", {
        kind,
        country,
        reason: error ?? "",
      });
    return false;
  }

  /** Fetches one key if it is due; null if it is not, or if the stop interrupted the fetch. */
  async #refreshIfDue(
    key: FetchKey,
    run: ActiveRun,
    movesOn?: () => Promise<void>,
  ): Promise<RefreshOutcome | null> {
    const { refresher } = this.#parts;
    if (!refresher.isDue(key)) return null;
    const outcome = await refresher.refresh(key, movesOn && { movesOn });
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
   * statements in other currencies are converted, then bars of the companies by rank, the countries in
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
  const left = [...run.left.values()].reduce((sum, count) => sum + count, run.elsewhere);
  run.onOutcome?.(outcome, run.tried, run.tried + left);
}
