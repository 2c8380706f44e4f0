import { describe, test } from "bun:test";
import { directionalMovement } from "#analytics/directional-movement.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { type BarRow, barsOf, flatBars } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, skenderBars, spyBars, testWitness, tulipTail } from "./witness.ts";

const dmi = ({ high, low, close }: BarSeries, period = 14) =>
  directionalMovement(high, low, close, period, period);

describe("directionalMovement", () => {
  test("divides Wilder's averages of the moves by that of the true range", () => {
    const { plusDi, minusDi, adx } = dmi(
      barsOf([
        [10, 8, 9],
        [12, 9, 11], // +2, true range 3
        [11, 7, 8], // −2, true range 4
        [13, 9, 12], // +2, true range 13 − 8 = 5
        [14, 12, 13], // +1, true range 2
      ]),
      2,
    );
    // True range: (3 + 4) / 2 = 3.5, (3.5 + 5) / 2 = 4.25, (4.25 + 2) / 2 = 3.125
    // Plus: (2 + 0) / 2 = 1, 1.5, 1.25; minus: (0 + 2) / 2 = 1, 0.5, 0.25
    expectSeries(plusDi, [NaN, NaN, 100 / 3.5, 150 / 4.25, 40]);
    expectSeries(minusDi, [NaN, NaN, 100 / 3.5, 50 / 4.25, 8]);
    // DX: 0, 100 · 100/200 = 50, 100 · 32/48; ADX: (0 + 50) / 2 = 25, (25 + 200/3) / 2
    expectSeries(adx, [NaN, NaN, NaN, 25, 275 / 6]);
  });

  test("counts only the greater of two moves, and neither of two equal ones", () => {
    // Up 1 and down 3: true range 11 − 5 = 6; then up 2 and down 2: true range 13 − 3 = 10.
    const { plusDi, minusDi } = dmi(
      barsOf([
        [10, 8, 9],
        [11, 5, 9],
        [13, 3, 9],
      ]),
      1,
    );
    expectSeries(plusDi, [NaN, 0, 0]);
    expectSeries(minusDi, [NaN, 50, 0]);
  });

  test("has an ADX of 0 with range but without direction", () => {
    const inside = Array.from({ length: 30 }, (): BarRow => [11, 9, 10]);
    expectSeries(dmi(barsOf(inside)).adx.subarray(27), [0, 0, 0]);
  });

  test("is NaN if prices never moved", () => {
    const { plusDi, minusDi, adx } = dmi(flatBars(30, 5));
    for (const line of [plusDi, minusDi, adx]) expectSeries(line, new Float64Array(30).fill(NaN));
  });

  testWitness("agrees with Skender", () => {
    const { plusDi, minusDi, adx } = dmi(skenderBars());
    expectSkender(plusDi, "adx", "pdi");
    expectSkender(minusDi, "adx", "mdi");
    expectSkender(adx, "adx", "adx");
  });

  // On 2014-03-07, the 468th of these bars, SPY moved 0.35 up and 0.35 down. Wilder counts neither of
  // two equal moves, Tulip counts both; the difference fades out of an average of 14 after 300 bars.
  testWitness("agrees with Tulip's DX, but in the wake of one tie", () => {
    const { plusDi, minusDi } = dmi(spyBars());
    const expected = tulipTail("dx");
    const dx = plusDi
      .map((plus, i) => {
        const minus = minusDi[i] ?? NaN;
        return (100 * Math.abs(plus - minus)) / (plus + minus);
      })
      .subarray(-expected.length);
    expectSeries(dx.subarray(0, 467), expected.subarray(0, 467), 1e-8);
    expectSeries(dx.subarray(767), expected.subarray(767), 1e-8);
  });
});

describeIndicator("+DI (14)", (bars) => dmi(bars).plusDi, {
  firstBar: 14,
  unit: "none",
  bounds: [0, 100],
});
describeIndicator("−DI (14)", (bars) => dmi(bars).minusDi, {
  firstBar: 14,
  unit: "none",
  bounds: [0, 100],
});
describeIndicator("ADX (14, 14)", (bars) => dmi(bars).adx, {
  firstBar: 27,
  unit: "none",
  bounds: [0, 100],
});
