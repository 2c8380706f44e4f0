import { mainOscillators } from "#analytics/technicals.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The bars before the first line, after which recursive averages no longer depend on their start. */
export const WARM_UP_BARS = 400;

/** RSI (14) and MACD (12, 26, 9) at each date, oldest first; null where there are too few bars. */
export interface IndicatorLines {
  readonly dates: readonly string[];
  readonly rsi: readonly (number | null)[];
  /** In the unit of the price, like its signal. */
  readonly macd: readonly (number | null)[];
  readonly signal: readonly (number | null)[];
}

/** The lines of the newest `rows` closes of a price history. */
export function indicatorLines(
  { dates = [], closes = [] }: PayloadOf<"get_stock_price_history">,
  rows: number,
): IndicatorLines {
  const { strength, convergence } = mainOscillators(
    Float64Array.from(closes, (close) => close ?? Number.NaN),
  );
  const first = Math.max(0, dates.length - rows);
  const lineOf = (values: Float64Array) =>
    Array.from(values.subarray(first), (value) =>
      Number.isNaN(value) ? null : Number(value.toPrecision(6)),
    );
  return {
    dates: dates.slice(first),
    rsi: lineOf(strength),
    macd: lineOf(convergence.level),
    signal: lineOf(convergence.signal),
  };
}
