import { describe, expect, test } from "bun:test";
import { dividendRecord } from "#analytics/dividend-record.ts";

/** Four dividends a year on these days. */
const years = (amounts: Readonly<Record<number, number>>, days: readonly string[]) =>
  Object.entries(amounts).flatMap(([year, amount]) =>
    days.map((day) => ({ exDate: `${year}-${day}`, amount })),
  );
const QUARTERS = ["02-10", "05-10", "08-10", "11-10"];

describe("dividendRecord", () => {
  test("counts years that are over: the running one changes nothing but the last twelve months", () => {
    const dividends = years({ 2022: 0.2, 2023: 0.22, 2024: 0.22, 2025: 0.25, 2026: 0.1 }, QUARTERS);
    expect(dividendRecord(dividends, "2026-11-20", "2000-01-03")).toMatchObject({
      perShare: 0.1 + 0.1 + 0.1 + 0.1,
      yearsRaised: 1,
      yearsPaid: 4,
      growth5yPercent: null,
      nextExDate: null,
    });
    expect(dividendRecord(dividends, "2026-11-20", "2000-01-03").growth1yPercent).toBeCloseTo(
      100 * (0.25 / 0.22 - 1),
      9,
    );
    expect(dividendRecord(dividends, "2026-06-01", "2000-01-03").nextExDate).toBe("2026-08-10");
  });

  // Realty Income: ex-dates at the end of each month until May 2024, at the beginning of the next one since.
  test("a month's dividend that goes ex after New Year belongs to the year before", () => {
    const monthly = (year: number, amount: number) =>
      Array.from({ length: 12 }, (_, i) => ({
        exDate: `${year}-${String(i + 1).padStart(2, "0")}-28`,
        amount,
      }));
    const changed = [
      ...monthly(2024, 0.26).slice(0, 11),
      { exDate: "2025-01-02", amount: 0.26 },
      ...monthly(2025, 0.27).slice(0, 11),
      { exDate: "2026-01-02", amount: 0.27 },
    ];
    const dividends = [...monthly(2022, 0.24), ...monthly(2023, 0.25), ...changed];
    const { yearsRaised, growth1yPercent } = dividendRecord(dividends, "2026-11-20", "2000-01-03");
    expect(yearsRaised).toBe(3);
    expect(growth1yPercent).toBeCloseTo(100 * (27 / 26 - 1), 9);
  });

  test("a year without dividends is a growth of −100 %, and ends both rows of years", () => {
    const dividends = years({ 2023: 1, 2024: 1.5 }, QUARTERS);
    expect(dividendRecord(dividends, "2026-03-01", "2000-01-03")).toMatchObject({
      perShare: 0,
      growth1yPercent: -100,
      yearsRaised: 0,
      yearsPaid: 0,
    });
    expect(dividendRecord([], "2026-03-01", "2000-01-03")).toMatchObject({
      growth1yPercent: null,
      growth5yPercent: null,
      yearsRaised: 0,
      yearsPaid: 0,
    });
  });

  test("the first year is no raise, and equal years that a split rounded are none", () => {
    const dividends = years({ 2023: 0.333_333, 2024: 0.333_334, 2025: 0.333_333 }, QUARTERS);
    expect(dividendRecord(dividends, "2026-03-01", "2000-01-03").yearsRaised).toBe(0);
    expect(dividendRecord(dividends, "2024-03-01", "2000-01-03").yearsRaised).toBe(0);
  });

  // Prices since June 2020: two of the four dividends of 2020 are stored.
  test("a year that is stored in part is compared with nothing", () => {
    const dividends = [
      ...years({ 2020: 1 }, QUARTERS.slice(2)),
      ...years({ 2021: 1.05, 2022: 1.1, 2023: 1.15, 2024: 1.2, 2025: 1.25 }, QUARTERS),
    ];
    const found = (asOf: string, begins: string) => {
      const { yearsRaised, yearsPaid, growth1yPercent, growth5yPercent } = dividendRecord(
        dividends,
        asOf,
        begins,
      );
      return [yearsRaised, yearsPaid, growth1yPercent === null, growth5yPercent === null];
    };
    expect(found("2026-03-01", "2020-06-01")).toEqual([4, 6, false, true]);
    expect(found("2022-03-01", "2020-06-01")).toEqual([0, 2, true, true]);
    // Known since 2019, it paid two dividends in its first year.
    expect(found("2026-03-01", "2019-06-03")).toEqual([5, 6, false, false]);
  });

  // Declared by Apple, in the shares since the split of 31 August 2020; apple.com, dividend history.
  test("Apple raised its dividend each year from 2013 to 2024", () => {
    const declared: Readonly<Record<number, readonly number[]>> = {
      2012: [0.094643, 0.094643],
      2013: [0.094643, 0.108929, 0.108929, 0.108929],
      2014: [0.108929, 0.1175, 0.1175, 0.1175],
      2015: [0.1175, 0.13, 0.13, 0.13],
      2016: [0.13, 0.1425, 0.1425, 0.1425],
      2017: [0.1425, 0.1575, 0.1575, 0.1575],
      2018: [0.1575, 0.1825, 0.1825, 0.1825],
      2019: [0.1825, 0.1925, 0.1925, 0.1925],
      2020: [0.1925, 0.205, 0.205, 0.205],
      2021: [0.205, 0.22, 0.22, 0.22],
      2022: [0.22, 0.23, 0.23, 0.23],
      2023: [0.23, 0.24, 0.24, 0.24],
      2024: [0.24, 0.25, 0.25, 0.25],
    };
    const months = ["02", "05", "08", "11"];
    const dividends = Object.entries(declared).flatMap(([year, amounts]) =>
      amounts.map((amount, i) => ({
        exDate: `${year}-${months[i + 4 - amounts.length]}-09`,
        amount,
      })),
    );
    const found = dividendRecord(dividends, "2025-01-31", "2000-01-03");
    expect([found.yearsRaised, found.yearsPaid]).toEqual([12, 13]);
    // 0.99 after 0.95 in 2023 and 0.76 in 2019.
    expect(found.growth1yPercent).toBeCloseTo(100 * (0.99 / 0.95 - 1), 4);
    expect(found.growth5yPercent).toBeCloseTo(100 * ((0.99 / 0.76) ** 0.2 - 1), 4);
  });
});
