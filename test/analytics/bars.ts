import type { BarSeries } from "#domain/daily-bar.ts";

/** One bar as tests write it: high, low, close, and a volume, 1 by default. */
export type BarRow = readonly [high: number, low: number, close: number, volume?: number];

/** Bars of rows, oldest first. Every bar opens at the previous close. */
export function barsOf(rows: readonly BarRow[]): BarSeries {
  return {
    dates: rows.map((_, i) => `day ${i}`),
    open: Float64Array.from(rows, (row, i) => rows[i - 1]?.[2] ?? row[2]),
    high: Float64Array.from(rows, ([high]) => high),
    low: Float64Array.from(rows, ([, low]) => low),
    close: Float64Array.from(rows, ([, , close]) => close),
    volume: Float64Array.from(rows, ([, , , volume = 1]) => volume),
  };
}

/** Identical bars without range and movement. */
export function flatBars(count: number, price: number): BarSeries {
  return barsOf(Array.from({ length: count }, () => [price, price, price]));
}

/** The bars from `from` to `to` (exclusive). */
export function sliceBars(bars: BarSeries, from: number, to: number): BarSeries {
  return {
    dates: bars.dates.slice(from, to),
    open: bars.open.slice(from, to),
    high: bars.high.slice(from, to),
    low: bars.low.slice(from, to),
    close: bars.close.slice(from, to),
    volume: bars.volume.slice(from, to),
  };
}

/** A series of the given values. */
export function column(...values: number[]): Float64Array {
  return Float64Array.from(values);
}
