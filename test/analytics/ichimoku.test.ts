import { describe, test } from "bun:test";
import { ichimoku } from "#analytics/ichimoku.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { barsOf, column } from "./bars.ts";
import { describeIndicator } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { expectSkender, skenderBars, testWitness } from "./witness.ts";

const standard = ({ high, low }: BarSeries) => ichimoku(high, low, 9, 26, 52, 26);

describe("ichimoku", () => {
  test("is the midpoints of ranges, with the leads moved forward", () => {
    const { high, low } = barsOf([
      [10, 6, 8],
      [12, 8, 11],
      [11, 9, 10],
      [14, 10, 13],
      [15, 11, 12],
    ]);
    const lines = ichimoku(high, low, 2, 3, 4, 1);
    // (12 + 6) / 2, (12 + 8) / 2, (14 + 9) / 2, (15 + 10) / 2
    expectSeries(lines.conversion, [NaN, 9, 10, 11.5, 12.5]);
    // (12 + 6) / 2, (14 + 8) / 2, (15 + 9) / 2
    expectSeries(lines.base, [NaN, NaN, 9, 11, 12]);
    // One bar later: (10 + 9) / 2, (11.5 + 11) / 2
    expectSeries(lines.lead1, [NaN, NaN, NaN, 9.5, 11.25]);
    // One bar later: (14 + 6) / 2
    expectSeries(lines.lead2, [NaN, NaN, NaN, NaN, 10]);
  });

  test("has no leads if the displacement is longer than the history", () => {
    expectSeries(ichimoku(column(2, 2), column(1, 1), 1, 1, 1, 3).lead1, [NaN, NaN]);
  });

  testWitness("agrees with Skender", () => {
    const lines = standard(skenderBars());
    expectSkender(lines.conversion, "ichimoku", "tenkanSen");
    expectSkender(lines.base, "ichimoku", "kijunSen");
    expectSkender(lines.lead1, "ichimoku", "senkouSpanA");
    expectSkender(lines.lead2, "ichimoku", "senkouSpanB");
  });
});

describeIndicator("Ichimoku conversion line", (bars) => standard(bars).conversion, {
  firstBar: 8,
  unit: "price",
});
describeIndicator("Ichimoku base line", (bars) => standard(bars).base, {
  firstBar: 25,
  unit: "price",
});
describeIndicator("Ichimoku lead 1", (bars) => standard(bars).lead1, {
  firstBar: 51,
  unit: "price",
});
describeIndicator("Ichimoku lead 2", (bars) => standard(bars).lead2, {
  firstBar: 77,
  unit: "price",
});
