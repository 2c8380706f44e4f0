import { emptySeries, mean, rolling, type Series } from "./series.ts";

/** Simple moving average. The first value is at bar `period - 1`. */
export function sma(values: Series, period: number): Series {
  return rolling(values.length, period, (from, to) => mean(values, from, to));
}

/**
 * Exponential moving average with α = 2 / (period + 1), seeded with the simple mean of the first
 * `period` values. The first value is at bar `period - 1`. (A seed of the first value alone is 1–3 % off
 * for young listings.)
 */
export function ema(values: Series, period: number): Series {
  return smoothed(values, period, 2 / (period + 1));
}

/**
 * Wilder's moving average (RMA, SMMA): an exponential average with α = 1 / period, seeded with the
 * simple mean of the first `period` values. The first value is at bar `period - 1`.
 */
export function rma(values: Series, period: number): Series {
  return smoothed(values, period, 1 / period);
}

/** Skips leading NaN, so that an indicator can be averaged too. */
function smoothed(values: Series, period: number, alpha: number): Series {
  const out = emptySeries(values.length);
  const first = values.findIndex((value) => !Number.isNaN(value));
  if (first === -1 || first + period > values.length) return out;
  let average = mean(values, first, first + period);
  out[first + period - 1] = average;
  for (let i = first + period; i < values.length; i++) {
    average += alpha * (values[i]! - average);
    out[i] = average;
  }
  return out;
}

/**
 * Linearly weighted moving average: the oldest value of the window has weight 1, the latest `period`.
 * The first value is at bar `period - 1`.
 */
export function wma(values: Series, period: number): Series {
  const weights = (period * (period + 1)) / 2;
  return rolling(values.length, period, (from, to) => {
    const anchor = values[from]!;
    let distance = 0;
    for (let i = from; i < to; i++) distance += (i - from + 1) * (values[i]! - anchor);
    return anchor + distance / weights;
  });
}

/**
 * Hull moving average: WMA over √period of (2 · WMA(period / 2) − WMA(period)), with both periods
 * rounded down. The first value is at bar `period + ⌊√period⌋ - 2`.
 */
export function hma(values: Series, period: number): Series {
  const half = wma(values, Math.floor(period / 2));
  const full = wma(values, period);
  return wma(
    half.map((value, i) => 2 * value - full[i]!),
    Math.floor(Math.sqrt(period)),
  );
}

/**
 * Volume-weighted moving average. The first value is at bar `period - 1`. NaN if the window's volume is
 * zero or a bar of the window has no volume.
 */
export function vwma(close: Series, volume: Series, period: number): Series {
  return rolling(close.length, period, (from, to) => {
    const anchor = close[from]!;
    let distance = 0;
    let traded = 0;
    for (let i = from; i < to; i++) {
      distance += (close[i]! - anchor) * volume[i]!;
      traded += volume[i]!;
    }
    return anchor + distance / traded;
  });
}
