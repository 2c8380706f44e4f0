/**
 * A column of values beside the bars: as long as they are, oldest first. NaN marks "no value": too
 * few bars have closed, or the formula has none there (a zero range). NaN never leaves the analytics
 * as a single value; it leaves as null.
 */
export type Series = Float64Array;

/** A series without any value yet. */
export function emptySeries(length: number): Series {
  return new Float64Array(length).fill(NaN);
}

/** The value `bars` bars before the last one (0 is the last), NaN before the first bar. */
export function barsAgo(series: Series, bars: number): number {
  return series.at(-1 - bars) ?? NaN;
}

/** One value per window of `period` bars, `from` inclusive and `to` exclusive, at the window's last bar. */
export function rolling(
  length: number,
  period: number,
  valueOf: (from: number, to: number) => number,
): Series {
  const out = emptySeries(length);
  for (let to = period; to <= length; to++) out[to - 1] = valueOf(to - period, to);
  return out;
}

/** The mean of the values from `from` up to but without `to`; the mean of equal values is that value exactly. */
export function mean(values: Series, from: number, to: number): number {
  // Adding up distances from one of the values keeps rounding out of a flat stretch, where it would
  // pass for a deviation (CCI) or for a price above its average (the votes).
  const anchor = values[from]!;
  let distance = 0;
  for (let i = from; i < to; i++) distance += values[i]! - anchor;
  return anchor + distance / (to - from);
}

/** The highest value of the last `period` bars; first value at bar `period - 1`. */
export function highest(values: Series, period: number): Series {
  return rolling(values.length, period, (from, to) => {
    let high = values[from]!;
    for (let i = from + 1; i < to; i++) high = Math.max(high, values[i]!);
    return high;
  });
}

/** The lowest value of the last `period` bars; first value at bar `period - 1`. */
export function lowest(values: Series, period: number): Series {
  return rolling(values.length, period, (from, to) => {
    let low = values[from]!;
    for (let i = from + 1; i < to; i++) low = Math.min(low, values[i]!);
    return low;
  });
}

/**
 * Wilder's true range: the bar's own range, stretched to the previous close. The first bar has none,
 * since it has no previous close.
 */
export function trueRange(high: Series, low: Series, close: Series): Series {
  const out = emptySeries(close.length);
  for (let i = 1; i < close.length; i++) {
    const previous = close[i - 1]!;
    out[i] = Math.max(high[i]!, previous) - Math.min(low[i]!, previous);
  }
  return out;
}
