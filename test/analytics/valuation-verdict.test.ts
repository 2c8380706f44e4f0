import { expect, test } from "bun:test";
import { verdictByDeviation, verdictByPercentile } from "#analytics/valuation-verdict.ts";

test.each([
  [-3, "Very cheap"],
  [-1.001, "Very cheap"],
  [-1, "Cheap"],
  [-0.501, "Cheap"],
  [-0.5, "Fair"],
  [0, "Fair"],
  [0.5, "Fair"],
  [0.501, "Expensive"],
  [1, "Expensive"],
  [1.001, "Very expensive"],
  [3, "Very expensive"],
  [Number.POSITIVE_INFINITY, "Very expensive"],
] as const)("%p standard deviations from the mean is %p", (deviations, verdict) => {
  expect(verdictByDeviation(deviations)).toBe(verdict);
});

// Φ(−1) = 15.866 %, Φ(−½) = 30.854 %, Φ(½) = 69.146 %, Φ(1) = 84.134 %: tables of the normal distribution.
test.each([
  [0, "Very cheap"],
  [15.8, "Very cheap"],
  [15.9, "Cheap"],
  [30.8, "Cheap"],
  [30.9, "Fair"],
  [50, "Fair"],
  [69.1, "Fair"],
  [69.2, "Expensive"],
  [84.1, "Expensive"],
  [84.2, "Very expensive"],
  [100, "Very expensive"],
] as const)("the percentile %p is %p", (percentile, verdict) => {
  expect(verdictByPercentile(percentile)).toBe(verdict);
});
