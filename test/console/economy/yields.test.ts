import { expect, test } from "bun:test";
import { curveOf, maturityOf, spreadOf } from "#console/app/pages/economy/yields.ts";

/** An entry of `get_macro_indicators`. */
const entry = (
  name: string,
  [previous, latest]: readonly [number, number],
  days: readonly [string, string],
) => ({
  name,
  latest,
  previous,
  latest_raw: `${latest}%`,
  previous_raw: `${previous}%`,
  unit: "%",
  period: days[1],
  previous_period: days[0],
  source: "treasury",
});
const [MON, TUE, WED] = ["2026-11-23", "2026-11-24", "2026-11-25"] as const;

test("a maturity has its length from the name of its series", () => {
  expect(
    [
      "Yield curve, 1 month",
      "Yield curve, 1.5 months",
      "Yield curve, 10 years",
      "10-year Treasury yield",
    ].map(maturityOf),
  ).toEqual([1, 1.5, 120, null]);
});

test("a curve is of one day, in the order of lengths, and zero is a yield", () => {
  const curve = curveOf({
    money: [
      entry("Yield curve, 10 years", [4.1, 4.2], [MON, TUE]),
      entry("Fed funds target (upper)", [4, 4], ["2026-09", "2026-10"]),
      entry("Yield curve, 2 years", [0.1, 0], [MON, TUE]),
      // It was not issued on that day.
      entry("Yield curve, 20 years", [4.6, 4.7], ["2026-11-19", "2026-11-20"]),
      // A day ahead of the others, so its yield of their day is the previous one.
      entry("Yield curve, 3 months", [3.9, 3.8], [TUE, WED]),
    ],
  });
  expect([curve?.day, curve?.source]).toEqual([TUE, "treasury"]);
  expect([...(curve?.yields ?? [])]).toEqual([
    [3, 3.9],
    [24, 0],
    [120, 4.2],
  ]);
  expect(curve && spreadOf(curve)).toBe(4.2);
});

test("the newer of two days with as many maturities counts, and one maturity is no curve", () => {
  const two = entry("Yield curve, 2 years", [3.5, 3.6], [MON, TUE]);
  const ten = entry("Yield curve, 10 years", [3.4, 3.3], [TUE, WED]);
  expect(curveOf({ money: [two, ten] })).toBeNull();
  const both = curveOf({
    money: [
      two,
      { ...ten, previous_period: MON },
      entry("Yield curve, 5 years", [3.4, 3.45], [TUE, WED]),
    ],
  });
  expect([...(both?.yields ?? [])]).toEqual([
    [60, 3.45],
    [120, 3.3],
  ]);
  expect(both && spreadOf(both)).toBeNull();
  expect(curveOf({})).toBeNull();
});
