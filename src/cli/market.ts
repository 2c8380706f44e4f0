import type { MarketOrigin } from "#domain/records.ts";
import { claimMarket, findOrigin } from "#ingest/ingest.ts";
import { loadSample } from "#ingest/sample-load.ts";
import type { MarketStore } from "#store/index.ts";

/**
 * Prepares the market for a command: an empty file gets the wanted origin, and a sample market gets the
 * records that are due. Returns the origin of the file.
 */
export function readyMarket(market: MarketStore, wanted: MarketOrigin, now: number): MarketOrigin {
  const origin = findOrigin(market) ?? wanted;
  if (origin === "sample") loadSample({ market, now });
  else claimMarket(market, origin);
  return origin;
}
