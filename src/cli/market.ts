import type { MarketOrigin } from "#domain/records.ts";
import { claimMarket, findOrigin, loadSample } from "#ingest/ingest.ts";
import type { MarketStore } from "#store/index.ts";

/**
 * Readies the market for a command beside the service: an empty file becomes what is wanted, and a
 * sample market gets the records that are due. Returns what the file holds.
 */
export function readyMarket(market: MarketStore, wanted: MarketOrigin, now: number): MarketOrigin {
  const origin = findOrigin(market) ?? wanted;
  if (origin === "sample") loadSample({ market, now });
  else claimMarket(market, origin);
  return origin;
}
