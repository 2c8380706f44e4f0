import type { Country } from "#domain/country.ts";
import { curveMaturity, type MacroSeries } from "#domain/macro.ts";
import { createSeries, type Observation } from "./series.ts";

/** Two years of days: today's yield has the yields of a month and a year ago beside it. */
const KEPT = 520;

/** The number of calendar years that are read, so that two whole years are known in January. */
export const CURVE_YEARS = 3;

/** The yields of each maturity, by its length in months: 1.5, 120. */
export type Curve = ReadonlyMap<number, readonly Observation[]>;

/**
 * The series of a government's yield curve, one for each maturity that has current yields, the shortest
 * first: `yield-curve-10y`, in percent, of the last 520 days. A day without a yield is left out.
 */
export function curveSeries(
  country: Country,
  curve: Curve,
  decimals: number,
  now: number,
): MacroSeries[] {
  return [...curve]
    .sort(([a], [b]) => a - b)
    .flatMap(([months, observations]) => {
      const spec = { ...curveMaturity(months), decimals, transform: "level", kept: KEPT } as const;
      return createSeries(country, spec, observations, now) ?? [];
    });
}
