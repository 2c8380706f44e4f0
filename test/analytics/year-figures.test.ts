import { describe, expect, test } from "bun:test";
import { rsi } from "#analytics/rsi.ts";
import { yearFigures, yearOfBars } from "#analytics/year-figures.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { addDays } from "#lib/date.ts";

const START = "2026-01-01";

/** Daily bars from a date on, with a high 1 above and a low 1 below each close. */
function bars(from: string, closes: readonly number[]): BarSeries {
  const close = Float64Array.from(closes);
  return {
    dates: closes.map((_, i) => addDays(from, i)),
    open: close,
    high: close.map((value) => value + 1),
    low: close.map((value) => value - 1),
    close,
    volume: close.map(() => 1),
  };
}

/** Closes that change by +1 %·`factor` and −1 %·`factor` in turn. */
const zigzag = (count: number, factor: number) => {
  const closes = [100];
  while (closes.length < count) {
    const percent = closes.length % 2 === 1 ? factor : -factor;
    closes.push((closes.at(-1) ?? 0) * (1 + percent / 100));
  }
  return closes;
};

const NO_INDEX = { dates: [], close: new Float64Array(), sessions: [] };
const indexOf = (closes: readonly number[]) => ({ ...bars(START, closes), sessions: [] });
const stockAt = (close: number) => ({
  start: START,
  newest: { close, date: START, previousDate: null, changePercent: null },
  assetType: "stock" as const,
});

describe("the highest and lowest price of a year", () => {
  test("ignore sessions before the year", () => {
    // 500 and 1 are in December.
    const series = bars("2025-12-30", [500, 1, 20, 30, 25]);
    const year = yearFigures(series, NO_INDEX, stockAt(25));
    expect([year?.high, year?.low]).toEqual([31, 19]);
  });

  test("include a quote that is newer than the bars", () => {
    const series = bars(START, [20, 30, 25]);
    expect(yearFigures(series, NO_INDEX, stockAt(40))?.high).toBe(40);
    expect(yearFigures(series, NO_INDEX, stockAt(10))?.low).toBe(10);
  });

  test("are also counted since 1 January of the newest session", () => {
    const series = bars("2025-12-30", [50, 10, 20, 30, 25]);
    const year = yearFigures(series, NO_INDEX, { ...stockAt(25), start: "2025-12-30" });
    expect([year?.high, year?.low, year?.highYtd, year?.lowYtd]).toEqual([51, 9, 31, 19]);
    // No bar of the new year yet, only a quote.
    const quoted = yearFigures(bars("2025-12-30", [50, 10]), NO_INDEX, {
      ...stockAt(25),
      start: "2025-12-30",
    });
    expect([quoted?.highYtd, quoted?.lowYtd]).toEqual([25, 25]);
  });

  test("without a session in the year there are no figures", () => {
    expect(yearFigures(bars("2025-12-01", [1, 2]), NO_INDEX, stockAt(2))).toBeNull();
    expect(yearFigures(bars(START, []), NO_INDEX, stockAt(2))).toBeNull();
  });
});

describe("beta and volatility", () => {
  test("of twice the index's returns: beta 2", () => {
    const year = yearFigures(bars(START, zigzag(80, 2)), indexOf(zigzag(80, 1)), stockAt(100));
    expect(year?.beta).toBeCloseTo(2, 9);
    // 79 returns, 40 of +2 % and 39 of −2 %: mean 2/79 %, variance (79·4 − 79·(2/79)²)/78 = 4.0506 %²;
    // √(4.0506 · 252) = 31.9495 %.
    expect(year?.volatilityPercent).toBeCloseTo(31.9495, 3);
  });

  test("begin with the close before a start date without a session", () => {
    const series = bars(START, zigzag(80, 2));
    // The same closes, but the year starts two days after the first and has no session on that day.
    const dates = series.dates.map((date, i) => (i === 0 ? date : addDays(date, 2)));
    const year = yearFigures({ ...series, dates }, NO_INDEX, {
      ...stockAt(100),
      start: addDays(START, 2),
    });
    expect(year?.volatilityPercent).toBeCloseTo(31.9495, 3);
  });

  test("need 60 sessions, for beta in common with the index", () => {
    const figures = (own: number, index: number) =>
      yearFigures(bars(START, zigzag(own, 2)), indexOf(zigzag(index, 1)), stockAt(100));
    expect(figures(60, 60)).toMatchObject({ beta: expect.closeTo(2, 9) });
    expect(figures(59, 80)).toMatchObject({ beta: null, volatilityPercent: null });
    expect(figures(80, 59)).toMatchObject({ beta: null });
    expect(figures(80, 59)?.volatilityPercent).toBeGreaterThan(0);
  });
});

test("RSI and MACD are those of the whole series, from 34 bars on", () => {
  const closes = zigzag(34, 3);
  const series = bars(START, closes);
  expect(yearFigures(series, NO_INDEX, stockAt(1))?.rsi).toBe(rsi(series.close, 14).at(-1) ?? -1);
  expect(yearFigures(series, NO_INDEX, stockAt(1))?.macdLevel).toBeNumber();
  const short = yearFigures(bars(START, closes.slice(1)), NO_INDEX, stockAt(1));
  expect(short).toMatchObject({ rsi: null, macdLevel: null });
});

test("a year has at most 262 weekdays and 366 days", () => {
  expect(yearOfBars("stock")).toBeGreaterThanOrEqual(262);
  expect(yearOfBars("cryptocurrency")).toBeGreaterThanOrEqual(366);
});
