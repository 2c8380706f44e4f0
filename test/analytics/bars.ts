import type { BarSeries } from "#domain/daily-bar.ts";

/** One bar as tests write it: high, low, close, and a volume of 1 unless told. */
export type BarRow = readonly [high: number, low: number, close: number, volume?: number];

/** Bars out of rows, oldest first; every bar opens where the one before closed. */
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

/** The same bar again and again: no range, no move. */
export function flatBars(count: number, price: number): BarSeries {
  return barsOf(Array.from({ length: count }, () => [price, price, price]));
}

/** The bars from `from` up to but without `to`. */
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

/** A column written out. */
export function column(...values: number[]): Float64Array {
  return Float64Array.from(values);
}
