import { expect, test } from "bun:test";
import { trackRecords } from "#analytics/track-record.ts";
import type { AnalystCoverage } from "#domain/analyst-coverage.ts";
import { addDays } from "#lib/date.ts";

/** A bar every 30 days from 2024-01-01, with high and low 5 from the close. */
function barsOf(closes: number[]) {
  const close = Float64Array.from(closes);
  return {
    dates: closes.map((_, i) => addDays("2024-01-01", 30 * i)),
    open: close,
    high: close.map((price) => price + 5),
    low: close.map((price) => price - 5),
    close,
    volume: close,
  };
}

const action = (
  firm: string,
  date: string,
  priceTarget: number | null,
): AnalystCoverage["actions"][number] => ({
  date,
  firm,
  action: "maintain",
  fromGrade: null,
  toGrade: null,
  priceTarget,
  priorPriceTarget: null,
});

// 100, 110, … 220 on days 0, 30, … 360, then 230 on day 390.
const rising = barsOf(Array.from({ length: 14 }, (_, i) => 100 + 10 * i));

test("a target is hit if a high reaches it within a year; the return covers that year", () => {
  // A year after day 0 is day 365 (2024 has 366 days), so its last bar is that of day 360, at 220.
  const actions = [action("A", "2024-01-01", 225), action("A", "2024-01-01", 226)];
  const [record] = trackRecords(actions, rising);
  expect(record).toMatchObject({ firm: "A", targets: 2, hitPercent: 50 });
  expect(record?.averageReturnPercent).toBeCloseTo(120, 9);
});

test("a target below the price is hit by a low", () => {
  const falling = barsOf(Array.from({ length: 14 }, (_, i) => 200 - 5 * i));
  // Day 360: 200 − 60 = 140, its low 135: −30 %.
  const [record] = trackRecords([action("A", "2024-01-01", 135)], falling);
  expect(record?.hitPercent).toBe(100);
  expect(record?.averageReturnPercent).toBeCloseTo(-30, 9);
  expect(trackRecords([action("A", "2024-01-01", 134.9)], falling)[0]?.hitPercent).toBe(0);
});

test("targets younger than a year, before the bars, or without a price are not evaluated", () => {
  const actions = [
    action("A", "2024-03-01", 120),
    action("B", "2023-12-31", 120),
    action("C", "2024-01-01", null),
  ];
  expect(trackRecords(actions, rising)).toEqual([]);
});

test("the firm with the most evaluated targets comes first", () => {
  const actions = [
    action("B", "2024-01-01", 120),
    action("A", "2024-01-01", 120),
    action("C", "2024-01-05", 120),
    action("C", "2024-01-01", 120),
  ];
  expect(trackRecords(actions, rising).map(({ firm }) => firm)).toEqual(["C", "A", "B"]);
});
