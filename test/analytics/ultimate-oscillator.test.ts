import { describe, test } from "bun:test";
import { ultimateOscillator } from "#analytics/ultimate-oscillator.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { barsOf, flatBars } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, skenderBars, testWitness } from "./witness.ts";

const standard = ({ high, low, close }: BarSeries) =>
  ultimateOscillator(high, low, close, 7, 14, 28);

describe("ultimateOscillator", () => {
  test("weights the buying pressure of three periods 4 : 2 : 1", () => {
    const { high, low, close } = barsOf([
      [10, 8, 9],
      [12, 9, 11], // pressure 11 − 9 = 2, true range 3
      [11, 7, 8], // pressure 8 − 7 = 1, true range 4
      [13, 9, 12], // pressure 12 − 8 = 4, true range 13 − 8 = 5
    ]);
    // Shares: 4/5, (1 + 4) / (4 + 5), (2 + 1 + 4) / (3 + 4 + 5)
    const expected = (100 * (4 * (4 / 5) + 2 * (5 / 9) + 7 / 12)) / 7;
    expectSeries(ultimateOscillator(high, low, close, 1, 2, 3), [NaN, NaN, NaN, expected]);
  });

  test("is NaN if one of its periods has no range", () => {
    expectSeries(standard(flatBars(40, 5)), new Float64Array(40).fill(NaN));
  });

  testWitness("agrees with Skender", () => {
    expectSkender(standard(skenderBars()), "uo", "ultimate");
  });
});

describeIndicator("Ultimate Oscillator (7, 14, 28)", standard, {
  firstBar: 28,
  unit: "none",
  bounds: [0, 100],
});
