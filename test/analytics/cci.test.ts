import { describe, test } from "bun:test";
import { cci, typicalPrice } from "#analytics/cci.ts";
import { column } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, expectTulip, skenderBars, spyBars, testWitness } from "./witness.ts";

describe("typicalPrice", () => {
  test("is the mean of high, low and close", () => {
    expectSeries(typicalPrice(column(12), column(6), column(9.6)), [9.2]); // 27.6 / 3
  });
});

describe("cci", () => {
  test("measures the distance from the average in mean absolute deviations", () => {
    // Mean 3, deviation (2 + 1 + 3) / 3 = 2, (6 − 3) / (0.015 · 2) = 100; then mean 4,
    // deviation (2 + 2 + 0) / 3 = 4/3 and no distance.
    expectSeries(cci(column(1, 2, 6, 4), 3), [NaN, NaN, 100, 0]);
  });

  test("is NaN for flat prices, also if their sum is not exact in doubles", () => {
    const flat = new Float64Array(25).fill(100.1);
    expectSeries(cci(flat, 20), new Float64Array(25).fill(NaN));
    expectSeries(cci(typicalPrice(flat, flat, flat), 20), new Float64Array(25).fill(NaN));
  });

  testWitness("agrees with Skender", () => {
    const { high, low, close } = skenderBars();
    expectSkender(cci(typicalPrice(high, low, close), 20), "cci", "cci");
  });

  testWitness("agrees with Tulip", () => {
    const { high, low, close } = spyBars();
    expectTulip(typicalPrice(high, low, close), "typprice");
    expectTulip(cci(typicalPrice(high, low, close), 14), "cci");
  });
});

describeIndicator("CCI (20)", ({ high, low, close }) => cci(typicalPrice(high, low, close), 20), {
  firstBar: 19,
  unit: "none",
});
