import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { DateText, type Static } from "./schema.ts";

const Shares = Type.Number({ exclusiveMinimum: 0, maximum: 1e9 });

/**
 * A split, a reverse split or a stock dividend: `numerator` new shares for `denominator` old ones.
 * Prices are in new shares from the session of `exDate` on.
 */
export const Split = Type.Object({ exDate: DateText, numerator: Shares, denominator: Shares });
export type Split = Static<typeof Split>;

/**
 * All splits of one instrument, oldest first. An empty list means that it never split; without a record
 * its splits are unknown.
 */
export const SplitHistory = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  splits: Type.Array(Split),
});
export type SplitHistory = Static<typeof SplitHistory>;

/**
 * The number of new shares for one old share by the splits after one day and up to another (both
 * `YYYY-MM-DD`); 1 without such splits.
 */
export function splitRatio(splits: readonly Split[], after: string, through: string): number {
  let ratio = 1;
  for (const { exDate, numerator, denominator } of splits)
    if (exDate > after && exDate <= through) ratio *= numerator / denominator;
  return ratio;
}
