import { BourseError } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";
import { keepAt, type Upkeep } from "#lib/periodic.ts";
import type { MarketStore } from "#store/index.ts";
import type { LogEntry, MarketLog } from "#store/market-log.ts";
import { applyLogged, type ChangeResult, findLogNumber } from "./changes.ts";
import { decodeChange } from "./change-encoding.ts";
import { reasonOf } from "./refresh.ts";

/** How often the log is read without a notification. */
const POLL_MS = 1_000;
/** The compressed bytes that are read at once. */
const READ_BYTES = 2 ** 20;

/** The log no longer has the next change of this node. A new start repairs it. */
export class StaleMarket extends BourseError {
  /** `applied` is the number of the last change that the node applied. */
  constructor(applied: number) {
    super(
      "unavailable",
      `The cluster's log no longer has the change after ${applied}, which this node needs next. Start it again: it then begins with the newest snapshot.`,
    );
  }
}

/** The error of a market that has changes which the cluster's log does not have. */
export function aheadOfLog(applied: number, head: number): BourseError {
  return new BourseError(
    "unavailable",
    `This node applied change ${applied}, but the cluster's log ends with ${head}, so its database was restored from an older backup. Start the node with --reset-market.`,
  );
}

/** The dependencies of a replica. */
export interface ReplicaParts {
  readonly market: MarketStore;
  readonly marketLog: MarketLog;
  readonly log: Log;
}

/** Applies the log of the cluster to this node's market, in order and without gaps. */
export class Replica {
  readonly #parts: ReplicaParts;
  /** The results of own appends, by id and position. */
  readonly #results = new Map<string, Map<number, ChangeResult>>();
  readonly #lost = Promise.withResolvers<never>();
  #waiting: { readonly number: number; readonly reached: PromiseWithResolvers<void> }[] = [];
  #upkeep: Upkeep | null = null;
  #round: Promise<void> | null = null;
  #isAskedAgain = false;
  #isStopped = false;
  #isWritable = true;
  /** The newest change of the log when this replica first read it, and when it last did. */
  #firstHead: number | null = null;
  #lastHead = 0;

  /** A replica that does not read yet; `start` begins it. */
  constructor(parts: ReplicaParts) {
    this.#parts = parts;
    // The caller may observe it later.
    this.#lost.promise.catch(() => {});
  }

  /** Rejects with BourseError when the market can no longer follow the log. The node must stop then. */
  get lost(): Promise<never> {
    return this.#lost.promise;
  }

  /** The number of the last change that was applied. */
  get applied(): number {
    return findLogNumber(this.#parts.market);
  }

  /** True if all changes are applied that the log had when this replica first read it. */
  get hasCaughtUp(): boolean {
    return this.#firstHead !== null && this.applied >= this.#firstHead;
  }

  /** The number of changes that are not applied, as of the last reading of the log. */
  get behind(): number {
    return Math.max(0, this.#lastHead - this.applied);
  }

  /** False after the market file could not be written, until it can be again. */
  get isWritable(): boolean {
    return this.#isWritable;
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
   * Resolves when the change with that number is applied.
   *
   * @throws BourseError if the market cannot be written, or if the replica stops. The change stays in the log.
   */
  async reach(number: number): Promise<void> {
    if (this.#isStopped) throw stopping();
    if (this.applied >= number) return;
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
        const { head, oldest } = await marketLog.bounds();
        const { applied } = this;
        this.#firstHead ??= head;
        this.#lastHead = head;
        if (applied > head) return this.#lose(aheadOfLog(applied, head));
        if (applied < oldest - 1) return this.#lose(new StaleMarket(applied));
        this.#resolve(applied);
        if (applied === head) return;
        for (const entry of await marketLog.list(applied, READ_BYTES)) {
          if (this.#isStopped || !(await this.#apply(entry))) return;
        }
      }
    } catch (error) {
      // During an outage of the database, the next poll reads again.
      if (!(error instanceof BourseError))
        log.error("the log of the cluster could not be read", { error: reasonOf(error) });
    }
  }

  /** Applies one change; returns false if it could not be stored now. */
  async #apply({ number, id, position, bytes }: LogEntry): Promise<boolean> {
    const { market, log } = this.#parts;
    try {
      const change = await decodeChange(bytes);
      const result = await applyLogged(market, number, change);
      this.#results.get(id)?.set(position, result);
    } catch (error) {
      // Another process of this machine was faster.
      if (this.applied >= number) return true;
      if (error instanceof BourseError) {
        log.error("a change of the cluster's log could not be stored", { error: error.message });
        this.#isWritable = false;
        this.#reject(error);
      } else this.#lose(unreadable(number, reasonOf(error)));
      return false;
    }
    this.#isWritable = true;
    this.#resolve(number);
    return true;
  }

  #lose(error: BourseError): void {
    this.#isStopped = true;
    this.#lost.reject(error);
    this.#reject(error);
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

function unreadable(number: number, reason: string): BourseError {
  return new BourseError(
    "unavailable",
    `Change ${number} of the cluster's log cannot be applied. ${reason} This node stops, because its market would differ without that change.`,
  );
}

function stopping(): BourseError {
  return new BourseError("unavailable", "This node is stopping.");
}
