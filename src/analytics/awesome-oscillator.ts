import { sma } from "./moving-averages.ts";
import type { Series } from "./series.ts";

/**
 * Awesome Oscillator (Bill Williams): SMA(`fast`) − SMA(`slow`) of the median price
 * (high + low) / 2, in the unit of the price. The first value is at bar `slow - 1`.
 */
export function awesomeOscillator(high: Series, low: Series, fast: number, slow: number): Series {
  const median = high.map((value, i) => (value + low[i]!) / 2);
  const slowAverage = sma(median, slow);
  return sma(median, fast).map((average, i) => average - slowAverage[i]!);
}
