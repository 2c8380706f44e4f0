import { mean, rolling, type Series } from "./series.ts";

/** The typical price (high + low + close) / 3 of each bar. */
export function typicalPrice(high: Series, low: Series, close: Series): Series {
  return close.map((value, i) => (high[i]! + low[i]! + value) / 3);
}

/**
 * Commodity Channel Index (Lambert): the distance of the value from its simple average, divided by
 * 0.015 × the mean absolute deviation from that average. Lambert applies it to the typical price, the
 * ratings apply it to the close. NaN if all values of the window are equal. The first value is at bar
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
