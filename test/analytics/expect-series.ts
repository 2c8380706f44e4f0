import { expect } from "bun:test";
import type { Series } from "#analytics/series.ts";

/**
 * Expects a series of the same length with NaN at the same bars and values within `tolerance`. (Bun's
 * `toEqual` treats NaN in a Float64Array as unequal to itself.)
 */
export function expectSeries(
  actual: Series,
  expected: ArrayLike<number>,
  tolerance: number = 1e-12,
): void {
  expect(actual.length).toBe(expected.length);
  const differing = Array.from(expected, (wanted, bar) => ({
    bar,
    wanted,
    got: actual[bar] ?? NaN,
  }))
    .filter(({ wanted, got }) => !(Math.abs(got - wanted) <= tolerance || Object.is(got, wanted)))
    .slice(0, 3);
  expect(differing).toEqual([]);
}
