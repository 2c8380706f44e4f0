import { describe, expect, test } from "bun:test";
import { compoundGrowth, yearGrowth, yearsOf } from "#console/app/pages/symbol/year-growth.ts";

const row = (period_end: string, revenue: number | null, currency = "USD") => ({
  period_end,
  revenue,
  currency,
});

describe("the growth of a line item", () => {
  test.each([
    // A fiscal year of 53 weeks: 27 September 2025 after 28 September 2024.
    ["on the year before", [row("2024-09-28", 80), row("2025-09-27", 100)], 25],
    [
      "on the quarter a year before",
      [row("2024-06-30", 50), row("2025-03-31", 90), row("2025-06-30", 45)],
      -10,
    ],
    ["with no period a year before", [row("2025-03-31", 90), row("2025-06-30", 45)], null],
    ["on a loss", [row("2024-12-31", -5), row("2025-12-31", 5)], null],
    ["on nothing", [row("2024-12-31", 0), row("2025-12-31", 5)], null],
    ["to a loss", [row("2024-12-31", 5), row("2025-12-31", -5)], -200],
    ["of an unknown figure", [row("2024-12-31", 5), row("2025-12-31", null)], null],
    ["in another currency", [row("2024-12-31", 5, "JPY"), row("2025-12-31", 5)], null],
    ["over a leap year", [row("2024-02-29", 10), row("2025-02-28", 12)], 20],
  ] as const)("%s", (_, rows, expected) => {
    const found = yearGrowth(rows, rows[rows.length - 1] ?? {}, "revenue");
    expect(found === null ? null : Math.round(1e6 * found) / 1e6).toBe(expected);
  });
});

describe("the compound growth of a line item", () => {
  test.each([
    // 100 × 1.1³ is 133.1. Fiscal years of 52 weeks end on other days.
    [
      "over three years",
      [row("2022-09-24", 100), row("2023-09-30", 5), row("2025-09-27", 133.1)],
      10,
    ],
    ["of a fall", [row("2023-12-31", 100), row("2025-12-31", 81)], -10],
    // After a move of the fiscal year, two and a half years: 1.21 ** 2.5 is 1.61051.
    ["over a part of a year", [row("2023-03-31", 100), row("2025-09-30", 161.051)], 21],
    ["from a loss", [row("2023-12-31", -5), row("2025-12-31", 5)], null],
    ["to a loss", [row("2023-12-31", 5), row("2025-12-31", -5)], null],
    ["from an unknown figure", [row("2023-12-31", null), row("2025-12-31", 5)], null],
    ["in another currency", [row("2023-12-31", 5, "JPY"), row("2025-12-31", 5)], null],
    ["of one period", [row("2025-12-31", 5)], null],
    ["of no period", [], null],
  ] as const)("%s", (_, rows, expected) => {
    const found = compoundGrowth(rows, "revenue");
    expect(found === null ? null : Math.round(1e6 * found) / 1e6).toBe(expected);
  });

  test("a year of 52 weeks is a whole one", () => {
    expect(yearsOf([row("2024-09-28", 1), row("2025-09-27", 1)])).toBe(1);
  });
});
