import { describe, test } from "bun:test";
import { rsi } from "#analytics/rsi.ts";
import { rangePosition, stochastic, stochasticRsi } from "#analytics/stochastic.ts";
import { barsOf, column, flatBars } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, expectTulip, skenderBars, spyBars, testWitness } from "./witness.ts";

const { high, low, close } = barsOf([
  [10, 6, 8],
  [12, 8, 11],
  [11, 9, 10],
  [14, 10, 13],
  [15, 11, 12],
]);

describe("rangePosition", () => {
  test("is 0 at the lowest low and 100 at the highest high", () => {
    // (10 − 6) / (12 − 6), (13 − 8) / (14 − 8), (12 − 9) / (15 − 9)
    expectSeries(rangePosition(high, low, close, 3), [NaN, NaN, 400 / 6, 500 / 6, 50]);
  });

  test("is NaN if the range is zero", () => {
    const bars = flatBars(3, 5);
    expectSeries(rangePosition(bars.high, bars.low, bars.close, 2), [NaN, NaN, NaN]);
  });
});

describe("stochastic", () => {
  test("smooths the position into %K and %K into %D", () => {
    // %K: (400/6 + 500/6) / 2 = 75, (500/6 + 50) / 2 = 200/3; %D: (75 + 200/3) / 2 = 425/6.
    const { k, d } = stochastic(high, low, close, 3, 2, 2);
    expectSeries(k, [NaN, NaN, NaN, 75, 200 / 3]);
    expectSeries(d, [NaN, NaN, NaN, NaN, 425 / 6]);
  });

  test("has a value again after a zero range has left its averages", () => {
    const bars = barsOf([
      [5, 5, 5],
      [5, 5, 5],
      [6, 4, 5],
      [6, 4, 6],
      [6, 4, 4],
    ]);
    // Position: none, 50, 100, 0; %K: none, (50 + 100) / 2, (100 + 0) / 2.
    const { k } = stochastic(bars.high, bars.low, bars.close, 2, 2, 2);
    expectSeries(k, [NaN, NaN, NaN, 75, 50]);
  });

  testWitness("agrees with Skender", () => {
    const bars = skenderBars();
    const { k, d } = stochastic(bars.high, bars.low, bars.close, 14, 3, 3);
    expectSkender(k, "stoch", "k");
    expectSkender(d, "stoch", "d");
  });

  testWitness("agrees with Tulip", () => {
    const bars = spyBars();
    const { k, d } = stochastic(bars.high, bars.low, bars.close, 14, 3, 3);
    expectTulip(k, "stoch_k");
    expectTulip(d, "stoch_d");
  });
});

describe("stochasticRsi", () => {
  test("is the stochastic of the RSI", () => {
    // Position of 40, 60, 50 in the range of the last two: (60 − 40) / 20, (50 − 50) / 10.
    const { k } = stochasticRsi(column(NaN, 40, 60, 50), 2, 1, 1);
    expectSeries(k, [NaN, NaN, 100, 0]);
  });

  test("is NaN if the RSI does not change", () => {
    const { k } = stochasticRsi(column(100, 100, 100), 2, 1, 1);
    expectSeries(k, [NaN, NaN, NaN]);
  });

  testWitness("agrees with Skender, which does not smooth %K", () => {
    const { k, d } = stochasticRsi(rsi(skenderBars().close, 14), 14, 1, 3);
    expectSkender(k, "stoch-rsi", "stochRsi");
    expectSkender(d, "stoch-rsi", "signal");
  });

  testWitness("agrees with Tulip, which neither smooths nor takes percent", () => {
    const { k } = stochasticRsi(rsi(spyBars().close, 14), 14, 1, 1);
    expectTulip(
      k.map((value) => value / 100),
      "stochrsi",
    );
  });
});

describeIndicator(
  "Stochastic (14, 3, 3) %K",
  (b) => stochastic(b.high, b.low, b.close, 14, 3, 3).k,
  { firstBar: 15, unit: "none", bounds: [0, 100] },
);
describeIndicator(
  "Stochastic (14, 3, 3) %D",
  (b) => stochastic(b.high, b.low, b.close, 14, 3, 3).d,
  { firstBar: 17, unit: "none", bounds: [0, 100] },
);
describeIndicator("Stochastic RSI %K", (b) => stochasticRsi(rsi(b.close, 14), 14, 3, 3).k, {
  firstBar: 29,
  unit: "none",
  bounds: [0, 100],
});
describeIndicator("Stochastic RSI %D", (b) => stochasticRsi(rsi(b.close, 14), 14, 3, 3).d, {
  firstBar: 31,
  unit: "none",
  bounds: [0, 100],
});
