import { describe, test } from "bun:test";
import { momentum } from "#analytics/momentum.ts";
import { column } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, expectTulip, skenderBars, spyBars, testWitness } from "./witness.ts";

describe("momentum", () => {
  test("is a difference, not a ratio", () => {
    expectSeries(momentum(column(10, 20, 15, 26), 2), [NaN, NaN, 5, 6]); // 15 − 10, 26 − 20
  });

  test("of flat prices is zero", () => {
    expectSeries(momentum(column(7, 7, 7), 2), [NaN, NaN, 0]);
  });

  testWitness("agrees with Skender", () => {
    expectSkender(momentum(skenderBars().close, 14), "roc", "momentum");
  });

  testWitness("agrees with Tulip", () => {
    expectTulip(momentum(spyBars().close, 10), "mom");
  });
});

describeIndicator("Momentum (10)", ({ close }) => momentum(close, 10), {
  firstBar: 10,
  unit: "price",
});
