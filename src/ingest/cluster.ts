import { BourseError } from "#domain/errors.ts";
import type { FetchKey } from "#domain/fetch.ts";
import { DAY_MS } from "#lib/date.ts";
import type { Log } from "#lib/log.ts";
import { keepAt, type Upkeep } from "#lib/periodic.ts";
import type { MarketStore } from "#store/index.ts";
import { ClusterNodes, type NodeState } from "#store/cluster-nodes.ts";
import { CHANGE_FORMAT_NAME, type LeaderTerm, Leadership, TERM_MS } from "#store/leadership.ts";
import type { MarketLog } from "#store/market-log.ts";
import type { MarketSnapshots } from "#store/market-snapshots.ts";
import type { Postgres } from "#store/postgres.ts";
import { CHANGE_FORMAT } from "./changes.ts";
import type { MarketWriter } from "./changes.ts";
import { createClusterWriter } from "./cluster-writer.ts";
import { FetchRequests } from "./fetch-requests.ts";
import type { FetchRoute, Refresher } from "./refresh.ts";
import type { RefreshOutcome } from "./source-chain.ts";
import { Replica } from "./replica.ts";
import type { Schedule } from "./schedule.ts";

/** How often in a term its leader renews it, and another node tries to begin one. */
const CLAIMS_IN_A_TERM = 4;
/** How often a node reports that it is alive. */
const BEAT_MS = 1_000;
/** After every tenth report, a node looks at the other nodes. */
const BEATS_PER_LOOK = 10;
/** How often the leader looks for due records, and for work on the log and its snapshots. */
const ROUND_MS = 60_000;
/** How long a stop waits for the last changes to be stored. The database may be down for hours. */
const STOP_MS = 3_000;
/** A snapshot is due when the oldest change that it would add has this age. */
const SNAPSHOT_MS = DAY_MS;
/** A log below this size makes no snapshot due. */
const SMALL_LOG_BYTES = 16 * 2 ** 20;

/** What a node does while it leads. */
export interface LeaderTasks {
  readonly refresher: Pick<Refresher, "refresh">;
  readonly schedule: Pick<Schedule, "run">;
  /** Called before each term, when the market has all changes of earlier leaders. */
  readonly prepare: () => void;
}

/** The dependencies of `ClusterMember`. */
export interface ClusterMemberParts {
  readonly postgres: Postgres;
  readonly marketLog: MarketLog;
  readonly snapshots: MarketSnapshots;
  /** As `openClusterMarket` opened it. */
  readonly market: MarketStore;
  readonly host: string;
  readonly version: string;
  /** As in `NodeState`. */
  readonly build: string;
  readonly settings: NodeState["settings"];
  /** The number of leases that the node holds. */
  readonly leases: () => number;
  /** Milliseconds from any start, which never go back. */
  readonly stopwatch: () => number;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
  /** Called before each fetch of the leader, and every second on the other nodes. */
  readonly progressed?: () => void;
  /** The term of a leader; two seconds if absent. */
  readonly termMs?: number;
}

/** A node that leads, with its work. */
interface Term {
  readonly fence: number;
  /** True when the market has all changes of earlier leaders. */
  isReady: boolean;
  readonly upkeep: Upkeep[];
}

/**
 * This node as a member of its cluster: it follows the log, and leads if no other node does. A command that
 * imports starts and stops only its `replica`.
 */
export class ClusterMember {
  /** Applies the log to the market of this node. */
  readonly replica: Replica;
  /** Writes fetched records, while this node leads. */
  readonly writer: MarketWriter;

  readonly #parts: ClusterMemberParts;
  readonly #id = crypto.randomUUID();
  readonly #leadership: Leadership;
  readonly #nodes: ClusterNodes;
  readonly #requests: FetchRequests;
  /**
   * The fetches of this node's present or last term. A leader waits for them before it leads again. Otherwise
   * it could store a key that another leader has fetched since.
   */
  readonly #flights = new Set<Promise<unknown>>();
  readonly #upkeep: Upkeep[] = [];
  readonly #ending = new Set<Promise<unknown>>();
  #tasks: LeaderTasks | null = null;
  #term: Term | null = null;
  #claim: Promise<void> | null = null;
  #isStopped = false;
  #beats = 0;
  #differs: readonly string[] = [];
  #nodesAlive: number | null = null;

  /** A node that does nothing yet; `start` begins it. */
  constructor(parts: ClusterMemberParts) {
    this.#parts = parts;
    const { postgres, marketLog, stopwatch, termMs = TERM_MS } = parts;
    this.replica = new Replica(parts);
    const format = CHANGE_FORMAT;
    this.#leadership = new Leadership({ postgres, holder: this.#id, format, stopwatch, termMs });
    this.#nodes = new ClusterNodes(postgres);
    this.writer = createClusterWriter({
      marketLog,
      replica: this.replica,
      leadership: this.#leadership,
    });
    this.#requests = new FetchRequests({
      postgres,
      replica: this.replica,
      stopwatch,
      isLeading: () => this.isLeading,
      fetch: (key) => this.#fetchForOthers(key),
    });
  }

  /** What differs from the leader: see `NodeInfo`. */
  get differs(): readonly string[] {
    return this.#differs;
  }

  /** The nodes that were alive at the last look, this one included; null before. */
  get nodesAlive(): number | null {
    return this.#nodesAlive;
  }

  /** True while this node refreshes the market. */
  get isLeading(): boolean {
    return this.#term?.isReady === true && this.#isCurrent(this.#term);
  }

  /** The term of this node while it refreshes the market; null otherwise. */
  get term(): LeaderTerm | null {
    const { fence, holder } = this.#leadership;
    return this.isLeading && fence !== null ? { fence, holder } : null;
  }

  /** For the refresher: the leader fetches a key itself, and every other node requests it from the leader. */
  readonly route: FetchRoute = async (key, fetchHere) => {
    for (;;) {
      if (this.isLeading) {
        try {
          return await this.#track(fetchHere());
        } catch (error) {
          // If the term has ended meanwhile, the next leader fetches the key.
          if (this.isLeading) throw error;
        }
      }
      const outcome = await this.#requests.request(key);
      if (outcome !== null) return outcome;
    }
  };

  /**
   * Begins to follow the log, to report to the cluster and to compete for leadership.
   *
   * @param url the address of the node for its operators
   * @throws BourseError `unavailable` if the database is
   */
  async start({ url, tasks }: { url: string; tasks: LeaderTasks | null }): Promise<void> {
    const { postgres } = this.#parts;
    this.#tasks = tasks;
    const claim = () => this.#claimOnce();
    try {
      await this.replica.start();
      await this.#requests.listen();
      await postgres.listen("bourse_leader", () => void claim());
    } catch (error) {
      // What has begun would keep the process alive.
      await this.stop();
      throw error;
    }
    this.#keep(this.#upkeep, (this.#parts.termMs ?? TERM_MS) / CLAIMS_IN_A_TERM, claim);
    this.#keep(this.#upkeep, BEAT_MS, () => this.#beat(url));
  }

  /** Hands leadership over and stops. The sources must be stopped at the same time. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#requests.stop();
    this.#endTerm();
    // The term is renewed until the last fetch is stored.
    const stored = Promise.allSettled([...this.#ending, ...this.#flights]);
    const deadline = Promise.withResolvers<void>();
    const timer = setTimeout(deadline.resolve, STOP_MS);
    await Promise.race([stored, deadline.promise]);
    clearTimeout(timer);
    this.#parts.marketLog.stop();
    await Promise.all(this.#upkeep.map((one) => one.stop()));
    await ignoreOutage(() => this.#leadership.release());
    await this.replica.stop();
    await ignoreOutage(() => this.#nodes.remove(this.#id));
  }

  /** Repeats work; an outage of the database is no error. */
  #keep(upkeep: Upkeep[], everyMs: number, work: (stopped: () => boolean) => Promise<void>): void {
    const failed = (error: string) =>
      this.#parts.log.error("a task of the cluster failed", { error });
    upkeep.push(
      keepAt({ firstMs: 0, everyMs }, (stopped) => ignoreOutage(() => work(stopped)), failed),
    );
  }

  async #beat(url: string): Promise<void> {
    const { host, version, build, settings, leases, progressed } = this.#parts;
    const { applied, fault } = this.replica;
    this.#requests.repeat();
    const state: NodeState = {
      id: this.#id,
      host,
      version,
      url,
      applied,
      leases: leases(),
      build,
      settings: { ...settings, [CHANGE_FORMAT_NAME]: String(CHANGE_FORMAT) },
      fault,
    };
    await this.#nodes.beat(state);
    if (this.#beats++ % BEATS_PER_LOOK === 0) await this.#compare();
    if (!this.isLeading && this.replica.isWritable) progressed?.();
  }

  /** Counts the nodes. Warns when settings of this node, or its program, differ from the leader's. */
  async #compare(): Promise<void> {
    const nodes = await this.#nodes.list();
    this.#nodesAlive = nodes.filter(({ isGone }) => !isGone).length;
    const own = nodes.find(({ id }) => id === this.#id);
    const differs = own?.differs ?? [];
    if (differs.length > 0 && differs.join() !== this.#differs.join())
      this.#parts.log.warn("this node differs from the leader", { in: differs.join(", ") });
    this.#differs = differs;
  }

  #claimOnce(): Promise<void> {
    this.#claim ??= this.#claimTerm().finally(() => (this.#claim = null));
    return this.#claim;
  }

  async #claimTerm(): Promise<void> {
    const { isWritable } = this.replica;
    // A fetch of an earlier term must not be stored in this one: another leader may have fetched since.
    const isWilling = isWritable && !this.#isStopped && this.#flights.size === 0;
    // A term that never begins would keep other nodes from leading.
    if (!isWritable) await ignoreOutage(() => this.#leadership.release());
    await ignoreOutage(() => this.#leadership.claim(isWilling));
    const { fence } = this.#leadership;
    if (this.#term && !this.#isCurrent(this.#term)) this.#endTerm();
    if (this.#term || fence === null || this.#isStopped) return;
    this.#parts.log.info("this node refreshes the market of the cluster", { fence });
    const term: Term = { fence, isReady: false, upkeep: [] };
    this.#term = term;
    void this.#beginTerm(term);
  }

  /** Begins the work of a term when the market has all changes of earlier leaders. */
  async #beginTerm(term: Term): Promise<void> {
    try {
      await this.replica.catchUp();
    } catch {
      // The next claim tries again.
      if (this.#term === term) this.#term = null;
      return;
    }
    if (this.#term !== term || !this.#isCurrent(term)) return;
    const tasks = this.#tasks;
    tasks?.prepare();
    term.isReady = true;
    this.#requests.repeat();
    this.#keep(term.upkeep, ROUND_MS, (stopped) =>
      this.#maintain(() => stopped() || !this.#isCurrent(term)),
    );
    if (!tasks) return;
    this.#keep(term.upkeep, ROUND_MS, (stopped) =>
      tasks.schedule.run({
        stopped: () => {
          this.#parts.progressed?.();
          return stopped() || !this.#isCurrent(term);
        },
      }),
    );
  }

  #isCurrent({ fence }: Term): boolean {
    return this.#leadership.fence === fence;
  }

  #endTerm(): void {
    const term = this.#term;
    this.#term = null;
    if (!term) return;
    if (!this.#isStopped)
      this.#parts.log.info("this node no longer refreshes the market", { fence: term.fence });
    const ended = Promise.all(term.upkeep.map((one) => one.stop()));
    this.#ending.add(ended);
    void ended.finally(() => this.#ending.delete(ended));
  }

  /** Shortens the log, and stores a snapshot if one is due. */
  async #maintain(stopped: () => boolean): Promise<void> {
    const { marketLog, snapshots } = this.#parts;
    await marketLog.prune();
    const [newest] = await snapshots.list();
    const number = newest?.number ?? 0;
    const { bytes, ageMs } = await marketLog.backlog(number);
    const isDue = ageMs >= SNAPSHOT_MS || bytes > Math.max(SMALL_LOG_BYTES, newest?.bytes ?? 0);
    // A node that cannot apply a change of the log goes on with a snapshot that contains it.
    const isNeeded = (await this.#nodes.list()).some(
      ({ fault, applied }) => fault !== null && applied >= number && applied < this.replica.applied,
    );
    if ((isDue || isNeeded) && !stopped()) await snapshots.save(stopped);
  }

  #fetchForOthers(key: FetchKey): Promise<RefreshOutcome> | null {
    return this.#tasks?.refresher.refresh(key, { probe: true }) ?? null;
  }

  async #track<T>(flight: Promise<T>): Promise<T> {
    this.#flights.add(flight);
    try {
      return await flight;
    } finally {
      this.#flights.delete(flight);
    }
  }
}

/** Runs work that the next attempt repeats if the database cannot be used now. */
async function ignoreOutage(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BourseError)) throw error;
  }
}
