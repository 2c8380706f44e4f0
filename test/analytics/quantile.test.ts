import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isWithin, median, positiveUpTo, quantile, withinPlusMinus } from "#analytics/quantile.ts";

const ascending = fc
  .array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 })
  .map((values) => Float64Array.from(values).sort());

describe("quantile", () => {
  test("R's quantile(1:8, c(.25, .5, .75)) is 2.75, 4.5, 6.25", () => {
    const values = [1, 2, 3, 4, 5, 6, 7, 8];
    expect([0.25, 0.5, 0.75].map((p) => quantile(values, p))).toEqual([2.75, 4.5, 6.25]);
  });

  test("it is linear between two values: h = 3 · 0.4 = 1.2 is 0.2 of the way from 20 to 40", () => {
    expect(quantile([10, 20, 40, 80], 0.4)).toBeCloseTo(24, 12);
  });

  test("0 and 1 are the smallest and the largest value", () => {
    expect([quantile([3, 5, 9], 0), quantile([3, 5, 9], 1)]).toEqual([3, 9]);
  });

  test("every quantile of one value is that value; without values it is null", () => {
    expect(quantile([7], 0.25)).toBe(7);
    expect(quantile([], 0.25)).toBeNull();
    expect(median([])).toBeNull();
  });

  test("the median of an even count is the mean of the two in the middle", () => {
    expect(median([1, 2, 4, 100])).toBe(3);
  });

  test("p25 ≤ median ≤ p75, all within the values", () => {
    fc.assert(
      fc.property(ascending, (values) => {
        const found = [0, 0.25, 0.5, 0.75, 1].map((p) => quantile(values, p) ?? NaN);
        expect(found).toEqual(found.toSorted((a, b) => a - b));
      }),
    );
  });
});

describe("bounds", () => {
  test("a ratio must be above zero and at most its limit", () => {
    const bounds = positiveUpTo(1_000);
    expect([-1, 0, 1e-300, 1_000, 1_000.01].map((value) => isWithin(value, bounds))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
  });

  test("a growth can equal its limit on both sides", () => {
    const bounds = withinPlusMinus(1_000);
    expect([-1_000.01, -1_000, 0, 1_000, 1_000.01].map((value) => isWithin(value, bounds))).toEqual(
      [false, true, true, true, false],
    );
  });

  test("null, NaN and infinity are never within bounds", () => {
    const bounds = withinPlusMinus(Infinity);
    expect([null, NaN, Infinity].map((value) => isWithin(value, bounds))).toEqual([
      false,
      false,
      false,
    ]);
  });
});
