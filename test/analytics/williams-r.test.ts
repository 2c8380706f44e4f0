import { describe, test } from "bun:test";
import { williamsR } from "#analytics/williams-r.ts";
import { barsOf, flatBars } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, expectTulip, skenderBars, spyBars, testWitness } from "./witness.ts";

describe("williamsR", () => {
  test("is 0 at the highest high and −100 at the lowest low", () => {
    const { high, low, close } = barsOf([
      [10, 6, 8],
      [12, 8, 12],
      [11, 9, 10],
      [11, 8, 8],
    ]);
    // −100 · (12 − 12) / (12 − 6), −100 · (12 − 10) / (12 − 8), −100 · (11 − 8) / (11 − 8)
    expectSeries(williamsR(high, low, close, 2), [NaN, 0, -50, -100]);
  });

  test("is NaN if the range is zero", () => {
    const { high, low, close } = flatBars(2, 5);
    expectSeries(williamsR(high, low, close, 2), [NaN, NaN]);
  });

  testWitness("agrees with Skender", () => {
    const { high, low, close } = skenderBars();
    expectSkender(williamsR(high, low, close, 14), "willr", "williamsR");
  });

  testWitness("agrees with Tulip", () => {
    const { high, low, close } = spyBars();
    expectTulip(williamsR(high, low, close, 14), "willr");
  });
});

describeIndicator("Williams %R (14)", (bars) => williamsR(bars.high, bars.low, bars.close, 14), {
  firstBar: 13,
  unit: "none",
  bounds: [-100, 0],
});
