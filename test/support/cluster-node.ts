import type { NodeInfo } from "#domain/cluster-node.ts";
import { ClusterNodes } from "#store/cluster-nodes.ts";
import type { MarketWriter } from "#ingest/changes.ts";
import { ClusterMember, type LeaderTasks } from "#ingest/cluster.ts";
import { createClusterWriter } from "#ingest/cluster-writer.ts";
import { openClusterMarket } from "#ingest/cluster-market.ts";
import { createOnRequest, type OnRequest } from "#ingest/on-request.ts";
import { Refresher } from "#ingest/refresh.ts";
import { createLog } from "#lib/log.ts";
import type { Fetcher } from "#sources/fetcher.ts";
import type { MarketStore } from "#store/index.ts";
import { MarketLog } from "#store/market-log.ts";
import { MarketSnapshots } from "#store/market-snapshots.ts";
import { Postgres } from "#store/postgres.ts";
import { openFolder } from "./access.ts";
import { until } from "./postgres.ts";
import { clientBlocked, EVENING } from "./refresher.ts";

/** A node of a cluster in the test process: its market, but no service. */
export interface TestNode {
  readonly folder: string;
  readonly market: MarketStore;
  readonly marketLog: MarketLog;
  readonly snapshots: MarketSnapshots;
  readonly member: ClusterMember;
  /** Writes imports, as a command does. */
  readonly imports: MarketWriter;
  listNodes(): Promise<NodeInfo[]>;
  readonly refresher: Refresher;
  readonly onRequest: OnRequest;
  /** The clock of its refresher, UTC milliseconds. */
  readonly time: { now: number };
  /** The messages of its log. */
  readonly lines: readonly string[];
  /** Stops it as its operator would. */
  stop(): Promise<void>;
  /** Ends it without a word to the cluster. */
  crash(): Promise<void>;
}

/** How a node starts. */
export interface NodeOptions {
  /** The data folder; a new one if absent. */
  readonly folder?: string;
  readonly fetchers?: readonly Fetcher[];
  /** What it does while it leads; nothing if absent. */
  readonly schedule?: LeaderTasks["schedule"];
  readonly termMs?: number;
  readonly settings?: Readonly<Record<string, string>>;
  /** True for a command, which follows the log but is no member of the list of nodes. */
  readonly isCommand?: boolean;
}

/** The nodes of a test, which ends those that still run. */
export class TestNodes {
  readonly #running = new Set<TestNode>();

  /** Starts a node on a database, as its supervisor would: again if a statement took more than its second. */
  async start(url: string, options?: NodeOptions): Promise<TestNode> {
    const node = await until(() => startNode(url, options));
    this.#running.add(node);
    return node;
  }

  async end(node: TestNode, how: "stop" | "crash" = "stop"): Promise<void> {
    this.#running.delete(node);
    await node[how]();
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#running].map((node) => this.end(node)));
  }
}

/** Starts a node on a database. The caller stops it. */
export async function startNode(url: string, options: NodeOptions = {}): Promise<TestNode> {
  const { folder = openFolder().path, fetchers = [] } = options;
  const lines: string[] = [];
  const time = { now: EVENING };
  const clock = () => time.now;
  const log = createLog({ format: "text", write: (line) => lines.push(line), clock });
  const postgres = await Postgres.open(url, { clock: Date.now, log });
  let market: MarketStore | null = null;
  try {
    const marketLog = await MarketLog.open(postgres);
    const snapshots = new MarketSnapshots(postgres, folder);
    const origin = "live";
    market = await openClusterMarket({
      marketLog,
      snapshots,
      dataFolder: folder,
      origin,
      clock,
      log,
    });
    const member = new ClusterMember({
      postgres,
      marketLog,
      snapshots,
      market,
      host: "test.example",
      version: "1.0.0",
      build: "1.0.0",
      settings: options.settings ?? {},
      leases: () => 0,
      stopwatch: () => performance.now(),
      clock,
      log,
      ...(options.termMs !== undefined && { termMs: options.termMs }),
    });
    const { writer, route } = member;
    const clientOf = () => clientBlocked(0, () => {});
    const refresher = new Refresher({ market, writer, route, fetchers, clientOf, clock, log });
    const schedule = options.schedule ?? { run: async () => {} };
    const tasks = { refresher, schedule, prepare: () => {} };
    if (options.isCommand) await member.replica.start();
    else await member.start({ url: "http://127.0.0.1:8080", tasks });
    const sleep = (ms: number) => new Promise<void>((pass) => void setTimeout(pass, ms).unref());
    const imports = createClusterWriter({ marketLog, replica: member.replica });
    const shared = {
      folder,
      market,
      marketLog,
      snapshots,
      member,
      imports,
      refresher,
      time,
      lines,
    };
    return {
      ...shared,
      listNodes: () => new ClusterNodes(postgres).list(),
      onRequest: createOnRequest({ market, refresher, clock, sleep }),
      async stop() {
        await Promise.all([member.stop(), refresher.stop()]);
        shared.market.close();
        await postgres.close();
      },
      async crash() {
        await postgres.close();
        shared.market.close();
        await Promise.all([member.stop(), refresher.stop()]);
      },
    };
  } catch (error) {
    market?.close();
    await postgres.close();
    throw error;
  }
}
