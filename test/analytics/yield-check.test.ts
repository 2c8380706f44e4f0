import { expect, test } from "bun:test";
import { checkYields } from "#analytics/yield-check.ts";
import type { MacroSeries } from "#domain/macro.ts";

const series = (values: readonly number[], id = "yield-curve-1m"): MacroSeries => ({
  country: "US",
  category: "money",
  id,
  name: "Yield curve, 1 month",
  unit: "%",
  decimals: 2,
  observations: values.map((value, i) => ({ period: `2026-11-${String(i + 10)}`, value })),
});
const check = (...values: number[]) => {
  const { record, faults } = checkYields(series(values));
  return { values: record?.observations.map(({ value }) => value) ?? null, faults };
};

test("a yield in hundredths of a percent is left out, and named", () => {
  expect(check(4.2, 421, 4.19)).toEqual({
    values: [4.2, 4.19],
    faults: ["2026-11-11, a yield of 421 %"],
  });
  expect(check(421)).toEqual({ values: null, faults: ["2026-11-10, a yield of 421 %"] });
});

test("a yield far from both neighbours is left out", () => {
  expect(check(4.2, 0.42, 4.19)).toEqual({
    values: [4.2, 4.19],
    faults: ["2026-11-11, a yield of 0.42 % beside 4.2 %"],
  });
  // The first one has one neighbour.
  expect(check(0.4, 4.2, 4.19).values).toEqual([4.2, 4.19]);
});

test("a jump of the newest yield waits for a second day", () => {
  expect(check(4.2, 4.19, 8).values).toEqual([4.2, 4.19]);
  expect(check(4.2, 4.19, 8, 8.1)).toEqual({ values: [4.2, 4.19, 8, 8.1], faults: [] });
});

test("yields that governments paid are kept", () => {
  // Japan in 2016, and one month of the US around the debt ceiling of 2023.
  for (const values of [[-0.29, -0.27, -0.3], [5.7, 7.02, 5.28], [0, 0.01, 0], [4.2]])
    expect(check(...values)).toEqual({ values, faults: [] });
});

test("other series are not judged", () => {
  const other = series([1, 500, 1], "housing-starts");
  expect(checkYields(other)).toEqual({ record: other, faults: [] });
});
