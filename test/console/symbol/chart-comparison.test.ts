import { describe, expect, test } from "bun:test";
import {
  alignCloses,
  barsInPercent,
  closeAt,
  decimalsOfAll,
  pointsInPercent,
} from "#console/app/pages/symbol/chart-comparison.ts";

/** Closes of another market, whose newest session is a day later. */
const other = {
  name: "Toyota Motor Corporation",
  currency: "JPY",
  adjustment: "split" as const,
  dates: ["2026-10-29", "2026-10-30", "2026-11-13", "2026-11-18", "2026-11-19", "2026-11-20"],
  closes: [3_400, 3_420, 3_439, 3_392, 3_361, 3_324],
  total: 6,
  next_before: null,
};

describe("the comparison of a chart", () => {
  test("a month has the other's newest close at or before its own last session", () => {
    expect(alignCloses(["2026-10-28", "2026-10-30", "2026-11-19"], other)).toEqual([
      { date: "2026-10-28" },
      { date: "2026-10-30", value: 3_420 },
      { date: "2026-11-19", value: 3_361 },
    ]);
  });

  test("0% is the close before the range, or the first one", () => {
    expect(closeAt(other, "2026-11-15")).toEqual({ date: "2026-11-13", close: 3_439 });
    expect(closeAt(other, "2026-01-01")).toEqual({ date: "2026-10-29", close: 3_400 });
  });

  test("bars and lines end at the return since that close, whatever the first bar is", () => {
    const bar = (date: string, close: number) => ({
      date,
      open: close,
      high: close + 20,
      low: close - 20,
      close,
      volume: 7,
    });
    // The range begins at 200; its first month ends at 210.
    const bars = barsInPercent([bar("2025-11-28", 210), bar("2026-11-19", 250)], 200);
    expect(bars.map(({ date, close, volume }) => [date, close, volume])).toEqual([
      ["2025-11-28", expect.closeTo(5, 9), 7],
      ["2026-11-19", expect.closeTo(25, 9), 7],
    ]);
    expect([bars[1]?.low, bars[1]?.high]).toEqual([expect.closeTo(15, 9), expect.closeTo(35, 9)]);
    expect(pointsInPercent([{ date: "a" }, { date: "b", value: 150 }], 200)).toEqual([
      { date: "a" },
      { date: "b", value: -25 },
    ]);
  });

  test("an index has decimals, a price in yen has none", () => {
    expect(decimalsOfAll([55_494.37, 55_912.11])).toBe(2);
    expect(decimalsOfAll(other.closes)).toBe(0);
  });
});
