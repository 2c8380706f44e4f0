import { describe, expect, test } from "bun:test";
import { rma } from "#analytics/moving-averages.ts";
import {
  barsAgo,
  emptySeries,
  highest,
  lowest,
  mean,
  rolling,
  trueRange,
} from "#analytics/series.ts";
import { column } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, skenderBars, testWitness } from "./witness.ts";

describe("a series", () => {
  test("is NaN at every bar if it is empty", () => {
    expectSeries(emptySeries(2), [NaN, NaN]);
    expectSeries(emptySeries(0), []);
  });

  test("is read from its end, and is NaN before its first bar", () => {
    const series = column(4, 5, 6);
    expect([0, 1, 2, 3].map((bars) => barsAgo(series, bars))).toEqual([6, 5, 4, NaN]);
    expect(barsAgo(column(), 0)).toBeNaN();
  });
});

describe("a rolling value", () => {
  test("is placed at the last bar of its window", () => {
    expectSeries(
      rolling(4, 3, (from, to) => 10 * from + to),
      [NaN, NaN, 3, 14],
    );
  });

  test("does not exist if the window is longer than the series", () => {
    expectSeries(
      rolling(2, 3, () => 1),
      [NaN, NaN],
    );
  });
});

describe("mean", () => {
  test("covers only the given range", () => {
    expect(mean(column(100, 1, 2, 6, 100), 1, 4)).toBe(3); // (1 + 2 + 6) / 3
  });

  test("of equal values is that value without rounding", () => {
    const tenth = new Float64Array(10).fill(0.1);
    expect(mean(tenth, 0, 10)).toBe(0.1); // adding 0.1 ten times gives 0.9999999999999999
  });
});

describe("highest and lowest", () => {
  test("ignore values outside the window", () => {
    const values = column(9, 1, 5, 4, 6);
    expectSeries(highest(values, 3), [NaN, NaN, 9, 5, 6]);
    expectSeries(lowest(values, 3), [NaN, NaN, 1, 1, 4]);
  });

  test("are NaN if a value of the window is missing", () => {
    const values = column(NaN, 3, 4);
    expectSeries(highest(values, 2), [NaN, NaN, 4]);
    expectSeries(lowest(values, 2), [NaN, NaN, 3]);
  });
});

describe("trueRange", () => {
  test("extends the range to the previous close, and is NaN at the first bar", () => {
    // Inside: 12 − 9; gap up from 10: 15 − 10; gap down from 14: 14 − 7.
    const range = trueRange(column(11, 12, 15, 9), column(9, 9, 13, 7), column(10, 10, 14, 8));
    expectSeries(range, [NaN, 3, 5, 7]);
  });

  testWitness("and its Wilder average agree with Skender's ATR (14)", () => {
    const { high, low, close } = skenderBars();
    const range = trueRange(high, low, close);
    expectSkender(range, "atr", "tr");
    expectSkender(rma(range, 14), "atr", "atr");
  });
});

describeIndicator("true range", ({ high, low, close }) => trueRange(high, low, close), {
  firstBar: 1,
  unit: "price",
  bounds: [0, Infinity],
});
