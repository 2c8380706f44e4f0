import { hostname } from "node:os";
import type { Config } from "#config.ts";
import type { FetchKey } from "#domain/fetch.ts";
import { ClusterMember } from "#ingest/cluster.ts";
import { loadSample } from "#ingest/sample-load.ts";
import type { RefreshOutcome } from "#ingest/source-chain.ts";
import { createAgeClock } from "#lib/age-clock.ts";
import { keepAt, type Upkeep } from "#lib/periodic.ts";
import { type CompaniesToCompute, computeForThread } from "#rollups/saved-companies.ts";
import type { FiguresPart } from "#store/company-figures.ts";
import { type MarketStore, openMarket } from "#store/index.ts";
import { createLive, type Live } from "./live.ts";
import type { IngestHost, IngestState, MarketIngest, SourceState } from "./market-ingest.ts";
import { hashSharedSettings } from "./shared-settings.ts";
import { hashProgram, VERSION } from "#domain/program.ts";

/** How often the market is checked for records that are due. */
const REFRESH_MS = 60_000;

/** The dependencies of a `LocalIngest`. */
export interface LocalIngestParts extends IngestHost {
  readonly config: Config;
  /** UTC milliseconds of this machine. */
  readonly wallClock: () => number;
  /** The same, or the cluster's database. */
  readonly clock: () => number;
  /** Milliseconds from any start, which never go back. */
  readonly stopwatch: () => number;
  /** The number of leases that the node holds. */
  readonly leases: () => number;
  /** Waits between the requests to a source; uses real time if absent. */
  readonly sleep?: ((ms: number) => Promise<void>) | undefined;
}

/** What an ingest closes at its end. */
interface Stores {
  readonly market: MarketStore;
  /** Null on one machine. */
  readonly member: ClusterMember | null;
  close(): Promise<void>;
}

/** As many as readers ask for at once: see `Moments`. */
const MAX_PAST_DAYS = 3;

/** The ingest in this thread. */
export class LocalIngest implements MarketIngest {
  readonly #parts: LocalIngestParts;
  readonly #stores: Stores;
  /** Null while the market is the sample. */
  readonly #live: Live | null;
  #upkeep: Upkeep | null = null;
  /** The market on the past days that were last computed. */
  readonly #pastDays = new Map<string, MarketStore>();

  private constructor(parts: LocalIngestParts, stores: Stores) {
    this.#parts = parts;
    this.#stores = stores;
    const { market, member } = stores;
    this.#live =
      parts.config.market === "live"
        ? createLive({ ...parts, market, writer: member?.writer, route: member?.route })
        : null;
  }

  /** Opens connections of its own. @throws BourseError if the market or the cluster's database cannot be used */
  static async open(parts: LocalIngestParts): Promise<LocalIngest> {
    const { config, clock } = parts;
    if (config.cluster !== null)
      return new LocalIngest(parts, await openNode(parts, config.cluster));
    const market = openMarket(config.dataFolder, clock);
    return new LocalIngest(parts, { market, member: null, close: async () => market.close() });
  }

  get state(): IngestState {
    const { member } = this.#stores;
    return {
      sources: listSources(this.#live),
      warning: this.#live?.refresher.warning() ?? null,
      node: member && {
        hasCaughtUp: member.replica.hasCaughtUp,
        fault: member.replica.fault,
        differs: member.differs,
        changesBehind: member.replica.behind,
        isLeader: member.isLeading,
        term: member.term,
        nodesAlive: member.nodesAlive,
      },
    };
  }

  async refresh(key: FetchKey): Promise<RefreshOutcome> {
    if (!this.#live) throw new Error("The sample market is not fetched.");
    return this.#live.refresher.refresh(key, { probe: true });
  }

  async computeCompanies(companies: CompaniesToCompute): Promise<string> {
    const { day } = companies;
    return computeForThread(day === null ? this.#stores.market : this.#marketOn(day), companies);
  }

  #marketOn(day: string): MarketStore {
    const known = this.#pastDays.get(day) ?? this.#stores.market.asKnownOn(day);
    this.#pastDays.set(day, known);
    const [oldest] = this.#pastDays.keys();
    if (this.#pastDays.size > MAX_PAST_DAYS && oldest) this.#pastDays.delete(oldest);
    return known;
  }

  async saveFigures(state: string, parts: readonly FiguresPart[]): Promise<void> {
    const { market } = this.#stores;
    await market.queueTransaction(() => market.figures.replace(state, parts));
  }

  async loadSample(now: number): Promise<void> {
    loadSample({ market: this.#stores.market, now });
  }

  async begin(url: string): Promise<void> {
    const { member } = this.#stores;
    const live = this.#live;
    const prepare = () => live?.resumeBlocks();
    if (member) await member.start({ url, tasks: live && { ...live, prepare } });
    else if (live) {
      prepare();
      this.#upkeep ??= this.#keepFetching(live);
    }
  }

  async pause(): Promise<void> {
    const upkeep = this.#upkeep;
    this.#upkeep = null;
    await upkeep?.stop();
  }

  async stop(): Promise<void> {
    await Promise.all([this.pause(), this.#stores.member?.stop(), this.#live?.stop()]);
  }

  close(): Promise<void> {
    return this.#stores.close();
  }

  #keepFetching({ schedule }: Live): Upkeep {
    const { log, progressed } = this.#parts;
    return keepAt(
      { firstMs: 0, everyMs: REFRESH_MS },
      (stopped) => {
        progressed();
        return schedule.run({
          // The schedule calls it before each fetch.
          stopped() {
            progressed();
            return stopped();
          },
        });
      },
      (error) => log.error("a refresh failed", { error }),
    );
  }
}

function listSources(live: Live | null): IngestState["sources"] {
  const sources = new Map<string, SourceState>();
  for (const [name, { counts, unusable, blockedUntil }] of live?.clients ?? [])
    sources.set(name, { counts, unusable, blockedUntil });
  return sources;
}

/** Opens the market of a node, its copy of the cluster's, and what keeps it up to date. */
async function openNode(parts: LocalIngestParts, url: string): Promise<Stores> {
  const { config, wallClock, stopwatch, log, leases, progressed, accessChanged } = parts;
  const [{ ACCESS_CHANNEL }, { Postgres }, { MarketLog }, { MarketSnapshots }] = await Promise.all([
    import("#store/access-cluster.ts"),
    import("#store/postgres.ts"),
    import("#store/market-log.ts"),
    import("#store/market-snapshots.ts"),
  ]);
  const clock = createAgeClock(wallClock, stopwatch);
  // Its only transactions are migrations, which are over before it works.
  const postgres = await Postgres.open(url, { log, clock, connections: 1 });
  try {
    // The thread that serves has no connection that listens.
    await postgres.listen(ACCESS_CHANNEL, accessChanged);
    const market = openMarket(config.dataFolder, wallClock);
    const member = new ClusterMember({
      postgres,
      marketLog: await MarketLog.open(postgres),
      snapshots: new MarketSnapshots(postgres, config.dataFolder),
      market,
      host: hostname(),
      version: VERSION,
      build: await hashProgram(),
      settings: hashSharedSettings(config),
      leases,
      stopwatch,
      clock: wallClock,
      log,
      progressed,
    });
    const close = async () => {
      market.close();
      await postgres.close();
    };
    return { market, member, close };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}
