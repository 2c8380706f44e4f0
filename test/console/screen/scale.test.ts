import { describe, expect, test } from "bun:test";
import type { Limit } from "#console/app/pages/screen/conditions.ts";
import { conditionsOf, describeBounds } from "#console/app/pages/screen/conditions.ts";
import {
  placeWithin,
  scaleOf,
  stopsOf,
  writeLimit,
  type Scale,
} from "#console/app/pages/screen/scale.ts";

const limit = (value: number, isStrict: boolean): Limit => ({
  value,
  text: String(value),
  isStrict,
});
const PE: Scale = { low: 7, high: 64, step: 1 };

// 2 % and 98 % quantiles of invented markets. A step is 1, 2 or 5 times a power of ten.
test.each([
  [7.31, 63.4, "multiple", { low: 7, high: 64, step: 1 }],
  [0.0213, 5.87, "percent", { low: 0, high: 5.9, step: 0.1 }],
  [4.7e9, 1.52e12, "money", { low: 0, high: 1.52e12, step: 2e10 }],
  [-49.6e9, 110.2e9, "reported", { low: -50e9, high: 112e9, step: 2e9 }],
  [3, 21, "count", { low: 3, high: 21, step: 1 }],
  [0.0012, 0.0031, "price", { low: 0.0012, high: 0.0031, step: 0.00002 }],
])("figures from %d to %d, unit %s, have a scale of round steps", (low, high, unit, expected) => {
  expect(scaleOf({ low, high }, unit)).toEqual(expected);
});

test("without a range there is no scale", () => {
  expect(scaleOf({ low: 0, high: 0 }, "percent")).toBeNull();
});

test.each([
  [20, "20"],
  [0.30000000000000004, "0.3"],
  [-1.5, "-1.5"],
  [2e10, "20B"],
  [-2e9, "-2B"],
  [1.54e12, "1.54T"],
  [12_000, "12000"],
])("%d is written as %s", (value, text) => {
  expect(writeLimit(value)).toBe(text);
});

describe.each(["low", "high"] as const)("the %s handle", (side) => {
  const other = side === "low" ? "high" : "low";
  const boundsOf = (one: Limit | null, rest: Limit | null = null) =>
    ({ [side]: one, [other]: rest }) as { low: Limit | null; high: Limit | null };

  test.each([20, 17.3, 5, 900])(
    "begins at the filter's own limit %d, as it is written",
    (value) => {
      const own = limit(value, true);
      const stops = stopsOf(PE, boundsOf(own), side);
      expect(stops.filter((stop) => stop === own)).toHaveLength(1);
      const values = stops.flatMap((stop) => stop?.value ?? []);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
      expect(values.filter((one) => one !== value && !Number.isInteger(one))).toEqual([]);
      // The end means no limit.
      expect(stops.indexOf(null)).toBe(side === "low" ? 0 : stops.length - 1);
    },
  );

  test("keeps how strict the filter is", () => {
    for (const isStrict of [true, false]) {
      const stops = stopsOf(PE, boundsOf(limit(20, isStrict)), side);
      expect(new Set(stops.flatMap((stop) => stop?.isStrict ?? []))).toEqual(new Set([isStrict]));
    }
    const sign = side === "low" ? ">" : "<";
    const [next] = stopsOf(PE, boundsOf(limit(20, true)), side).filter((one) => one?.value === 21);
    expect(conditionsOf("pe", boundsOf(next ?? null))).toEqual([`pe${sign}21`]);
  });

  test("does not cross the other one", () => {
    const bounds = boundsOf(limit(side === "low" ? 10 : 40, false), limit(20, false));
    const stops = stopsOf(PE, bounds, side);
    const beyond = stops.findIndex((one) => one?.value === (side === "low" ? 45 : 8));
    expect(stops[placeWithin(stops, bounds, side, beyond)]?.value).toBe(side === "low" ? 19 : 21);
  });
});

test("a range says whether its ends belong to it", () => {
  const texts = [
    [false, false],
    [false, true],
    [true, true],
  ].map(([low = false, high = false]) =>
    describeBounds(
      { low: limit(5, low), high: limit(20, high) },
      { title: "P/E", unit: "multiple" },
    ),
  );
  expect(texts).toEqual(["P/E 5 – 20", "5 ≤ P/E < 20", "5 < P/E < 20"]);
  expect(
    describeBounds({ low: limit(3, true), high: null }, { title: "ROE", unit: "percent" }),
  ).toBe("ROE > 3%");
});
