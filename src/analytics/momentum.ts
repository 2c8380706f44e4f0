import { emptySeries, type Series } from "./series.ts";

/**
 * Momentum as a difference, value − value `period` bars before, in the unit of the values (not the
 * ratio that also goes by this name); first value at bar `period`.
 */
export function momentum(values: Series, period: number): Series {
  const out = emptySeries(values.length);
  for (let i = period; i < values.length; i++) out[i] = values[i]! - values[i - period]!;
  return out;
}
