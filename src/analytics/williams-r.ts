import type { Series } from "./series.ts";
import { rangePosition } from "./stochastic.ts";

/**
 * Williams %R, −100 to 0: the close minus the highest high of the last `period` bars, as a percentage
 * of their range. NaN if the range is zero. The first value is at bar `period - 1`.
 */
export function williamsR(high: Series, low: Series, close: Series, period: number): Series {
  return rangePosition(high, low, close, period).map((position) => position - 100);
}
