import { describe, test } from "bun:test";
import { macd } from "#analytics/macd.ts";
import { column } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, skenderBars, testWitness } from "./witness.ts";

describe("macd", () => {
  test("is the fast minus the slow average, and its signal is seeded with the first levels", () => {
    // EMA2 (α 2/3): 3/2, 19/6, 115/18, 691/54; EMA3 (α 1/2): 7/3, 31/6, 127/12.
    // Level: 19/6 − 7/3 = 5/6, 115/18 − 31/6 = 11/9, 691/54 − 127/12 = 239/108.
    // Signal: (5/6 + 11/9) / 2 = 37/36, then 37/36 + 2/3 · (239/108 − 37/36) = 589/324.
    const { level, signal } = macd(column(1, 2, 4, 8, 16), 2, 3, 2);
    expectSeries(level, [NaN, NaN, 5 / 6, 11 / 9, 239 / 108]);
    expectSeries(signal, [NaN, NaN, NaN, 37 / 36, 589 / 324]);
  });

  test("of flat prices is exactly zero", () => {
    const { level, signal } = macd(new Float64Array(40).fill(100.1), 12, 26, 9);
    expectSeries(level.subarray(25), new Float64Array(15), 0);
    expectSeries(signal.subarray(33), new Float64Array(7), 0);
  });

  // Tulip is not used here, because its MACD (12, 26) has other weights.
  testWitness("agrees with Skender", () => {
    const { level, signal } = macd(skenderBars().close, 12, 26, 9);
    expectSkender(level, "macd", "macd");
    expectSkender(signal, "macd", "signal");
  });
});

describeIndicator("MACD (12, 26) level", ({ close }) => macd(close, 12, 26, 9).level, {
  firstBar: 25,
  unit: "price",
});
describeIndicator("MACD (12, 26, 9) signal", ({ close }) => macd(close, 12, 26, 9).signal, {
  firstBar: 33,
  unit: "price",
});
