import { ClusterIpGate } from "#access/cluster-gate.ts";
import { createClusterGuard } from "#access/cluster-guard.ts";
import { DatabaseClock } from "#access/database-clock.ts";
import type { NodeInfo } from "#domain/cluster-node.ts";
import type { MarketWriter } from "#ingest/changes.ts";
import { openClusterMarket } from "#ingest/cluster-market.ts";
import { createClusterWriter } from "#ingest/cluster-writer.ts";
import { Replica } from "#ingest/replica.ts";
import { openClusterAccess } from "#store/access-cluster.ts";
import { ClusterNodes } from "#store/cluster-nodes.ts";
import type { MarketStore } from "#store/index.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import { MarketLog } from "#store/market-log.ts";
import { MarketSnapshots } from "#store/market-snapshots.ts";
import { Postgres, type PostgresParts } from "#store/postgres.ts";
import { ageClockOf } from "./world.ts";
import type { NodeProgress, ServiceStores, StoresOptions } from "./stores.ts";

/**
 * Opens a node of a cluster: users, tokens and counters in Postgres, and the node's own copy of the market.
 *
 * @throws BourseError in one sentence if the database cannot be used, or the market file is not the cluster's
 */
export async function openClusterStores(
  { world, config, log, progress }: StoresOptions,
  url: string,
): Promise<ServiceStores> {
  const { plans, gatePerMinute } = config;
  const ages = ageClockOf(world);
  const postgres = await Postgres.open(url, { log, clock: ages });
  try {
    const access = await openClusterAccess(postgres);
    const clock = new DatabaseClock(ages);
    const sentAt = clock.local();
    clock.observe(sentAt, (await access.usage.list([])).now);
    access.watchClock((at, now) => clock.observe(at, now));
    const guard = createClusterGuard({ access, plans, clock });
    const leases = () => guard.heldLeases();
    const { market } = await openNodeMarket({ world, config, log, postgres });
    const nodes = new ClusterNodes(postgres);
    return {
      access,
      market,
      guard,
      gate: gatePerMinute > 0 ? new ClusterIpGate(gatePerMinute, { access, clock }) : null,
      clock: () => clock.now(),
      checkFiles: () => market.checkFile(),
      node: {
        listNodes: () => nodes.list(),
        accessChanged: () => access.heard(),
        health: () => ({
          isDatabaseUp: !postgres.isDown,
          downMs: postgres.downMs,
          leases: leases(),
          ...(progress() ?? UNKNOWN),
        }),
      },
      async close() {
        market.close();
        await access.close();
      },
    };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

/** A node whose ingest has not begun. */
const UNKNOWN: NodeProgress = {
  hasCaughtUp: false,
  fault: null,
  differs: [],
  changesBehind: 0,
  isLeader: false,
  term: null,
  nodesAlive: null,
};

/**
 * Opens the market of a node while `work` runs, with the writer of imports, which all nodes of the cluster
 * apply. The market has all changes of the cluster when `work` begins.
 *
 * @throws BourseError as `openClusterStores`
 */
export function withClusterImports<T>(
  { world, config, log }: Pick<StoresOptions, "world" | "config" | "log">,
  url: string,
  work: (market: MarketStore, writer: MarketWriter) => Awaitable<T>,
): Promise<T> {
  return withPostgres(url, { log, clock: ageClockOf(world) }, async (postgres) => {
    const parts = await openNodeMarket({ world, config, log, postgres });
    const { market } = parts;
    const replica = new Replica({
      ...parts,
      stopwatch: world.stopwatch ?? world.clock,
      clock: world.clock,
      log,
    });
    try {
      await replica.start();
      await replica.catchUp();
      return await work(market, createClusterWriter({ ...parts, replica }));
    } finally {
      await replica.stop();
      market.close();
    }
  });
}

/** Opens the node's copy of the market, with the log and the snapshots that it follows. */
async function openNodeMarket({
  world,
  config,
  log,
  postgres,
}: Pick<StoresOptions, "world" | "config" | "log"> & { postgres: Postgres }) {
  const { dataFolder, market: origin } = config;
  const marketLog = await MarketLog.open(postgres);
  const snapshots = new MarketSnapshots(postgres, dataFolder);
  const shared = { marketLog, snapshots };
  const market = await openClusterMarket({
    ...shared,
    dataFolder,
    origin,
    clock: world.clock,
    log,
  });
  return { ...shared, market };
}

/** The nodes of the cluster with that database. @throws BourseError as `openClusterStores` */
export function readNodes(url: string, parts: PostgresParts): Promise<NodeInfo[]> {
  return withPostgres(url, parts, async (postgres) => {
    await MarketLog.open(postgres);
    return new ClusterNodes(postgres).list();
  });
}

/** Connects to the database of a cluster while `work` runs. @throws BourseError as `Postgres.open` */
export async function withPostgres<T>(
  url: string,
  parts: PostgresParts,
  work: (postgres: Postgres) => Promise<T>,
): Promise<T> {
  const postgres = await Postgres.open(url, parts);
  try {
    return await work(postgres);
  } finally {
    await postgres.close();
  }
}
