import { expect, test } from "bun:test";
import { frequencyOfAll } from "#domain/macro-periods.ts";

test.each([
  ["annual", ["2024", "2025", "2026"]],
  ["quarterly", ["2025-Q4", "2026-Q1", "2026-Q2"]],
  ["monthly", ["2025-12", "2026-01", "2026-02", "2026-03"]],
  // One month of nine is missing.
  [
    "monthly",
    ["2026-01", "2026-02", "2026-03", "2026-05", "2026-06", "2026-07", "2026-08", "2026-09"],
  ],
  // The meetings of the Federal Open Market Committee in 2026.
  [
    "irregular",
    ["2026-01", "2026-03", "2026-04", "2026-06", "2026-07", "2026-09", "2026-10", "2026-12"],
  ],
  ["weekly", ["2026-10-31", "2026-11-07", "2026-11-14"]],
  ["daily", ["2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19", "2026-11-23"]],
  ["irregular", ["2026-06-17", "2026-07-29", "2026-09-16"]],
  ["monthly", ["2026-10"]],
] as const)("%s: %j", (frequency, periods) => {
  expect(frequencyOfAll(periods)).toBe(frequency);
});
