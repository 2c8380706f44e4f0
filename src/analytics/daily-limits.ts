import type { Country } from "#domain/country.ts";
import { type Instrument, isShare } from "#domain/instrument.ts";
import { threshold } from "./plausibility.ts";

/** The exchange's rules apply to an instrument of this kind. */
export type Limited = Pick<Instrument, "country" | "exchange" | "assetType">;

/**
 * Tokyo's daily limits in yen by the price before: below 100 yen 30, below 200 yen 50, and so on. Source: JPX,
 * "Daily price limits".
 */
const TOKYO_LIMITS: readonly (readonly [below: number, limit: number])[] = [
  [100, 30],
  [200, 50],
  [500, 80],
  [700, 100],
  [1_000, 150],
  [1_500, 300],
  [2_000, 400],
  [3_000, 500],
  [5_000, 700],
  [7_000, 1_000],
  [10_000, 1_500],
  [15_000, 3_000],
  [20_000, 4_000],
  [30_000, 5_000],
  [50_000, 7_000],
  [70_000, 10_000],
  [100_000, 15_000],
  [150_000, 30_000],
  [200_000, 40_000],
  [300_000, 50_000],
  [500_000, 70_000],
  [700_000, 100_000],
  [1_000_000, 150_000],
  [1_500_000, 300_000],
  [2_000_000, 400_000],
  [3_000_000, 500_000],
  [5_000_000, 700_000],
  [7_000_000, 1_000_000],
  [10_000_000, 1_500_000],
  [15_000_000, 3_000_000],
  [20_000_000, 4_000_000],
  [30_000_000, 5_000_000],
  [50_000_000, 7_000_000],
  [Infinity, 10_000_000],
];

/**
 * The part of the price before that an instrument can rise or fall in one session, such as 0.07; null
 * where the exchange has no limit. `rawPrice` is the price before as it was traded, not adjusted for later
 * splits; null if it is unknown.
 */
export function dailyLimit(
  instrument: Limited,
  price: number,
  rawPrice: number | null,
): number | null {
  if (!isShare(instrument.assetType)) return null;
  const limits: Record<Country, () => number | null> = {
    US: () => null,
    JP: () =>
      rawPrice === null
        ? Math.max(tokyoLimit(price), threshold("tokyoUnknownSplits"))
        : tokyoLimit(rawPrice),
    VN: () => vietnamLimit(instrument.exchange),
  };
  return limits[instrument.country]();
}

/** The daily limit in Tokyo, as a part of the price. No share trades below one yen. */
function tokyoLimit(price: number): number {
  return tokyoLimitInYen(price) / Math.max(price, 1);
}

/** The yen that a share in Tokyo can rise or fall from that price in one session. */
export function tokyoLimitInYen(price: number): number {
  return TOKYO_LIMITS.find(([below]) => price < below)?.[1] ?? 0;
}

function vietnamLimit(exchange: string | null): number {
  if (exchange === "HOSE") return threshold("hoChiMinhCity");
  if (exchange === "HNX") return threshold("haNoi");
  return 2 * threshold("upcom");
}
