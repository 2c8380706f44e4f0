import { unavailable } from "#domain/errors.ts";
import { CLUSTER_ID, type MarketStore } from "#store/index.ts";

/** True if the market is a node's copy of the market of a cluster. Only the log of the cluster may change it. */
export function isOfCluster(market: MarketStore): boolean {
  return market.findSetting(CLUSTER_ID) !== null;
}

/** @throws BourseError if the market belongs to a cluster, because its nodes must stay equal */
export function refuseMarketOfCluster(market: MarketStore): void {
  if (!isOfCluster(market)) return;
  throw unavailable(
    "The market of this data folder belongs to a cluster. Set BOURSE_CLUSTER, or delete this market with `serve --reset-market`.",
  );
}
