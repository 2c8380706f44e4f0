import type { Series } from "./series.ts";
import { rangePosition } from "./stochastic.ts";

/**
 * Williams %R, −100..0: how far the close is below the highest high of the last `period` bars, in
 * percent of their range; no value where the range is zero. First value at bar `period - 1`.
 */
export function williamsR(high: Series, low: Series, close: Series, period: number): Series {
  return rangePosition(high, low, close, period).map((position) => position - 100);
}
