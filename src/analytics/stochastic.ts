import { sma } from "./moving-averages.ts";
import { highest, lowest, type Series } from "./series.ts";

/** The two lines of a stochastic oscillator, 0 to 100. */
export interface Stochastic {
  readonly k: Series;
  readonly d: Series;
}

/**
 * The position of the close in the range of the last `period` bars, in percent: 0 at the lowest low,
 * 100 at the highest high. NaN if the range is zero. The first value is at bar `period - 1`.
 */
export function rangePosition(high: Series, low: Series, close: Series, period: number): Series {
  const top = highest(high, period);
  const bottom = lowest(low, period);
  return close.map((value, i) => (100 * (value - bottom[i]!)) / (top[i]! - bottom[i]!));
}

/**
 * Slow stochastic (Lane): %K = SMA(`smoothK`) of `rangePosition`, %D = SMA(`smoothD`) of %K. A bar with
 * a zero range makes every average that includes it NaN. With (14, 3, 3), %K begins at bar 15 and %D
 * at bar 17.
 */
export function stochastic(
  high: Series,
  low: Series,
  close: Series,
  period: number,
  smoothK: number,
  smoothD: number,
): Stochastic {
  const k = sma(rangePosition(high, low, close, period), smoothK);
  return { k, d: sma(k, smoothD) };
}

/**
 * Stochastic RSI (Chande and Kroll): the slow stochastic of an RSI series instead of the price. NaN if
 * the RSI did not change. With RSI (14) and (14, 3, 3), %K begins at bar 29 and %D at bar 31.
 */
export function stochasticRsi(
  strength: Series,
  period: number,
  smoothK: number,
  smoothD: number,
): Stochastic {
  return stochastic(strength, strength, strength, period, smoothK, smoothD);
}
