import { expect, test } from "bun:test";
import { distributionOf } from "#http/distribution.ts";

test("the range is from the 2nd to the 98th percentile, and the ends have what is beyond", () => {
  // 0 to 100: by linear interpolation the percentiles are the numbers themselves.
  const figures = Array.from({ length: 101 }, (_, i) => i).reverse();
  const { low, high, counts } = distributionOf(figures, "USD");
  expect([low, high]).toEqual([2, 98]);
  expect(counts).toHaveLength(24);
  // Each of the 24 ranges is 4 wide: 2 to 5 with 0 and 1 below; 94 to 97 with 98, 99 and 100 beyond.
  expect(counts[0]).toBe(6);
  expect(counts[1]).toBe(4);
  expect(counts[23]).toBe(7);
  expect(counts.reduce((sum, count) => sum + count)).toBe(101);
});

test("equal figures and no figures have a range of one point", () => {
  expect(distributionOf([5, 5, 5], "JPY")).toMatchObject({ low: 5, high: 5, currency: "JPY" });
  expect(distributionOf([5, 5, 5], "JPY").counts[0]).toBe(3);
  expect(distributionOf([], "USD")).toMatchObject({ low: 0, high: 0 });
});
