import { expect, test } from "bun:test";
import { readPeriod } from "#operations/reading/written-periods.ts";

const TODAY = "2026-11-29";

test.each([
  ["", "newest"],
  ["最新", "newest"],
  ["TTM", "newest ttm"],
  ["last fiscal year", "newest year"],
  ["latest quarter", "newest quarter"],
  ["FY2025", "year 2025-01-01 2025-12-31 fiscal"],
  ["FY'25", "year 2025-01-01 2025-12-31 fiscal"],
  ["fiscal year 2025", "year 2025-01-01 2025-12-31 fiscal"],
  ["năm tài chính 2025", "year 2025-01-01 2025-12-31 fiscal"],
  ["2025年度", "year 2025-01-01 2025-12-31 begun"],
  ["FY2025/26", "year 2025-01-01 2025-12-31 begun"],
  ["CY2025", "year 2025-01-01 2025-12-31 calendar"],
  ["năm 2025", "year 2025-01-01 2025-12-31"],
  ["2025年3月期", "month 2025-03-01 2025-03-31 fiscal year"],
  ["2025年3月期第1四半期", "month 2024-06-01 2024-06-30 fiscal quarter"],
  ["Q3 2026", "quarter 2026-07-01 2026-09-30"],
  ["3Q FY26", "quarter 2026-07-01 2026-09-30 fiscal"],
  ["2026年第3四半期", "quarter 2026-07-01 2026-09-30"],
  ["quý III/2026", "quarter 2026-07-01 2026-09-30"],
  ["third quarter of 2026", "quarter 2026-07-01 2026-09-30"],
  ["TTM Q3 2026", "quarter 2026-07-01 2026-09-30 ttm"],
  ["trailing twelve months ended 2026-06-30", "day 2026-06-30 2026-06-30 ttm"],
  ["year ended 30 September 2025", "day 2025-09-30 2025-09-30 year"],
  ["FY 2025, to 2025-09-30", "year 2025-01-01 2025-12-31 fiscal"],
  ["as of Nov 20, 2026", "day 2026-11-20 2026-11-20"],
  ["2026-11-20T00:00:00Z", "day 2026-11-20 2026-11-20"],
  ["yesterday", "day 2026-11-28 2026-11-28"],
  ["tháng 11 năm 2026", "month 2026-11-01 2026-11-30"],
  ["11/2026", "month 2026-11-01 2026-11-30"],
])("%p is %s", (written, meant) => {
  const period = readPeriod(written, TODAY);
  const { unit, from, to, sort, basis } = period ?? {};
  expect([unit, from, to, sort, basis].filter(Boolean).join(" ")).toBe(meant);
});

// A day and a month that can be exchanged, an instant with a time of day, half a year.
test.each(["05/01/2026", "2026-11-20T23:30:00Z", "H1 2025", "some day", "2025-13", "FY2025/27"])(
  "%p is no period",
  (written) => expect(readPeriod(written, TODAY)).toBeNull(),
);
