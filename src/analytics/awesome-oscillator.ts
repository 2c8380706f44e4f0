import { sma } from "./moving-averages.ts";
import type { Series } from "./series.ts";

/**
 * Awesome Oscillator after Williams: SMA(`fast`) − SMA(`slow`) of the middle of each bar,
 * (high + low) / 2, in the unit of the price. First value at bar `slow - 1`.
 */
export function awesomeOscillator(high: Series, low: Series, fast: number, slow: number): Series {
  const middle = high.map((value, i) => (value + low[i]!) / 2);
  const slowAverage = sma(middle, slow);
  return sma(middle, fast).map((average, i) => average - slowAverage[i]!);
}
