import { ema } from "./moving-averages.ts";
import type { Series } from "./series.ts";

/** The MACD line and its signal line, in the unit of the price. */
interface Macd {
  readonly level: Series;
  readonly signal: Series;
}

/**
 * Moving Average Convergence/Divergence (Appel): level = EMA(`fast`) − EMA(`slow`), signal =
 * EMA(`signalPeriod`) of the level, seeded with the mean of the first levels. The level begins at bar
 * `slow - 1`, the signal `signalPeriod - 1` bars later.
 */
export function macd(close: Series, fast: number, slow: number, signalPeriod: number): Macd {
  const slowAverage = ema(close, slow);
  const level = ema(close, fast).map((average, i) => average - slowAverage[i]!);
  return { level, signal: ema(level, signalPeriod) };
}
