import { emptySeries, type Series } from "./series.ts";

/**
 * Momentum: the value minus the value `period` bars earlier, in the unit of the values. (Another
 * indicator of this name is a ratio.) The first value is at bar `period`.
 */
export function momentum(values: Series, period: number): Series {
  const out = emptySeries(values.length);
  for (let i = period; i < values.length; i++) out[i] = values[i]! - values[i - period]!;
  return out;
}
