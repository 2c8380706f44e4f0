import { describe, expect, test } from "bun:test";
import {
  beta,
  commonSessions,
  correlations,
  maxDrawdown,
  returnsOf,
  sessionsPerYear,
  volatilityPercent,
} from "#analytics/price-statistics.ts";
import { column } from "./bars.ts";

const correlation = (a: Float64Array, b: Float64Array) => correlations([a, b])[0]?.[1];

/** Closes from 100 on with these returns in percent. */
function closesOf(...percents: number[]): Float64Array {
  const closes = [100];
  for (const percent of percents) closes.push((closes.at(-1) ?? 0) * (1 + percent / 100));
  return column(...closes);
}

test("returns are simple, and there is one fewer than closes", () => {
  const [up, down, ...more] = returnsOf(column(100, 110, 99));
  expect(up).toBeCloseTo(0.1, 12); // 110 / 100 − 1
  expect(down).toBeCloseTo(-0.1, 12); // 99 / 110 − 1
  expect(more).toEqual([]);
  expect(returnsOf(column(100)).length).toBe(0);
  expect(returnsOf(column()).length).toBe(0);
});

describe("volatility", () => {
  test("is the sample deviation of the returns, for a year", () => {
    // Returns 10 % and −10 %: mean 0, variance (0.01 + 0.01) / (2 − 1) = 0.02; √(0.02 · 252) = √5.04.
    expect(volatilityPercent(column(100, 110, 99), 252)).toBeCloseTo(224.4994432, 6);
    // Returns 1, 2, 3 %: variance (0.01² + 0 + 0.01²) / 2 = 0.0001; √(0.0001 · 100) = 0.1.
    expect(volatilityPercent(closesOf(1, 2, 3), 100)).toBeCloseTo(10, 9);
  });

  test("of steady growth is zero, and of one return unknown", () => {
    expect(volatilityPercent(column(1, 2, 4, 8), 252)).toBe(0);
    expect(volatilityPercent(column(1, 2), 252)).toBeNull();
    expect(volatilityPercent(column(), 252)).toBeNull();
  });

  test("of a cryptocurrency counts all days of a year", () => {
    expect(sessionsPerYear("stock")).toBe(252);
    expect(sessionsPerYear("cryptocurrency")).toBe(365);
  });
});

describe("the maximum drawdown", () => {
  const drawdown = (...closes: number[]) =>
    maxDrawdown({ dates: closes.map((_, i) => `day ${i}`), close: column(...closes) });

  test("is the deepest fall from an earlier high, with its sessions", () => {
    // 120 to 90 is −25 %, deeper than 150 to 120 (−20 %). The close of day 3 is the first one from 120 on.
    expect(drawdown(100, 120, 90, 150, 120)).toEqual({
      percent: -25,
      peakSession: "day 1",
      troughSession: "day 2",
      recoveredSession: "day 3",
    });
  });

  test("is not recovered below its high, and recovered at it", () => {
    expect(drawdown(100, 50, 99)).toMatchObject({ percent: -50, recoveredSession: null });
    expect(drawdown(100, 50, 100)).toMatchObject({ recoveredSession: "day 2" });
  });

  test("begins at the first of equal highs and ends at the first of equal falls", () => {
    expect(drawdown(100, 100, 50, 80, 50, 100)).toEqual({
      percent: -50,
      peakSession: "day 0",
      troughSession: "day 2",
      recoveredSession: "day 5",
    });
  });

  test("is 0 without a fall, and unknown without closes", () => {
    const none = { percent: 0, peakSession: null, troughSession: null, recoveredSession: null };
    expect(drawdown(1, 2, 3)).toEqual(none);
    expect(drawdown(5)).toEqual(none);
    expect(drawdown()).toBeNull();
  });
});

describe("beta and correlation", () => {
  test("of returns 2, 1, 3 % to returns 1, 2, 3 % are both 0.5", () => {
    // Means 2 %. Covariance (−1·0 + 0·−1 + 1·1) / 2 = 0.5; both variances (1 + 0 + 1) / 2 = 1.
    const [own, market] = [closesOf(2, 1, 3), closesOf(1, 2, 3)];
    expect(beta(own, market)).toBeCloseTo(0.5, 9);
    expect(correlation(own, market)).toBeCloseTo(0.5, 9);
  });

  test("of doubled returns are 2 and 1, of opposite returns −1 and −1", () => {
    const market = closesOf(1, -2, 3, 0.5);
    expect(beta(closesOf(2, -4, 6, 1), market)).toBeCloseTo(2, 9);
    expect(correlation(closesOf(2, -4, 6, 1), market)).toBeCloseTo(1, 9);
    expect(beta(closesOf(-1, 2, -3, -0.5), market)).toBeCloseTo(-1, 9);
    expect(correlation(closesOf(-1, 2, -3, -0.5), market)).toBeCloseTo(-1, 9);
  });

  test("are unknown if one side does not move, or with a single return", () => {
    const flat = column(7, 7, 7);
    expect(beta(flat, column(1, 2, 3))).toBe(0);
    expect(beta(column(1, 2, 3), flat)).toBeNull();
    expect(correlation(flat, column(1, 2, 3))).toBeNull();
    expect(beta(column(1, 2), column(1, 2))).toBeNull();
    expect(correlation(column(1, 2), column(1, 2))).toBeNull();
  });

  test("a correlation is symmetric and never exceeds 1", () => {
    const [a, b] = [closesOf(0.1, 0.2, 0.30001), closesOf(3, -1, 2)];
    const [[, upper], [lower]] = correlations([a, b]) as [number[], number[]];
    expect(upper).toBe(lower as number);
    expect(correlation(a, a)).toBeLessThanOrEqual(1);
    expect(correlation(a, a)).toBeCloseTo(1, 12);
  });
});

describe("common sessions", () => {
  const closes = (days: Record<string, number>) => ({
    dates: Object.keys(days).map((day) => `2026-11-${day}`),
    close: column(...Object.values(days)),
  });

  test("are the dates on which all have a close", () => {
    const { dates, closes: common } = commonSessions([
      closes({ "02": 1, "03": 2, "04": 3, "06": 4 }),
      closes({ "03": 20, "04": 30, "05": 40, "06": 50 }),
      closes({ "01": 5, "02": 100, "03": 200, "06": 300 }),
    ]);
    expect(dates).toEqual(["2026-11-03", "2026-11-06"]);
    expect(common.map((one) => [...one])).toEqual([
      [2, 4],
      [20, 50],
      [200, 300],
    ]);
  });

  test("of one series are all of its sessions, and with an empty series none", () => {
    const one = closes({ "02": 1, "03": 2 });
    expect(commonSessions([one]).dates).toEqual(one.dates);
    expect(commonSessions([one, closes({})]).dates).toEqual([]);
    expect(commonSessions([]).dates).toEqual([]);
  });
});
