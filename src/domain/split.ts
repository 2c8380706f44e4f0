import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { DateText, type Static } from "./schema.ts";

/** For what prices are adjusted: splits, nothing, or splits and dividends. */
export const ADJUSTMENTS = ["split", "none", "total"] as const;
export type Adjustment = (typeof ADJUSTMENTS)[number];

const Shares = Type.Number({ exclusiveMinimum: 0, maximum: 1e9 });

/**
 * A split, a reverse split or a stock dividend: `numerator` new shares for `denominator` old ones. Or a spin-off:
 * see `changesShares`. Prices are in new shares from the session of `exDate` on.
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

/** The number of new shares for one old share. */
export function ratioOf({
  numerator,
  denominator,
}: Pick<Split, "numerator" | "denominator">): number {
  return numerator / denominator;
}

/**
 * The number of new shares for one old share by the splits after one day and up to another (both
 * `YYYY-MM-DD`); 1 without such splits.
 */
export function splitRatio(splits: readonly Split[], after: string, through: string): number {
  let ratio = 1;
  for (const split of splits)
    if (split.exDate > after && split.exDate <= through) ratio *= ratioOf(split);
  return ratio;
}

/** The largest denominator of a split: 3 for 2, 13 for 10, 21 for 20. */
const MAX_DENOMINATOR = 20;
/** The largest stock dividend of any whole percent. */
const MAX_STOCK_DIVIDEND = 0.1;

/**
 * False for a spin-off. US price histories list it among the splits: its ratio, such as 1281 for 1000, is the fall of
 * the price. The number of shares and earnings per share stay the same. A split has a simple ratio, a ratio below 1,
 * or a stock dividend of a whole percent. In other countries every listed split changes the number of shares: banks
 * in Viet Nam pay share dividends of 27.6 %.
 */
export function changesShares(split: Split, country: string): boolean {
  if (country !== "US") return true;
  const ratio = ratioOf(split);
  const isWhole = (shares: number) => Math.abs(shares - Math.round(shares)) < 1e-6 * shares;
  if (ratio < 1 || (ratio < 1 + MAX_STOCK_DIVIDEND && isWhole(100 * ratio))) return true;
  return Array.from({ length: MAX_DENOMINATOR }, (_, i) => (i + 1) * ratio).some(isWhole);
}

/** A price that differs by a larger factor from a close of a few days before is in other shares. */
const LARGEST_STEP = 1.8;

/**
 * True if a split that is not applied yet lies between a quote and a close of the days before, so that they
 * are in different shares. The quote's own previous close is compared if it has one.
 */
export function isInOtherShares(
  { price, previousClose }: { readonly price: number; readonly previousClose: number | null },
  close: number,
): boolean {
  return Math.abs(Math.log((previousClose ?? price) / close)) >= Math.log(LARGEST_STEP);
}
