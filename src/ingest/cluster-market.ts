import { BourseError } from "#domain/errors.ts";
import type { MarketOrigin } from "#domain/records.ts";
import type { Log } from "#lib/log.ts";
import { CLUSTER_ID, type MarketStore, openMarket } from "#store/index.ts";
import type { LogBounds, MarketLog } from "#store/market-log.ts";
import type { MarketSnapshots } from "#store/market-snapshots.ts";
import { findLogNumber } from "./changes.ts";
import { findOrigin } from "./ingest.ts";
import { aheadOfLog } from "./replica.ts";

/** A data folder and the cluster whose market it follows. */
export interface ClusterMarketParts {
  readonly marketLog: MarketLog;
  /** The snapshots of that folder. */
  readonly snapshots: MarketSnapshots;
  readonly dataFolder: string;
}

/**
 * Opens the `market.db` of a node. A new node, and one whose next change is no longer in the log, begins
 * with the newest snapshot. Call it before anything else opens the file, and again at each start.
 *
 * @throws BourseError with advice if the file belongs to no cluster or to another one, if it has changes that
 * the log does not have, if the cluster has another origin, if every snapshot is damaged, or if the
 * database cannot be used
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
  const bounds = await marketLog.bounds();
  if (needsSnapshot(dataFolder, clusterId, bounds)) {
    const number = await snapshots.restore(clusterId, bounds);
    if (number !== null) log.info("the market begins with a snapshot of the cluster", { number });
    else if (bounds.oldest > 1) throw withoutSnapshot(bounds);
  }
  const market = openMarket(dataFolder, clock);
  if (market.findSetting(CLUSTER_ID) === null) market.setSetting(CLUSTER_ID, clusterId);
  return market;
}

/**
 * Makes the market of a folder that was not in a cluster the first state of a cluster without a market. Its
 * nodes then start again from it. Nothing else may write to the file meanwhile.
 *
 * @throws BourseError if the file belongs to a cluster, if the cluster has a market already or another
 * origin, or if the database cannot be used
 */
export async function seedCluster({
  marketLog,
  snapshots,
  dataFolder,
  market,
  origin,
}: ClusterMarketParts & {
  market: MarketStore;
  /** The origin of the cluster's market, if the file has none yet. */
  origin: MarketOrigin;
}): Promise<void> {
  if (market.findSetting(CLUSTER_ID) !== null) {
    throw new BourseError(
      "invalid_argument",
      `The market in ${dataFolder} belongs to a cluster already.`,
    );
  }
  await snapshots.seed(await marketLog.claimOrigin(findOrigin(market) ?? origin));
}

/** True if the folder's market is new or too old for the log. @throws BourseError if it may not be used */
function needsSnapshot(folder: string, clusterId: string, { head, oldest }: LogBounds): boolean {
  const market = openMarket(folder);
  try {
    const stored = market.findSetting(CLUSTER_ID);
    if (stored === null) {
      const isEmpty = findOrigin(market) === null && market.listCounts().length === 0;
      if (!isEmpty) throw ofNoCluster(folder);
      return true;
    }
    if (stored !== clusterId) throw ofOtherCluster(folder);
    const applied = findLogNumber(market);
    if (applied > head) throw aheadOfLog(applied, head);
    return applied < oldest - 1;
  } finally {
    market.close();
  }
}

function ofNoCluster(folder: string): BourseError {
  return new BourseError(
    "unavailable",
    `The market in ${folder} belongs to no cluster. Start with --reset-market to delete it and use the market of the cluster, or make it the first market of the cluster with \`bourse cluster import ${folder}\`.`,
  );
}

function ofOtherCluster(folder: string): BourseError {
  return new BourseError(
    "unavailable",
    `The market in ${folder} belongs to another cluster. Start with --reset-market to delete it, or name another data folder.`,
  );
}

function withoutSnapshot({ oldest }: LogBounds): BourseError {
  return new BourseError(
    "unavailable",
    `The cluster's log begins with change ${oldest}, and there is no snapshot of the market from before. Restore the cluster's database from a backup.`,
  );
}
