import { expect, test } from "bun:test";
import { surpriseRecord } from "#analytics/earnings-surprise.ts";

const result = (quarterEnd: string, epsActual: number, epsEstimate: number | null) => ({
  quarterEnd,
  reportedOn: null,
  epsActual,
  epsEstimate,
});
const FOUR = [
  result("2025-12", 1.2, 1),
  result("2026-03", 1, 1),
  result("2026-06", -0.5, -1),
  result("2026-09", 0.9, 1),
];

test("the record of surprises is of the last four quarters, and equal is not above", () => {
  const { lastPercent, beatsOfFour } = surpriseRecord([result("2025-09", 9, 1), ...FOUR]);
  expect(lastPercent).toBeCloseTo(-10, 9);
  expect(beatsOfFour).toBe(2);
});

test("beats are unknown with fewer than four quarters, or without an estimate", () => {
  expect(surpriseRecord(FOUR.slice(1)).beatsOfFour).toBeNull();
  const [first, ...others] = FOUR;
  expect(surpriseRecord([{ ...first!, epsEstimate: null }, ...others]).beatsOfFour).toBeNull();
  expect(surpriseRecord([])).toEqual({ lastPercent: null, beatsOfFour: null });
});
