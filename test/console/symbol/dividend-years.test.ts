import { describe, expect, test } from "bun:test";
import { dividendYears, isSinceFirstYear } from "#console/app/pages/symbol/dividend-years.ts";

describe("dividendYears", () => {
  test("has the first year of a company that began to pay after its prices begin", () => {
    const paid = [
      { date: "2024-06-27", amount: 1 },
      { date: "2024-12-27", amount: 1.5 },
      { date: "2025-06-27", amount: 2 },
    ];
    expect(dividendYears(paid, "2016-01-04")).toEqual([
      { year: "2024", sum: 2.5 },
      { year: "2025", sum: 2 },
    ]);
    // Of one year only, too.
    expect(dividendYears(paid.slice(2), "2016-01-04")).toEqual([{ year: "2025", sum: 2 }]);
  });

  test("leaves out the year in which the prices begin, and years before eleven", () => {
    const yearly = Array.from({ length: 14 }, (_, i) => ({ date: `${2012 + i}-03-28`, amount: 1 }));
    const years = (begins: string) => dividendYears(yearly, begins).map(({ year }) => year);
    expect([years("2000-01-04").at(0), years("2000-01-04").at(-1)]).toEqual(["2015", "2025"]);
    expect(years("2019-05-01").at(0)).toBe("2020");
  });

  test("has 0 for a year without a dividend between others, and null for an unknown amount", () => {
    const paid = [
      { date: "2019-03-28", amount: 3 },
      { date: "2021-03-30", amount: null },
      { date: "2021-09-29", amount: 1 },
    ];
    expect(dividendYears(paid, "2001-01-04")).toEqual([
      { year: "2019", sum: 3 },
      { year: "2020", sum: 0 },
      { year: "2021", sum: null },
    ]);
  });

  test("is empty without dividends", () => {
    expect(dividendYears([], "2001-01-04")).toEqual([]);
    expect(dividendYears([{ date: "2020-03-30", amount: 1 }], "2020-01-06")).toEqual([]);
  });
});

describe("isSinceFirstYear", () => {
  const NOW = "2026-11-20T10:00:00Z";

  test.each([
    // Prices since July 2015: the first whole year is 2016, and 2017 to 2025 are nine raises.
    [9, "2015-07-01", true],
    // A year without a raise is known, or no dividend was paid then.
    [8, "2015-07-01", false],
    [0, "2015-07-01", false],
    // 2025 is the only whole year.
    [0, "2024-03-01", true],
    [9, undefined, false],
  ])("%i since %s: %p", (raised, begins, expected) => {
    expect(isSinceFirstYear(raised, begins, NOW)).toBe(expected);
  });

  test("a year whose last ex-date can be in January is not over at New Year", () => {
    expect(isSinceFirstYear(8, "2015-07-01", "2026-01-10T10:00:00Z")).toBe(true);
  });
});
