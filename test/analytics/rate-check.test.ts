import { expect, test } from "bun:test";
import { checkRates } from "#analytics/rate-check.ts";
import { barsFrom } from "../support/refresher.ts";

const rates = (...entries: [string, number][]) => new Map(entries);

test("a close in another unit or upside down is left out beside a reference rate", () => {
  const bars = barsFrom("2026-08-17", 160, 1.61, 0.0062, 161);
  const known = rates(["2026-08-17", 160], ["2026-08-18", 161], ["2026-08-20", 162]);
  const { bars: kept, faults } = checkRates(bars, known);
  expect(kept.map(({ close }) => close)).toEqual([160, 161]);
  expect(faults).toEqual([
    { date: "2026-08-18", bars: 1, reason: "close 1.61 beside 161 of the European Central Bank" },
    { date: "2026-08-19", bars: 1, reason: "close 0.0062 beside 162 of the European Central Bank" },
  ]);
});

test("a pair near 1 that is upside down is left out, which its move alone does not show", () => {
  const bars = barsFrom("2026-08-17", 1.16, 1 / 1.16);
  const known = rates(["2026-08-17", 1.16], ["2026-08-18", 1.161]);
  expect(checkRates(bars, known).faults.map(({ date }) => date)).toEqual(["2026-08-18"]);
});

test("a rate that fell by 30 % after noon is confirmed by the next day", () => {
  // The lira on 20 and 21 December 2021: 17.5 and 12.6 at noon, 13.3 in the evening.
  const [bar] = barsFrom("2021-12-20", 13.3);
  const known: [string, number][] = [
    ["2021-12-17", 16.9],
    ["2021-12-20", 17.5],
  ];
  expect(checkRates(bar ? [bar] : [], rates(...known)).bars).toEqual([]);
  expect(checkRates(bar ? [bar] : [], rates(...known, ["2021-12-21", 12.6])).faults).toEqual([]);
});

test("a close without a rate around its day is not judged", () => {
  const bars = barsFrom("2026-08-17", 160, 1.6);
  expect(checkRates(bars, rates())).toEqual({ bars, faults: [] });
  expect(checkRates(bars, rates(["2026-08-01", 160])).faults).toEqual([]);
});
