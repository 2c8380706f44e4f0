import { describe, test } from "bun:test";
import { rsi } from "#analytics/rsi.ts";
import { column } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, expectTulip, skenderBars, spyBars, testWitness } from "./witness.ts";

describe("rsi", () => {
  test("compares Wilder's averages of gains and losses", () => {
    // Changes +1, −1, +2, −3.
    // Bar 2: U = (1 + 0) / 2, D = (0 + 1) / 2            -> 100 − 100 / (1 + 1)        = 50
    // Bar 3: U = (0.5 + 2) / 2 = 1.25, D = 0.5 / 2 = 0.25 -> 100 − 100 / (1 + 5)
    // Bar 4: U = 1.25 / 2 = 0.625, D = (0.25 + 3) / 2     -> 100 − 100 / (1 + 5/13)
    expectSeries(rsi(column(10, 11, 10, 12, 9), 2), [NaN, NaN, 50, 500 / 6, 500 / 18]);
  });

  test("is 100 without losses and 0 without gains", () => {
    expectSeries(rsi(column(1, 2, 3, 4), 2), [NaN, NaN, 100, 100]);
    expectSeries(rsi(column(4, 3, 2, 1), 2), [NaN, NaN, 0, 0]);
  });

  test("is 100 for flat prices, which have no loss", () => {
    expectSeries(rsi(column(5, 5, 5), 2), [NaN, NaN, 100]);
  });

  testWitness("agrees with Skender", () => {
    expectSkender(rsi(skenderBars().close, 14), "rsi", "rsi");
  });

  testWitness("agrees with Tulip", () => {
    expectTulip(rsi(spyBars().close, 14), "rsi");
  });
});

describeIndicator("RSI (14)", ({ close }) => rsi(close, 14), {
  firstBar: 14,
  unit: "none",
  bounds: [0, 100],
});
