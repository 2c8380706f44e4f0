import { describe, expect, test } from "bun:test";
import { ema, hma, rma, sma, vwma, wma } from "#analytics/moving-averages.ts";
import type { Series } from "#analytics/series.ts";
import { column } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, expectTulip, skenderBars, spyBars, testWitness } from "./witness.ts";

describe("sma", () => {
  test("is the plain mean of the window", () => {
    expectSeries(sma(column(1, 2, 6, 7), 3), [NaN, NaN, 3, 5]); // 9 / 3, 15 / 3
  });

  test("has a value again after NaN has left the window", () => {
    expectSeries(sma(column(1, NaN, 3, 5), 2), [NaN, NaN, NaN, 4]);
  });
});

describe("ema", () => {
  test("is seeded with the mean of the first values and then weights by 2 / (period + 1)", () => {
    // Seed (2 + 4 + 6) / 3 = 4, then 4 + (10 − 4) / 2 = 7 and 7 + (3 − 7) / 2 = 5.
    expectSeries(ema(column(2, 4, 6, 10, 3), 3), [NaN, NaN, 4, 7, 5]);
  });

  test("begins after leading NaN", () => {
    expectSeries(ema(column(NaN, NaN, 2, 4, 6, 10), 3), [NaN, NaN, NaN, NaN, 4, 7]);
  });
});

describe("rma", () => {
  test("is seeded with the mean of the first values and then weights by 1 / period", () => {
    // Seed (3 + 6 + 9) / 3 = 6, then 6 + (12 − 6) / 3 = 8 and 8 + (2 − 8) / 3 = 6.
    expectSeries(rma(column(3, 6, 9, 12, 2), 3), [NaN, NaN, 6, 8, 6]);
  });
});

describe("wma", () => {
  test("weights the latest value most", () => {
    // (1 · 1 + 2 · 2 + 3 · 6) / 6, (1 · 2 + 2 · 6 + 3 · 7) / 6
    expectSeries(wma(column(1, 2, 6, 7), 3), [NaN, NaN, 23 / 6, 35 / 6]);
  });
});

describe("hma", () => {
  test("averages twice the fast minus the slow weighted average", () => {
    // WMA2: 6 and 29/3 at the last two bars; WMA4: 45/10 and 75/10; 2 · WMA2 − WMA4: 15/2 and 71/6;
    // WMA2 of these: (15/2 + 2 · 71/6) / 3 = 187/18.
    expectSeries(hma(column(1, 2, 4, 7, 11), 4), [NaN, NaN, NaN, NaN, 187 / 18]);
  });

  test("rounds half of an odd period down: HMA (9) does not lag on a straight line", () => {
    // On a line of slope 1, WMA(n) lags by (n − 1) / 3: 2 · (x − 1) − (x − 8/3) = x + 2/3, and WMA(3)
    // takes the 2/3 back. With a half of 5 it would be 2/3 behind.
    const line = Float64Array.from({ length: 20 }, (_, i) => i);
    expectSeries(hma(line, 9).subarray(10), line.subarray(10));
  });
});

describe("vwma", () => {
  test("weights each close by its volume", () => {
    // (10 · 1 + 20 · 3) / 4 and (20 · 3 + 30 · 2) / 5
    expectSeries(vwma(column(10, 20, 30), column(1, 3, 2), 2), [NaN, 17.5, 24]);
  });

  test("is NaN without volume in the window", () => {
    expectSeries(vwma(column(10, 20, 30), column(1, 0, 0), 2), [NaN, 10, NaN]);
  });

  test("is NaN if a volume of the window is unknown, and recovers after it", () => {
    const values = vwma(column(10, 20, 30, 40, 50), column(1, 1, NaN, 1, 1), 2);
    expectSeries(values, [NaN, 15, NaN, NaN, 45]);
  });
});

const averages: [name: string, average: (close: Series) => Series][] = [
  ["SMA", (close) => sma(close, 10)],
  ["EMA", (close) => ema(close, 10)],
  ["RMA", (close) => rma(close, 10)],
  ["WMA", (close) => wma(close, 10)],
  ["HMA", (close) => hma(close, 10)],
  ["VWMA", (close) => vwma(close, close, 10)],
];

test.each(averages)("the %s of flat prices is exactly the price", (_, average) => {
  const values = average(new Float64Array(40).fill(100.1)).filter((value) => !Number.isNaN(value));
  expect(values.length).toBeGreaterThan(20);
  expect(new Set(values)).toEqual(new Set([100.1]));
});

test.each(averages)("the %s of no bar is empty, of one bar without a value", (_, average) => {
  expectSeries(average(column()), []);
  expectSeries(average(column(5)), [NaN]);
});

describe("moving averages", () => {
  testWitness("agree with Skender, from the first bar on", () => {
    const { close, volume } = skenderBars();
    expectSkender(sma(close, 20), "sma", "sma");
    expectSkender(sma(close, 20), "bb", "sma");
    expectSkender(ema(close, 20), "ema", "ema");
    expectSkender(ema(close, 12), "macd", "fastEma");
    expectSkender(ema(close, 26), "macd", "slowEma");
    expectSkender(ema(close, 13), "elder-ray", "ema");
    expectSkender(rma(close, 20), "smma", "smma");
    expectSkender(wma(close, 14), "wma", "wma");
    expectSkender(hma(close, 14), "hma", "hma");
    expectSkender(vwma(close, volume, 14), "vwma", "vwma");
  });

  testWitness("agree with Tulip", () => {
    const { close, volume } = spyBars();
    expectTulip(sma(close, 20), "sma");
    expectTulip(ema(close, 20), "ema");
    expectTulip(rma(close, 14), "wilders");
    expectTulip(wma(close, 20), "wma");
    expectTulip(hma(close, 9), "hma");
    expectTulip(vwma(close, volume, 20), "vwma");
  });
});

describeIndicator("SMA (10)", ({ close }) => sma(close, 10), { firstBar: 9, unit: "price" });
describeIndicator("EMA (10)", ({ close }) => ema(close, 10), { firstBar: 9, unit: "price" });
describeIndicator("RMA (14)", ({ close }) => rma(close, 14), { firstBar: 13, unit: "price" });
describeIndicator("WMA (9)", ({ close }) => wma(close, 9), { firstBar: 8, unit: "price" });
describeIndicator("HMA (14)", ({ close }) => hma(close, 14), { firstBar: 15, unit: "price" });
describeIndicator("HMA (9)", ({ close }) => hma(close, 9), { firstBar: 10, unit: "price" });
describeIndicator("VWMA (20)", ({ close, volume }) => vwma(close, volume, 20), {
  firstBar: 19,
  unit: "price",
});
