import { describe, expect, test } from "bun:test";
import {
  alignedText,
  alignedTo,
  alignHistory,
  newestEnd,
} from "#console/app/pages/compare/history-periods.ts";

describe("fiscal periods side by side", () => {
  test.each([
    // Apple's year, and a Japanese one.
    ["2025-09-27", "annual", "2025-01-01", "2025"],
    ["2026-03-31", "annual", "2026-01-01", "2026"],
    // Years of 52 and 53 weeks: the Sunday nearest to the end of December.
    ["2023-01-01", "annual", "2022-01-01", "2022"],
    ["2023-12-31", "annual", "2023-01-01", "2023"],
    ["2027-01-03", "annual", "2026-01-01", "2026"],
    // A year to the last Sunday of January.
    ["2025-01-26", "annual", "2025-01-01", "2025"],
    ["2023-04-01", "quarterly", "2023-01-01", "Q1 2023"],
    ["2023-07-01", "quarterly", "2023-04-01", "Q2 2023"],
    ["2025-10-26", "ttm", "2025-10-01", "Q4 2025"],
  ] as const)("a period to %s (%s) is in %s", (end, period, date, text) => {
    expect(alignedTo(end, period)).toBe(date);
    expect(alignedText(date, period)).toBe(text);
  });

  test("each company has its own periods, by its key", () => {
    const columns = ["country", "symbol", "fiscal_period", "period_end", "roe"];
    const history = alignHistory(
      {
        columns,
        rows: [
          ["JP", "7203", "FY 2026", "2026-03-31", 10],
          ["US", "AAPL", "FY 2024", "2024-09-28", 1],
          ["US", "AAPL", "FY 2025", "2025-09-27", 2],
          // The same symbol of another country.
          ["VN", "AAPL", "FY 2025", "2025-12-31", 3],
        ],
        unknown: [],
      },
      ["US:AAPL", "JP:7203", "US:SPY"],
      "annual",
    );
    expect(history.dates).toEqual(["2024-01-01", "2025-01-01", "2026-01-01"]);
    expect(history.companies.map((one) => [...one].map(([at, row]) => [at, row["roe"]]))).toEqual([
      [
        ["2024-01-01", 1],
        ["2025-01-01", 2],
      ],
      [["2026-01-01", 10]],
      [],
    ]);
    expect(history.companies.map(newestEnd)).toEqual(["Sept 2025", "Mar 2026", ""]);
  });
});
