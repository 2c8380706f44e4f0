import { rma } from "./moving-averages.ts";
import { emptySeries, trueRange, type Series } from "./series.ts";

/** Wilder's directional indicators, each from 0 to 100. */
interface DirectionalMovement {
  readonly plusDi: Series;
  readonly minusDi: Series;
  readonly adx: Series;
}

/**
 * Directional Movement (Wilder, 1978). +DI and −DI are the Wilder averages of the directional moves
 * as a percentage of the Wilder average of the true range. ADX is the Wilder average over `adxPeriod`
 * of 100 · |+DI − −DI| / (+DI + −DI), which is 0 if +DI and −DI are both 0. The first bar has neither a
 * move nor a true range, so +DI and −DI begin at bar `period`, ADX `adxPeriod - 1` bars later. NaN
 * until a bar has a range.
 */
export function directionalMovement(
  high: Series,
  low: Series,
  close: Series,
  period: number,
  adxPeriod: number,
): DirectionalMovement {
  const plusMove = emptySeries(close.length);
  const minusMove = emptySeries(close.length);
  for (let i = 1; i < close.length; i++) {
    const up = high[i]! - high[i - 1]!;
    const down = low[i - 1]! - low[i]!;
    plusMove[i] = up > down ? Math.max(up, 0) : 0;
    minusMove[i] = down > up ? Math.max(down, 0) : 0;
  }
  const range = rma(trueRange(high, low, close), period);
  const plusDi = rma(plusMove, period).map((move, i) => (100 * move) / range[i]!);
  const minusDi = rma(minusMove, period).map((move, i) => (100 * move) / range[i]!);
  const dx = plusDi.map((plus, i) => {
    const minus = minusDi[i]!;
    return plus + minus === 0 ? 0 : (100 * Math.abs(plus - minus)) / (plus + minus);
  });
  return { plusDi, minusDi, adx: rma(dx, adxPeriod) };
}
