/**
 * One value per bar, oldest first. NaN means no value: there are too few bars so far, or the formula has
 * no result (a zero range). Functions that return a single value return null instead of NaN.
 */
export type Series = Float64Array;

/** A series of NaN. */
export function emptySeries(length: number): Series {
  return new Float64Array(length).fill(NaN);
}

/** The value `bars` bars before the last bar (0 is the last bar); NaN before the first bar. */
export function barsAgo(series: Series, bars: number): number {
  return series.at(-1 - bars) ?? NaN;
}

/** One value for each window of `period` bars (`to` is exclusive), placed at the window's last bar. */
export function rolling(
  length: number,
  period: number,
  valueOf: (from: number, to: number) => number,
): Series {
  const out = emptySeries(length);
  for (let to = period; to <= length; to++) out[to - 1] = valueOf(to - period, to);
  return out;
}

/** The mean of the values from `from` to `to` (exclusive). The mean of equal values is exact. */
export function mean(values: Series, from: number, to: number): number {
  // Summing differences from one of the values avoids rounding errors if all are equal. Such an error
  // would look like a deviation (CCI) or like a price above its average (the votes).
  const anchor = values[from]!;
  let distance = 0;
  for (let i = from; i < to; i++) distance += values[i]! - anchor;
  return anchor + distance / (to - from);
}

/** The highest value of the last `period` bars. The first value is at bar `period - 1`. */
export function highest(values: Series, period: number): Series {
  return rolling(values.length, period, (from, to) => {
    let high = values[from]!;
    for (let i = from + 1; i < to; i++) high = Math.max(high, values[i]!);
    return high;
  });
}

/** The lowest value of the last `period` bars. The first value is at bar `period - 1`. */
export function lowest(values: Series, period: number): Series {
  return rolling(values.length, period, (from, to) => {
    let low = values[from]!;
    for (let i = from + 1; i < to; i++) low = Math.min(low, values[i]!);
    return low;
  });
}

/**
 * Wilder's true range: the bar's range, extended to the previous close. It is NaN at the first bar,
 * which has no previous close.
 */
export function trueRange(high: Series, low: Series, close: Series): Series {
  const out = emptySeries(close.length);
  for (let i = 1; i < close.length; i++) {
    const previous = close[i - 1]!;
    out[i] = Math.max(high[i]!, previous) - Math.min(low[i]!, previous);
  }
  return out;
}
