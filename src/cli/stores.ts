import { existsSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import type { Config } from "#config.ts";
import { notFound } from "#domain/errors.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import { createLocalWriter, type MarketWriter } from "#ingest/changes.ts";
import { findOrigin } from "#ingest/ingest.ts";
import {
  type AccessStore,
  type DatabaseName,
  isInUse,
  isMarketOfCluster,
  type MarketStore,
  openAccess,
  openMarket,
} from "#store/index.ts";
import { LOCK_WAIT_MS } from "#store/market.ts";
import { findFirstUser } from "#store/users.ts";
import { openLog, postgresPartsOf } from "#service/world.ts";
import { refuseAbsent, refuseNode } from "#service/data-folder.ts";
import type { Invocation } from "./command.ts";

/** Opens the users and tokens of a data folder, or a cluster's. Close the store. */
async function openAccessOf({
  io,
  config,
}: Pick<Invocation, "io" | "config">): Promise<AccessStore> {
  if (config.cluster === null) {
    refuseNode(config.dataFolder);
    return openAccess(config.dataFolder);
  }
  const [{ openClusterAccess }, { Postgres }] = await Promise.all([
    import("#store/access-cluster.ts"),
    import("#store/postgres.ts"),
  ]);
  return openClusterAccess(await Postgres.open(config.cluster, postgresPartsOf(io, config)));
}

/** Opens users and tokens while `work` runs. Without `creates`, the data folder must exist. */
export async function withAccess<T>(
  invocation: Pick<Invocation, "io" | "config">,
  work: (access: AccessStore) => T,
  options: { creates?: true } = {},
): Promise<Awaited<T>> {
  const { dataFolder, cluster } = invocation.config;
  if (!options.creates && cluster === null) refuseAbsent(dataFolder);
  const removeCreated = cluster === null ? rememberAbsent(dataFolder, "access.db") : null;
  const access = await openAccessOf(invocation);
  let isUseless = false;
  try {
    return await work(access);
  } catch (error) {
    isUseless = removeCreated !== null && (await access.run(findFirstUser())) === null;
    throw access.toUserError(error);
  } finally {
    await access.close();
    if (isUseless) removeCreated?.();
  }
}

/**
 * Returns a function that removes the database file if there is none now, and the folder too; null if there is one.
 * So a command that fails leaves no folder that looks like data.
 */
function rememberAbsent(dataFolder: string, name: DatabaseName): (() => void) | null {
  const path = join(dataFolder, name);
  const isFolderNew = !existsSync(dataFolder);
  if (existsSync(path)) return null;
  return () => {
    // Another process may have begun to use it.
    if (isInUse(path)) return;
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    if (isFolderNew && readdirSync(dataFolder).length === 0) rmdirSync(dataFolder);
  };
}

/**
 * Opens the market file while `work` runs: one machine's, or a node's copy. `openMarket` explains
 * `clock`.
 *
 * @throws BourseError in a cluster if the folder has no copy, because only a node can create it
 */
export async function withMarket<T>(
  { dataFolder, cluster }: Pick<Config, "dataFolder" | "cluster">,
  work: (market: MarketStore) => T,
  clock: (() => number) | null = null,
): Promise<Awaited<T>> {
  if (cluster !== null && !isMarketOfCluster(join(dataFolder, "market.db"))) {
    throw notFound(
      `${dataFolder} has no copy of the cluster's market. \`serve\` creates one; --data or BOURSE_DATA selects the folder of another node.`,
    );
  }
  const removeCreated = rememberAbsent(dataFolder, "market.db");
  const market = openMarket(dataFolder, clock);
  let isUseless = false;
  try {
    return await work(market);
  } catch (error) {
    isUseless = removeCreated !== null && isReplaceable(market);
    throw market.toUserError(error);
  } finally {
    market.close();
    if (isUseless) removeCreated?.();
  }
}

/** True if the file has nothing but a sample market, which can be generated again. */
function isReplaceable(market: MarketStore): boolean {
  if (market.isEmpty()) return true;
  return findOrigin(market) === "sample" && market.imported.list(null).length === 0;
}

/** Opens the market while `work` runs, with the writer of imports: into this file, or into all nodes of a cluster. */
export async function withImports<T>(
  { io, config }: Pick<Invocation, "io" | "config">,
  work: (market: MarketStore, writer: MarketWriter) => Awaitable<T>,
): Promise<T> {
  if (config.cluster === null) {
    // The writer waits for another process as long as the other statements of a command do.
    const open = (market: MarketStore) => createLocalWriter(market, { waitMs: LOCK_WAIT_MS });
    return withMarket(config, (market) => work(market, open(market)), io.clock);
  }
  const { withClusterImports } = await import("#service/cluster-stores.ts");
  return withClusterImports({ world: io, config, log: openLog(io, config) }, config.cluster, work);
}

/** Opens the accounts while `work` runs. */
export async function withAccounts<T>(
  invocation: Pick<Invocation, "io" | "config">,
  work: (accounts: Accounts) => T,
  options: { creates?: true } = {},
): Promise<Awaited<T>> {
  const { clock } = invocation.io;
  const { plans } = invocation.config;
  return withAccess(
    invocation,
    (access) => work(new Accounts({ access, plans, clock, actor: COMMAND_LINE })),
    options,
  );
}
