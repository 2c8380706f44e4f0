import { describe, expect, test } from "bun:test";
import { lineThrough } from "#console/app/parts/line-through.ts";
import {
  laterOf,
  linesOf,
  scaleOf,
  withinRange,
  yearsOf,
} from "#console/app/pages/economy/scale.ts";

describe("the lines of a scale", () => {
  test.each([
    // Decisions by quarters of a percent.
    [[3.75, 4, 4.25, 4.5], 0.25, 2],
    [[4.5, 4.75, 5, 5.25, 5.5], 0.25, 2],
    [[-0.1, 0.1, 0.25, 0.5, 0.75], 0.25, 2],
    [[0.5, 1, 1.5, 2], 0.5, 1],
    [[1, 2, 3, 4, 5], 1, 0],
    [[120, 171, 233, 290], 50, 0],
    [[3, 3], 0.001, 3],
  ])("%j are %d apart, with %d decimals", (values, step, decimals) => {
    const scale = scaleOf(values);
    expect(scale.step).toBeCloseTo(step, 9);
    expect(linesOf(scale).decimals).toBe(decimals);
    expect(scale.low).toBeLessThanOrEqual(Math.min(...values));
    expect(scale.high).toBeGreaterThanOrEqual(Math.max(...values));
  });

  test("are where the figures are, if there are few", () => {
    const values = [3.75, 4, 4.25, 4.5];
    const { ticks } = linesOf(scaleOf(values));
    expect(ticks.map((tick) => Number(tick.toFixed(6)))).toEqual(values);
  });
});

test.each([
  [2024.4, 2027.2, [2025, 2026, 2027]],
  [2026.1, 2026.9, []],
  [2000, 2025, [2005, 2010, 2015, 2020]],
  [1950.5, 2027, [1960, 1980, 2000, 2020]],
])("the years between %d and %d are %j", (begin, end, years) => {
  expect(yearsOf(begin, end).map(({ year }) => year)).toEqual(years);
});

test("a rate that holds until the next decision is a line of steps", () => {
  const corners = [
    [0, 10],
    [5, 20],
    [9, 20],
  ] as const;
  expect(lineThrough(corners, true)).toBe("0,10 5,10 5,20 9,20 9,20");
  expect(lineThrough(corners, false)).toBe("0,10 5,20 9,20");
});

test("forecasts for periods that are published are left out", () => {
  const at = (label: string) => ({ label, value: 1 });
  expect(
    laterOf([at("2026-08"), at("2026-09")], [at("2026-Q3"), at("2026-Q4"), at("2027-Q1")]),
  ).toEqual([at("2026-Q4"), at("2027-Q1")]);
});

test.each([
  ["1Y", ["2025-10", "2026-09", "2026-10"]],
  ["5Y", ["2021-10", "2025-09", "2025-10", "2026-09", "2026-10"]],
  ["Max", ["1999-12", "2021-09", "2021-10", "2025-09", "2025-10", "2026-09", "2026-10"]],
] as const)("%s has the points of as many years before the newest one", (range, expected) => {
  const labels = ["1999-12", "2021-09", "2021-10", "2025-09", "2025-10", "2026-09", "2026-10"];
  const points = labels.map((label) => ({ label, value: 1 }));
  expect(withinRange(points, range).map(({ label }) => label)).toEqual([...expected]);
  expect(withinRange([], range)).toEqual([]);
});
