import { describe, expect, test } from "bun:test";
import {
  bollinger,
  dividendsOfYear,
  exponentialMean,
  known,
} from "#console/app/pages/symbol/chart-extra-lines.ts";

const bars = [1, 2, 3, 5, 4].map((close, i) => ({
  date: `2026-01-0${i + 1}`,
  open: close,
  high: close,
  low: close,
  close,
  volume: null,
}));
const values = (points: readonly { readonly value?: number }[]) =>
  points.map(({ value }) => (value === undefined ? null : Number(value.toFixed(6))));

describe("lines of chosen lengths", () => {
  test("an exponential mean begins with the mean of the first closes", () => {
    // α = 2 / 4: (1 + 2 + 3) / 3 = 2, then 2 + (5 − 2) / 2 and 3.5 + (4 − 3.5) / 2.
    expect(values(exponentialMean(bars, 3))).toEqual([null, null, 2, 3.5, 3.75]);
  });

  test("Bollinger bands are two standard deviations from the mean", () => {
    // Of 1, 2, 3: mean 2, variance 2 / 3. Of 2, 3, 5: mean 10 / 3, variance 14 / 9. Of 3, 5, 4: mean 4, variance 2 / 3.
    const { upper, lower } = bollinger(bars, 3);
    const [a, b] = [2 * Math.sqrt(2 / 3), 2 * Math.sqrt(14 / 9)];
    const round = (all: readonly number[]) => all.map((one) => Number(one.toFixed(6)));
    expect(values(upper).slice(2)).toEqual(round([2 + a, 10 / 3 + b, 4 + a]));
    expect(values(lower).slice(2)).toEqual(round([2 - a, 10 / 3 - b, 4 - a]));
  });
});

test("a figure of a report is known from its filing on", () => {
  const dates = bars.map(({ date }) => date);
  const reports = [
    ["2026-01-04", 9],
    ["2025-12-31", null],
    ["2026-01-02", 7],
  ] as const;
  expect(values(known(dates, reports))).toEqual([null, 7, 7, 9, 9]);
});

test("dividends of a year are the sum of twelve months, once a whole year of them is known", () => {
  const dividends = {
    columns: ["ex_date", "amount"],
    rows: [
      ["2024-03-01", 1],
      ["2024-09-01", 1],
      ["2025-03-03", 1.5],
    ],
  };
  const dates = ["2024-12-31", "2025-02-28", "2025-03-01", "2025-03-03", "2025-09-01"];
  // The first dividend is of 1 March 2024. On 1 September 2025, the one of a year before is over.
  expect(values(dividendsOfYear(dates, { dividends } as never))).toEqual([null, null, 1, 2.5, 1.5]);
});
