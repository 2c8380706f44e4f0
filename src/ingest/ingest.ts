import { unavailable } from "#domain/errors.ts";
import type { MarketOrigin } from "#domain/records.ts";
import { SAMPLE, sampleDay } from "#sample/stamp.ts";
import type { MarketStore } from "#store/index.ts";

/** The setting with the origin of the market file. */
const ORIGIN = "origin";

/** The origin of the market file: sample or live; null while it is empty. */
export function findOrigin(market: MarketStore): MarketOrigin | null {
  return market.findSetting(ORIGIN) as MarketOrigin | null;
}

/**
 * Marks the market file as one of that origin.
 *
 * @throws BourseError if it has the other origin, because sample and live data never mix
 */
export function claimMarket(market: MarketStore, origin: MarketOrigin): void {
  refuseOtherOrigin(market, origin);
  if (findOrigin(market) === null) market.setSetting(ORIGIN, origin);
}

/** @throws BourseError if the market file has the other origin */
export function refuseOtherOrigin(market: MarketStore, origin: MarketOrigin): void {
  const held = findOrigin(market);
  if (held === null || held === origin) return;
  throw unavailable(
    `The data folder holds the ${held} market; name another folder with --data, or start \`serve --market ${origin} --reset-market\` to delete that market.`,
  );
}

/** True if the sample market was ever loaded. */
export function hasSample(market: MarketStore): boolean {
  return market.findSetting(SAMPLE) !== null;
}

/** True if the sample market was not loaded on the UTC date of `now`. Takes a hundredth of the time of `isSampleDue`. */
export function isSampleOld(market: MarketStore, now: number): boolean {
  return market.findSetting(SAMPLE)?.startsWith(sampleDay(now)) !== true;
}

/** Makes the whole sample market due again, so that the next load restores removed records. */
export function forgetSample(market: MarketStore): void {
  const [version] = market.findSetting(SAMPLE)?.split(" ") ?? [];
  if (version !== undefined) market.setSetting(SAMPLE, `${version} `);
}
