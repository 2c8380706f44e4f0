import { ema } from "./moving-averages.ts";
import type { Series } from "./series.ts";

/** Elder's bull power and bear power, in the unit of the price. */
interface BullBearPower {
  readonly bull: Series;
  readonly bear: Series;
}

/**
 * Bull and Bear Power (Elder, "Elder-Ray"): the high and the low, each minus the EMA of the close.
 * The first value is at bar `period - 1`.
 */
export function bullBearPower(
  high: Series,
  low: Series,
  close: Series,
  period: number,
): BullBearPower {
  const average = ema(close, period);
  return {
    bull: high.map((value, i) => value - average[i]!),
    bear: low.map((value, i) => value - average[i]!),
  };
}
