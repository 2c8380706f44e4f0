import { describe, test } from "bun:test";
import { awesomeOscillator } from "#analytics/awesome-oscillator.ts";
import { column } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, expectTulip, skenderBars, spyBars, testWitness } from "./witness.ts";

describe("awesomeOscillator", () => {
  test("is the fast minus the slow average of the median price", () => {
    // Median prices 3, 6, 12: (6 + 12) / 2 − (3 + 6 + 12) / 3 = 2.
    expectSeries(awesomeOscillator(column(4, 8, 13), column(2, 4, 11), 2, 3), [NaN, NaN, 2]);
  });

  test("of flat prices is exactly zero", () => {
    const flat = new Float64Array(40).fill(100.1);
    expectSeries(awesomeOscillator(flat, flat, 5, 34).subarray(33), new Float64Array(7), 0);
  });

  testWitness("agrees with Skender", () => {
    const { high, low } = skenderBars();
    expectSkender(awesomeOscillator(high, low, 5, 34), "awesome", "oscillator");
  });

  testWitness("agrees with Tulip", () => {
    const { high, low } = spyBars();
    expectTulip(awesomeOscillator(high, low, 5, 34), "ao");
  });
});

describeIndicator("Awesome Oscillator", ({ high, low }) => awesomeOscillator(high, low, 5, 34), {
  firstBar: 33,
  unit: "price",
});
