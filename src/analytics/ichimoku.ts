import { emptySeries, highest, lowest, type Series } from "./series.ts";

/** The lines of an Ichimoku chart, in the unit of the price. */
export interface Ichimoku {
  /** Tenkan-sen. */
  readonly conversion: Series;
  /** Kijun-sen. */
  readonly base: Series;
  /** Senkou span A, computed `displacement` bars before the bar where it stands. */
  readonly lead1: Series;
  /** Senkou span B, computed `displacement` bars before the bar where it stands. */
  readonly lead2: Series;
}

/**
 * Ichimoku Kinko Hyo after Hosoda: every line is the middle between the highest high and the lowest
 * low of its period, lead 1 the mean of conversion and base. With (9, 26, 52, 26) the lines begin at
 * bars 8, 25, 51 and 77. (Charts that count the current bar draw the cloud one bar earlier.)
 */
export function ichimoku(
  high: Series,
  low: Series,
  conversionPeriod: number,
  basePeriod: number,
  lead2Period: number,
  displacement: number,
): Ichimoku {
  const conversion = middle(high, low, conversionPeriod);
  const base = middle(high, low, basePeriod);
  const lead1 = conversion.map((value, i) => (value + base[i]!) / 2);
  return {
    conversion,
    base,
    lead1: delayed(lead1, displacement),
    lead2: delayed(middle(high, low, lead2Period), displacement),
  };
}

function middle(high: Series, low: Series, period: number): Series {
  const bottom = lowest(low, period);
  return highest(high, period).map((top, i) => (top + bottom[i]!) / 2);
}

function delayed(values: Series, bars: number): Series {
  const out = emptySeries(values.length);
  for (let i = bars; i < values.length; i++) out[i] = values[i - bars]!;
  return out;
}
