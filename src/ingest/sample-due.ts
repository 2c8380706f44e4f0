import { sampleStamp } from "#sample/releases.ts";
import { SAMPLE } from "#sample/stamp.ts";
import type { MarketStore } from "#store/index.ts";
import { refuseOtherOrigin } from "./ingest.ts";

/**
 * True if the sample market was not loaded for `now`, UTC milliseconds.
 *
 * @throws BourseError if the market file has another origin
 */
export function isSampleDue(market: MarketStore, now: number): boolean {
  refuseOtherOrigin(market, SAMPLE);
  return market.findSetting(SAMPLE) !== sampleStamp(now);
}
