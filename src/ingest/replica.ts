import { BourseError, unavailable } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";
import { keepAt, type Upkeep } from "#lib/periodic.ts";
import { CLUSTER_ID, type MarketStore } from "#store/index.ts";
import type { LogBounds, LogEntry, MarketLog } from "#store/market-log.ts";
import type { MarketSnapshots } from "#store/market-snapshots.ts";
import {
  applyLogged,
  type ChangeResult,
  findLogPlace,
  type LogPlace,
  OtherLog,
} from "./changes.ts";
import { ChangeRefused, decodeChange } from "./change-encoding.ts";
import { claimMarket, findOrigin } from "./ingest.ts";
import { reloadSample } from "./sample-load.ts";
import { reasonOf } from "#lib/reason.ts";

/** How often the log is read without a notification. */
const POLL_MS = 1_000;
/** The compressed bytes that are read at once. */
const READ_BYTES = 2 ** 20;

/** After an attempt to replace the market, the next one waits this many times as long as the attempt took. */
const RETRY_FACTOR = 10;
/** Lost imports, and lost removals, that the log line names; it has the number of all. */
const NAMED = 10;

/** The dependencies of a replica. */
export interface ReplicaParts {
  readonly market: MarketStore;
  readonly marketLog: Pick<MarketLog, "bounds" | "list" | "listen">;
  readonly snapshots: Pick<MarketSnapshots, "list" | "replace">;
  /** Milliseconds from any start, which never go back. */
  readonly stopwatch: () => number;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

/**
 * Applies the log of the cluster to this node's market, in order and without gaps.
 *
 * The log can go back in time with its database, and then has other changes than the market, or fewer. The
 * market then begins again: with the newest snapshot, or empty, and with the log from there. It keeps its
 * content until then. What only this node had is lost, and the log of the service names it.
 *
 * A change that cannot be applied keeps the market where it is, until a snapshot contains the change, the log is
 * repaired, or an upgraded bourse reads the change's newer format.
 */
export class Replica {
  readonly #parts: ReplicaParts;
  /** The results of own appends, by id and position. */
  readonly #results = new Map<string, Map<number, ChangeResult>>();
  #waiting: { readonly number: number; readonly reached: PromiseWithResolvers<void> }[] = [];
  #upkeep: Upkeep | null = null;
  #round: Promise<void> | null = null;
  #isAskedAgain = false;
  #isStopped = false;
  /** Why the next change could not be applied, as a predicate of this node; null if it was, or if there is none. */
  #fault: string | null = null;
  /** Why the market begins again; null while it follows the log. */
  #detour: Detour | null = null;
  /** When the market may next be replaced, by the stopwatch. */
  #replaceAt = 0;
  /** When the last change was applied, UTC milliseconds; 0 if none was since the start. */
  #appliedAt = 0;
  /** The number of the newest change, at the first (or a lower one since) and at the last reading of the log. */
  #firstHead: number | null = null;
  #lastHead = 0;

  /** A replica that does not read yet; `start` begins it. */
  constructor(parts: ReplicaParts) {
    this.#parts = parts;
  }

  /** The number of the last change of the log that was applied; 0 while the market begins again. */
  get applied(): number {
    return this.beginsAgain ? 0 : findLogPlace(this.#parts.market).number;
  }

  /** True while the market has other changes than the log. */
  get beginsAgain(): boolean {
    return this.#detour?.isReplaced === false;
  }

  /** True if all changes are applied that the log had when this replica first read it, or began again. */
  get hasCaughtUp(): boolean {
    return this.#firstHead !== null && !this.beginsAgain && this.applied >= this.#firstHead;
  }

  /** The number of changes that are not applied, as of the last reading of the log. */
  get behind(): number {
    return Math.max(0, this.#lastHead - this.applied);
  }

  /** What keeps the market from following the log, as a predicate of this node; null if nothing does. */
  get fault(): string | null {
    const detour = this.#detour;
    if (!detour || detour.isReplaced) return this.#fault;
    return `replaces its market, because ${CAUSES[detour.reason]}`;
  }

  /** False while the market does not follow the log. A node must not write on top of changes that it cannot apply. */
  get isWritable(): boolean {
    return this.fault === null;
  }

  /** @throws BourseError `unavailable` if this node does not follow the log */
  checkWritable(): void {
    if (this.fault !== null) throw notFollowing(this.fault);
  }

  /** Reads the log now and from now on. @throws BourseError `unavailable` if the database is */
  async start(): Promise<void> {
    const wake = () => this.wake();
    this.#upkeep = keepAt({ firstMs: 0, everyMs: POLL_MS }, async () => wake(), wake);
    await this.#parts.marketLog.listen(wake);
  }

  /** Reads the log soon, because it may have changed. */
  wake(): void {
    this.#isAskedAgain = true;
    this.#round ??= this.#readWhileAsked().finally(() => (this.#round = null));
  }

  /**
   * Collects the results of an append by position, from now until `forget`. A change that another process
   * of this machine applied has none.
   */
  collect(id: string): ReadonlyMap<number, ChangeResult> {
    const results = new Map<number, ChangeResult>();
    this.#results.set(id, results);
    return results;
  }

  /** Ends `collect`. */
  forget(id: string): void {
    this.#results.delete(id);
  }

  /** Resolves when all changes are applied that the log has now. @throws BourseError as `reach` */
  async catchUp(): Promise<void> {
    const { head } = await this.#parts.marketLog.bounds();
    await this.reach(head);
  }

  /**
   * Resolves when the change of the log with that number is applied. It always reads the log: the market can have
   * another change with that number while the log went back in time.
   *
   * @throws BourseError if the market does not follow the log, or if the replica stops. The change stays in the
   * log, unless the database went back in time.
   */
  async reach(number: number): Promise<void> {
    if (this.#isStopped) throw stopping();
    const reached = Promise.withResolvers<void>();
    this.#waiting.push({ number, reached });
    this.wake();
    await reached.promise;
  }

  /** Stops reading; resolves when the change that is being applied is stored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#upkeep?.stop();
    await this.#round;
    this.#reject(stopping());
  }

  async #readWhileAsked(): Promise<void> {
    while (this.#isAskedAgain && !this.#isStopped) {
      this.#isAskedAgain = false;
      await this.#read();
    }
  }

  /** Applies what the log has. Never rejects. */
  async #read(): Promise<void> {
    const { marketLog, log } = this.#parts;
    try {
      while (!this.#isStopped) {
        const bounds = await marketLog.bounds();
        // The log may have gone back before this replica had all of its changes.
        this.#firstHead = Math.min(this.#firstHead ?? bounds.head, bounds.head);
        this.#lastHead = bounds.head;
        const place = findLogPlace(this.#parts.market);
        const reason = this.beginsAgain ? null : differenceOf(place, bounds);
        if (reason !== null) this.#beginDetour(place, bounds, reason);
        if (this.beginsAgain) {
          if (!(await this.#replaceMarket(bounds))) return;
          continue;
        }
        const { number } = place;
        if (number === bounds.head) {
          this.#resolve(number);
          return this.#endDetour();
        }
        for (const entry of await marketLog.list(number, READ_BYTES)) {
          if (this.#isStopped || !(await this.#apply(entry, bounds))) return;
        }
      }
    } catch (error) {
      // During an outage of the database, the next poll reads again.
      if (!(error instanceof BourseError))
        log.error("the log of the cluster could not be read", { error: reasonOf(error) });
    }
  }

  /** Applies one change; returns false if it could not be stored now. */
  async #apply(entry: LogEntry, bounds: LogBounds): Promise<boolean> {
    const { market } = this.#parts;
    const { number, id, position, bytes } = entry;
    try {
      const { change, format } = await decodeChange(bytes);
      const result = await applyLogged(market, entry, change, format);
      this.#results.get(id)?.set(position, result);
    } catch (error) {
      const place = findLogPlace(market);
      // The next change was removed after the bounds of the log were read.
      const isGap = number > place.number + 1 && this.#detour === null;
      if (error instanceof OtherLog) this.#beginDetour(place, bounds, "other");
      else if (isGap) this.#beginDetour(place, bounds, "behind");
      // Another process of this machine was faster.
      else if (place.number >= number) return true;
      else await this.#stay(place, bounds, error);
      this.#isAskedAgain ||= this.beginsAgain;
      return false;
    }
    this.#appliedAt = this.#parts.clock();
    this.#setFault(null);
    this.#resolve(number);
    return true;
  }

  /** Leaves the market where it is, or replaces it by a snapshot that contains the next change. */
  async #stay(place: LogPlace, bounds: LogBounds, error: unknown): Promise<void> {
    const { snapshots, stopwatch } = this.#parts;
    const fault = faultOf(place.number + 1, error);
    this.#setFault(fault, reasonOf(error));
    this.#reject(error instanceof BourseError ? error : notFollowing(fault));
    if (isOfThisNode(error) || stopwatch() < this.#replaceAt) return;
    const [newest] = await snapshots.list();
    if (newest && newest.number > place.number) this.#beginDetour(place, bounds, "unreadable");
  }

  /** Notes what keeps the market from following the log, and says so once. */
  #setFault(fault: string | null, reason?: string): void {
    const { log } = this.#parts;
    if (fault === this.#fault) return;
    this.#fault = fault;
    if (fault === null) log.info("the market follows the log of the cluster again");
    else log.error("the market cannot follow the log of the cluster", { fault, reason });
  }

  /** Notes that the market must begin again. Its readers keep it until then. */
  #beginDetour({ number }: LogPlace, { head }: LogBounds, reason: Difference): void {
    const { market, log } = this.#parts;
    // A detour that begins before the last one has ended keeps what that one lost.
    const {
      imports = market.imported.listTimes(),
      appliedAt = this.#appliedAt,
      loses = false,
    } = this.#detour ?? {};
    const isOtherLog = reason === "ahead" || reason === "other";
    const lost = { imports, appliedAt, loses: loses || isOtherLog };
    this.#detour = { number, reason, ...lost, isReplaced: false };
    this.#reject(notFollowing(this.fault ?? ""));
    const message = `${CAUSES[reason]}; the market begins again`;
    log[reason === "behind" ? "info" : "warn"](message, { applied: number, logEndsWith: head });
  }

  /** Replaces the market by the newest snapshot; returns false if that has to be tried again later. */
  async #replaceMarket(bounds: LogBounds): Promise<boolean> {
    const { market, snapshots, stopwatch, clock, log } = this.#parts;
    const detour = this.#detour;
    const startedAt = stopwatch();
    if (!detour || startedAt < this.#replaceAt) return false;
    // Only a snapshot that contains the unreadable change leads past it.
    const least = detour.reason === "unreadable" ? detour.number + 2 : 0;
    const oldest = Math.max(bounds.oldest, least);
    try {
      const clusterId = market.findSetting(CLUSTER_ID) ?? "";
      const origin = findOrigin(market);
      const number = await snapshots.replace(market, clusterId, { ...bounds, oldest });
      if (origin) claimMarket(market, origin);
      // Each node generates the sample, so a log without a snapshot does not have it.
      if (origin === "sample") await reloadSample({ market, now: clock() });
      log.info("the market begins with a snapshot of the cluster", { number });
      detour.isReplaced = true;
      this.#firstHead = bounds.head;
      return true;
    } catch (error) {
      // The log may have been repaired meanwhile.
      if (detour.reason === "unreadable") this.#detour = null;
      log.error("the market cannot begin again yet", { error: reasonOf(error) });
      return false;
    } finally {
      const endedAt = stopwatch();
      this.#replaceAt = endedAt + RETRY_FACTOR * (endedAt - startedAt);
    }
  }

  /** Names what was lost, when the market has all changes of the log again. */
  #endDetour(): void {
    const detour = this.#detour;
    this.#detour = null;
    this.#setFault(null);
    if (!detour?.loses) return;
    const { market, log } = this.#parts;
    const kept = market.imported.listTimes();
    // A key that was imported twice can be left as it was after the first time.
    const lost = [...detour.imports].flatMap(([key, at]) =>
      (kept.get(key) ?? -Infinity) < at ? [key] : [],
    );
    // Other nodes made later imports.
    const returned = [...kept].flatMap(([key, at]) =>
      !detour.imports.has(key) && at <= detour.appliedAt ? [key] : [],
    );
    const list = (keys: readonly string[]) => keys.slice(0, NAMED).join(", ") || undefined;
    log.warn("the market follows the cluster's database again", {
      had: detour.number,
      has: findLogPlace(market).number,
      lostImports: lost.length,
      importAgain: list(lost),
      lostRemovals: returned.length,
      removeAgain: list(returned),
    });
  }

  #resolve(applied: number): void {
    const done = this.#waiting.filter(({ number }) => number <= applied);
    this.#waiting = this.#waiting.filter(({ number }) => number > applied);
    for (const { reached } of done) reached.resolve();
  }

  #reject(error: BourseError): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { reached } of waiting) reached.reject(error);
  }
}

/**
 * How a market differs from the log: the log ended before, has other changes, has removed the next one, or its
 * next one cannot be applied.
 */
type Difference = "ahead" | "other" | "behind" | "unreadable";

const WENT_BACK = "the cluster's database went back in time";

/** Why a market begins again. */
const CAUSES: Readonly<Record<Difference, string>> = {
  ahead: WENT_BACK,
  other: WENT_BACK,
  behind: "the log no longer has the next change",
  unreadable: "a snapshot has the change that cannot be applied",
};

/** A market that begins again. */
interface Detour {
  /** The number of the last change that the market had. */
  readonly number: number;
  readonly reason: Difference;
  /** The imported records that it had. */
  readonly imports: ReadonlyMap<string, number>;
  /** True if the log no longer has all changes that it had. */
  readonly loses: boolean;
  /** When the last of its changes was applied, UTC milliseconds; 0 if it was before the start of this process. */
  readonly appliedAt: number;
  /** True when it follows the log, but may not have all of its changes yet. */
  isReplaced: boolean;
}

/** Null if the market can go on with the log, as far as its ends show. */
function differenceOf({ number, fingerprint }: LogPlace, bounds: LogBounds): Difference | null {
  if (number > bounds.head) return "ahead";
  if (number === bounds.head && fingerprint !== bounds.fingerprint) return "other";
  return number < bounds.oldest - 1 ? "behind" : null;
}

/** True if another node can apply the change: this one cannot write its file, or is too old. */
function isOfThisNode(error: unknown): boolean {
  return error instanceof BourseError || (error instanceof ChangeRefused && error.isNewer);
}

/** Why a change cannot be applied, as a predicate. It has no path, because anyone may read it. */
function faultOf(number: number, error: unknown): string {
  if (error instanceof BourseError) return "cannot write its market file";
  const reason = error instanceof ChangeRefused ? ` (${error.reason})` : "";
  return `cannot apply change ${number} of the market${reason}`;
}

function notFollowing(fault: string): BourseError {
  return unavailable(
    `This node ${fault}, so it does not follow the log of the cluster and writes nothing. Retry shortly.`,
    { retryAfterSeconds: 5 },
  );
}

function stopping(): BourseError {
  return unavailable("This node is stopping.");
}
