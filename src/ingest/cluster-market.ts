import { type BourseError, unavailable } from "#domain/errors.ts";
import type { MarketOrigin } from "#domain/records.ts";
import { PROGRAM } from "#lib/compiled.ts";
import type { Log } from "#lib/log.ts";
import { CLUSTER_ID, LOG_FINGERPRINT, type MarketStore, openMarket } from "#store/index.ts";
import type { MarketLog } from "#store/market-log.ts";
import type { MarketSnapshots } from "#store/market-snapshots.ts";
import { findLogPlace } from "./changes.ts";
import { findOrigin } from "./ingest.ts";

/** A data folder and the cluster whose market it follows. */
export interface ClusterMarketParts {
  readonly marketLog: MarketLog;
  /** The snapshots of that folder. */
  readonly snapshots: MarketSnapshots;
  readonly dataFolder: string;
}

/**
 * Opens the `market.db` of a node. A new node begins with the newest snapshot. Call it before anything else
 * opens the file.
 *
 * @throws BourseError with advice if the file belongs to no cluster or to another one, if the cluster has
 * another origin, if every snapshot is damaged, or if the database cannot be used
 */
export async function openClusterMarket({
  marketLog,
  snapshots,
  dataFolder,
  origin,
  clock,
  log,
}: ClusterMarketParts & {
  origin: MarketOrigin;
  /** UTC milliseconds. */
  clock: () => number;
  log: Log;
}): Promise<MarketStore> {
  const clusterId = await marketLog.claimOrigin(origin);
  if (isNew(dataFolder, clusterId)) {
    const number = await snapshots.restore(clusterId, await marketLog.bounds());
    if (number !== null) log.info("the market begins with a snapshot of the cluster", { number });
  }
  const market = openMarket(dataFolder, clock);
  if (market.findSetting(CLUSTER_ID) === null) market.setSetting(CLUSTER_ID, clusterId);
  await adoptFingerprint(market, marketLog);
  return market;
}

/** A market that an earlier version wrote has only a number. Its changes count as the log's. */
async function adoptFingerprint(market: MarketStore, marketLog: MarketLog): Promise<void> {
  const { number } = findLogPlace(market);
  if (number === 0 || market.findSetting(LOG_FINGERPRINT) !== null) return;
  const fingerprint = await marketLog.findFingerprint(number);
  if (fingerprint !== null) market.setSetting(LOG_FINGERPRINT, fingerprint);
}

/**
 * Makes the market of a folder that was not in a cluster the first state of a cluster without a market. Nodes
 * that joined before begin again with it. The folder is a copy, which changes and which nothing else uses.
 *
 * @param origin the origin of the cluster's market, if the file has none yet
 * @throws BourseError if the cluster has a market already or another origin, or if the database cannot be
 * used
 */
export async function seedCluster({
  marketLog,
  snapshots,
  dataFolder,
  origin,
}: ClusterMarketParts & { origin: MarketOrigin }): Promise<void> {
  const market = openMarket(dataFolder);
  const held = findOrigin(market);
  market.close();
  const clusterId = await marketLog.claimOrigin(held ?? origin);
  await snapshots.seed(clusterId);
}

/** True if the folder has no market yet. @throws BourseError if its market may not be used */
function isNew(folder: string, clusterId: string): boolean {
  const market = openMarket(folder);
  try {
    const stored = market.findSetting(CLUSTER_ID);
    if (stored === clusterId) return false;
    if (stored !== null) throw ofOtherCluster(folder);
    const isEmpty = findOrigin(market) === null && market.listCounts().length === 0;
    if (!isEmpty) throw ofNoCluster(folder);
    return true;
  } finally {
    market.close();
  }
}

function ofNoCluster(folder: string): BourseError {
  return unavailable(
    `The market in ${folder} belongs to no cluster. Start with --reset-market to delete it and use the market of the cluster, or make it the first market of the cluster with \`${PROGRAM} cluster import ${folder}\`.`,
  );
}

function ofOtherCluster(folder: string): BourseError {
  return unavailable(
    `The market in ${folder} belongs to another cluster. Start with --reset-market to delete it, or name another data folder.`,
  );
}
