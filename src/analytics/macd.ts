import { ema } from "./moving-averages.ts";
import type { Series } from "./series.ts";

/** The MACD line and the signal line that follows it, in the unit of the price. */
export interface Macd {
  readonly level: Series;
  readonly signal: Series;
}

/**
 * Moving Average Convergence/Divergence after Appel: level = EMA(`fast`) − EMA(`slow`), signal = EMA
 * of the level, seeded by the mean of its own first values. The level begins at bar `slow - 1`, the
 * signal `signalPeriod - 1` bars later.
 */
export function macd(close: Series, fast: number, slow: number, signalPeriod: number): Macd {
  const slowAverage = ema(close, slow);
  const level = ema(close, fast).map((average, i) => average - slowAverage[i]!);
  return { level, signal: ema(level, signalPeriod) };
}
