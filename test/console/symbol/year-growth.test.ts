import { describe, expect, test } from "bun:test";
import { yearGrowth } from "#console/app/pages/symbol/year-growth.ts";

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
