import { emptySeries, highest, lowest, type Series } from "./series.ts";

/** The lines of an Ichimoku chart, in the unit of the price. */
export interface Ichimoku {
  /** Tenkan-sen. */
  readonly conversion: Series;
  /** Kijun-sen. */
  readonly base: Series;
  /** Senkou span A, computed `displacement` bars before the bar at which it is drawn. */
  readonly lead1: Series;
  /** Senkou span B, computed `displacement` bars before the bar at which it is drawn. */
  readonly lead2: Series;
}

/**
 * Ichimoku Kinko Hyo (Hosoda). Conversion, base and lead 2 are each the midpoint between the highest
 * high and the lowest low of their period; lead 1 is the mean of conversion and base. With
 * (9, 26, 52, 26), conversion begins at bar 8, base at bar 25, lead 1 at bar 51 and lead 2 at bar 77.
 * (Charts that count the current bar draw the leads one bar earlier.)
 */
export function ichimoku(
  high: Series,
  low: Series,
  conversionPeriod: number,
  basePeriod: number,
  lead2Period: number,
  displacement: number,
): Ichimoku {
  const conversion = midpoint(high, low, conversionPeriod);
  const base = midpoint(high, low, basePeriod);
  const lead1 = conversion.map((value, i) => (value + base[i]!) / 2);
  return {
    conversion,
    base,
    lead1: delayed(lead1, displacement),
    lead2: delayed(midpoint(high, low, lead2Period), displacement),
  };
}

function midpoint(high: Series, low: Series, period: number): Series {
  const bottom = lowest(low, period);
  return highest(high, period).map((top, i) => (top + bottom[i]!) / 2);
}

function delayed(values: Series, bars: number): Series {
  const out = emptySeries(values.length);
  for (let i = bars; i < values.length; i++) out[i] = values[i - bars]!;
  return out;
}
