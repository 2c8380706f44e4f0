import { describe, test } from "bun:test";
import { bullBearPower } from "#analytics/bull-bear-power.ts";
import { column } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, skenderBars, testWitness } from "./witness.ts";

describe("bullBearPower", () => {
  test("is the high and the low minus the average of the close", () => {
    // EMA2 of 1, 2, 4: 3/2 at bar 1, 3/2 + 2/3 · 5/2 = 19/6 at bar 2.
    const { bull, bear } = bullBearPower(column(2, 3, 5), column(0, 1, 3), column(1, 2, 4), 2);
    expectSeries(bull, [NaN, 3 - 3 / 2, 5 - 19 / 6]);
    expectSeries(bear, [NaN, 1 - 3 / 2, 3 - 19 / 6]);
  });

  testWitness("agrees with Skender", () => {
    const { high, low, close } = skenderBars();
    const { bull, bear } = bullBearPower(high, low, close, 13);
    expectSkender(bull, "elder-ray", "bullPower");
    expectSkender(bear, "elder-ray", "bearPower");
  });
});

describeIndicator("Bull Power (13)", (b) => bullBearPower(b.high, b.low, b.close, 13).bull, {
  firstBar: 12,
  unit: "price",
});
describeIndicator("Bear Power (13)", (b) => bullBearPower(b.high, b.low, b.close, 13).bear, {
  firstBar: 12,
  unit: "price",
});
