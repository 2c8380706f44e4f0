import { emptySeries, mean, rolling, type Series } from "./series.ts";

/** Simple moving average; first value at bar `period - 1`. */
export function sma(values: Series, period: number): Series {
  return rolling(values.length, period, (from, to) => mean(values, from, to));
}

/**
 * Exponential moving average, α = 2 / (period + 1), seeded with the simple mean of the first
 * `period` values, where it begins. (Seeding with the first value alone is 1–3 % off on young
 * listings.)
 */
export function ema(values: Series, period: number): Series {
  return smoothed(values, period, 2 / (period + 1));
}

/**
 * Wilder's moving average (RMA, SMMA): an exponential average with α = 1 / period, seeded with the
 * simple mean of the first `period` values, where it begins.
 */
export function rma(values: Series, period: number): Series {
  return smoothed(values, period, 1 / period);
}

/** Leading bars without a value are passed over, so that an average of an indicator can be taken. */
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
 * Linearly weighted moving average: weight 1 for the oldest value of the window, `period` for the
 * latest; first value at bar `period - 1`.
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
 * Hull moving average: WMA over √period of (2 · WMA(period / 2) − WMA(period)), both periods rounded
 * down; first value at bar `period + ⌊√period⌋ - 2`.
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
 * Volume-weighted moving average; first value at bar `period - 1`. None where the window's volume is
 * zero or any bar of it has no volume.
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
