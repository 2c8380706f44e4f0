import { sma } from "./moving-averages.ts";
import { emptySeries, trueRange, type Series } from "./series.ts";

/**
 * Ultimate Oscillator (Larry Williams, 1985), 0 to 100: buying pressure (close − the lower of low and
 * previous close) divided by the true range, over three periods weighted 4 : 2 : 1. NaN if a period
 * has no range. The first value is at bar `long`, because the first bar has no previous close.
 */
export function ultimateOscillator(
  high: Series,
  low: Series,
  close: Series,
  short: number,
  middle: number,
  long: number,
): Series {
  const range = trueRange(high, low, close);
  const pressure = emptySeries(close.length);
  for (let i = 1; i < close.length; i++) {
    pressure[i] = close[i]! - Math.min(low[i]!, close[i - 1]!);
  }
  const share = (period: number) => {
    const ranges = sma(range, period);
    return sma(pressure, period).map((value, i) => value / ranges[i]!);
  };
  const middleShare = share(middle);
  const longShare = share(long);
  return share(short).map(
    (value, i) => (100 * (4 * value + 2 * middleShare[i]! + longShare[i]!)) / 7,
  );
}
