import { mean, rolling, type Series } from "./series.ts";

/** The typical price (high + low + close) / 3 of each bar. */
export function typicalPrice(high: Series, low: Series, close: Series): Series {
  return close.map((value, i) => (high[i]! + low[i]! + value) / 3);
}

/**
 * Commodity Channel Index after Lambert: the distance of the value from its simple average, in units
 * of 0.015 mean absolute deviations from that average. Lambert takes it of the typical price, the
 * ratings of the close. No value where all values of the window are equal. First value at bar
 * `period - 1`.
 */
export function cci(values: Series, period: number): Series {
  return rolling(values.length, period, (from, to) => {
    const average = mean(values, from, to);
    let deviation = 0;
    for (let i = from; i < to; i++) deviation += Math.abs(values[i]! - average);
    return (values[to - 1]! - average) / ((0.015 * deviation) / period);
  });
}
