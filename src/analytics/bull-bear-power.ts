import { ema } from "./moving-averages.ts";
import type { Series } from "./series.ts";

/** Elder's two powers, in the unit of the price. */
export interface BullBearPower {
  readonly bull: Series;
  readonly bear: Series;
}

/**
 * Bull and Bear Power after Elder ("Elder-Ray"): the high and the low less the EMA of the close.
 * First value at bar `period - 1`.
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
