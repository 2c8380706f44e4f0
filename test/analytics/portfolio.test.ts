import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  allocate,
  carryCloses,
  contributionsPercent,
  courseOf,
  type HoldingInputs,
  monthEnds,
  portfolioRatios,
  riskSharesPercent,
  sessionsOfAny,
  simulate,
} from "#analytics/portfolio.ts";
import { addDays } from "#lib/date.ts";
import { column } from "./bars.ts";

const position = (units: number, amount: number | null = null, percent = 0) => ({
  units,
  amount,
  percent,
});
const NO_RATIOS = {
  grossMarginPercent: null,
  operatingMarginPercent: null,
  netMarginPercent: null,
};

describe("allocate", () => {
  test("adds the three parts of a position", () => {
    // 3 shares at 10 are 30, and 5 of money: 35.
    expect(allocate([position(3, 5)], [10])).toEqual([35]);
  });

  test("weights alone are percent", () => {
    expect(allocate([position(0, null, 60), position(0, null, 40)], [7, 9])).toEqual([60, 40]);
  });

  test("weights beside shares are parts of the whole", () => {
    // 30 is 60 % of the whole, so the whole is 50 and 40 % of it 20.
    const [shares, weight] = allocate([position(3), position(0, null, 40)], [10, 1]);
    expect(shares).toBe(30);
    expect(weight).toBeCloseTo(20, 12);
  });
});

test("sessions of any are the union, and closes are carried over them, the first one back", () => {
  const a = { dates: ["2026-01-02", "2026-01-05"], close: column(1, 2) };
  const b = { dates: ["2026-01-04", "2026-01-05", "2026-01-06"], close: column(7, 8, 9) };
  const dates = sessionsOfAny([a, b]);
  expect(dates).toEqual(["2026-01-02", "2026-01-04", "2026-01-05", "2026-01-06"]);
  expect([...carryCloses(a, dates)]).toEqual([1, 1, 2, 2]);
  expect([...carryCloses(b, dates)]).toEqual([7, 7, 8, 9]);
  expect([...carryCloses(a, ["2026-01-03"])]).toEqual([1]);
  expect([...carryCloses({ dates: [], close: column() }, ["2026-01-03"])]).toEqual([Number.NaN]);
});

test("month ends are the last dates of months that are over", () => {
  const dates = ["2026-01-29", "2026-01-30", "2026-02-02", "2026-02-27", "2026-03-02"];
  expect([...monthEnds(dates)]).toEqual([1, 3]);
});

describe("simulate", () => {
  test("buy and hold: a contribution is the weight at the start · the return", () => {
    // 60 in A (+10 %) and 40 in B (−5 %): 66 + 38 = 104.
    const path = simulate([column(10, 11), column(20, 19)], [60, 40]);
    expect([...path.value]).toEqual([100, 104]);
    const [a, b] = contributionsPercent(path);
    expect(a).toBeCloseTo(6, 12);
    expect(b).toBeCloseTo(-2, 12);
  });

  test("a reset restores the weights of the start", () => {
    // A doubles and B stays: 50 · 2 + 50 = 150, reset to 75 and 75. Then A halves: 37.5 + 75 = 112.5.
    const prices = [column(1, 2, 1), column(1, 1, 1)];
    expect([...simulate(prices, [50, 50], new Set([1])).value]).toEqual([100, 150, 112.5]);
    expect([...simulate(prices, [50, 50]).value]).toEqual([100, 150, 100]);
    // Profits of A: +50 − 37.5.
    expect(contributionsPercent(simulate(prices, [50, 50], new Set([1])))).toEqual([12.5, 0]);
  });

  test("a short position gains what its price loses", () => {
    // 200 in cash, −100 in A, whose price falls from 10 to 8: + 20.
    expect([...simulate([column(1, 1), column(10, 8)], [200, -100]).value]).toEqual([100, 120]);
  });

  test("risk shares are covariances with the whole", () => {
    // Equal amounts of A (+10 %, −10 %) and cash: all risk is in A.
    const path = simulate([column(10, 11, 9.9), column(1, 1, 1)], [50, 50]);
    expect(riskSharesPercent(path)?.map((one) => Math.round(one * 1e9) / 1e9)).toEqual([100, 0]);
    expect(riskSharesPercent(simulate([column(1, 1, 1)], [1]))).toBeNull();
    expect(riskSharesPercent(simulate([column(1, 2)], [1]))).toBeNull();
  });
});

describe("courseOf", () => {
  const dates = ["2026-01-05", "2026-01-06", "2026-01-07"];
  const holding = (close: number[], on = dates, units = 1): HoldingInputs => {
    const closes = { dates: on, close: column(...close) };
    return { closes, totals: closes, position: position(units) };
  };

  test("a holding that begins later is cash until then", () => {
    // 10 to 12, and 5 until its first close on the second day, then 6: 15 to 18.
    const course = courseOf(dates, [holding([10, 11, 12]), holding([5, 6], dates.slice(1))], false);
    expect([...(course?.value ?? [])]).toEqual([15, 16, 18]);
    expect(course?.holdings.map(({ start, end }) => [start, end])).toEqual([
      [10, 12],
      [5, 6],
    ]);
  });

  test("has no total return if dividends of a holding are unknown", () => {
    const unknown = { ...holding([1, 2, 3]), totals: null };
    const course = courseOf(dates, [holding([1, 2, 3]), unknown], false);
    expect(course).toMatchObject({ returnPercent: 200, totalReturnPercent: null });
    expect(course?.holdings[0]?.totalContributionPercent).toBeNull();
  });

  test("is null without a value at the start, and has no risk at or below zero", () => {
    expect(courseOf(dates, [holding([1, 1, 1], dates, -1)], false)).toBeNull();
    // Cash of 10 and −1 share at 5: when the share costs 12, the value is −2.
    const course = courseOf(dates, [holding([10, 10, 10]), holding([5, 12, 5], dates, -1)], false);
    expect(course).toMatchObject({ isPositive: false, returnPercent: 0 });
    expect(course?.holdings[0]?.riskSharePercent).toBeNull();
  });
});

describe("laws", () => {
  const days = Array.from({ length: 90 }, (_, i) => addDays("2026-01-30", i));
  const closes = fc
    .array(fc.integer({ min: 10, max: 100 }), { minLength: 90, maxLength: 90 })
    .map((values) => ({ dates: days, close: Float64Array.from(values) }));
  const holding = fc.record({
    closes,
    totals: closes,
    position: fc.double({ min: 0.1, max: 100, noNaN: true }).map((units) => position(units)),
  });
  const portfolio = fc.array(holding, { minLength: 1, maxLength: 5 });
  const sum = (values: readonly (number | null | undefined)[]) =>
    values.reduce<number>((all, one) => all + (one ?? Number.NaN), 0);

  test("contributions sum to the returns, risk shares to 100, values to the value", () => {
    fc.assert(
      fc.property(portfolio, fc.boolean(), (all, isMonthly) => {
        const course = courseOf(days, all, isMonthly)!;
        const { holdings } = course;
        const near = (a: number, b: number) =>
          expect(Math.abs(a - b)).toBeLessThan(1e-6 * Math.max(1, Math.abs(b)));
        near(sum(holdings.map((one) => one.contributionPercent)), course.returnPercent);
        near(sum(holdings.map((one) => one.totalContributionPercent)), course.totalReturnPercent!);
        near(sum(holdings.map((one) => one.riskSharePercent)), 100);
        near(sum(holdings.map(({ start }) => start)), course.value[0]!);
        near(sum(holdings.map(({ end }) => end)), course.value.at(-1)!);
      }),
      { numRuns: 50 },
    );
  });

  test("neither the order of holdings nor k times all of them changes a percent", () => {
    fc.assert(
      fc.property(portfolio, fc.boolean(), fc.integer({ min: 2, max: 9 }), (all, isMonthly, k) => {
        const course = courseOf(days, all, isMonthly)!;
        const times = all.map((one) => ({ ...one, position: position(one.position.units * k) }));
        const other = courseOf(days, times.toReversed(), isMonthly)!;
        expect(other.returnPercent).toBeCloseTo(course.returnPercent, 6);
        expect(other.value.at(-1)! / course.value.at(-1)!).toBeCloseTo(k, 9);
        const shares = other.holdings.map((one) => one.riskSharePercent).toReversed();
        for (const [i, one] of course.holdings.entries())
          expect(shares[i]).toBeCloseTo(one.riskSharePercent!, 6);
      }),
      { numRuns: 50 },
    );
  });

  test("a monthly portfolio is a chain of months that begin with the first weights", () => {
    fc.assert(
      fc.property(portfolio, (all) => {
        const course = courseOf(days, all, true)!;
        const weights = course.holdings.map(({ start }) => start / course.value[0]!);
        // By hand: each month's return is the weighted mean of the holdings' returns in it.
        const months = [...new Set(days.map((day) => day.slice(0, 7)))];
        let value = 1;
        let from = 0;
        for (const month of months) {
          const to = days.findLastIndex((day) => day.startsWith(month));
          value *= sum(
            all.map((one, i) => (weights[i]! * one.closes.close[to]!) / one.closes.close[from]!),
          );
          from = to;
        }
        expect(course.returnPercent).toBeCloseTo(100 * (value - 1), 5);
      }),
      { numRuns: 50 },
    );
  });
});

describe("ratios of a portfolio", () => {
  test("are those of one company", () => {
    const ratios = portfolioRatios([
      // Earnings 600 / 20 = 30, book value 600 / 3 = 200, revenue 600 / 2 = 300, of which 10 % are 30.
      { ...NO_RATIOS, value: 600, pe: 20, earningsYield: 0.05, pb: 3, ps: 2, netMarginPercent: 10 },
      // Earnings 40, book value 400, revenue 400, of which 20 % are 80.
      { ...NO_RATIOS, value: 400, pe: 10, earningsYield: 0.1, pb: 1, ps: 1, netMarginPercent: 20 },
    ]);
    expect(ratios.pe).toBeCloseTo(1000 / 70, 12);
    expect(ratios.pb).toBeCloseTo(1000 / 600, 12);
    expect(ratios.netMarginPercent).toBeCloseTo((100 * 110) / 700, 12);
    expect(ratios).toMatchObject({ grossMarginPercent: null, coveredValue: 1000 });
  });

  test("count losses, leave unknown figures out, and shorts", () => {
    const none = { ...NO_RATIOS, pe: null, earningsYield: null, pb: null, ps: null };
    const all = [
      { ...none, value: 500, pe: 10 }, // earnings 50
      { ...none, value: 200, earningsYield: -0.1 }, // a loss of 20
      { ...none, value: 300 },
      { ...none, value: -100, pe: 5 },
    ];
    // 700 / 30
    expect(portfolioRatios(all).pe).toBeCloseTo(700 / 30, 12);
    expect(portfolioRatios(all)).toMatchObject({ pb: null, coveredValue: 700 });
    // Losses are larger than earnings.
    const loss = { ...none, value: 100, earningsYield: -1 };
    expect(portfolioRatios([loss, { ...none, value: 100, pe: 10 }]).pe).toBeNull();
  });
});
