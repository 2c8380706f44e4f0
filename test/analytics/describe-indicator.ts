import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Series } from "#analytics/series.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { barsOf, type BarRow, sliceBars } from "./bars.ts";
import { expectSeries } from "./expect-series.ts";

/** The properties of an indicator in addition to its formula. */
export interface IndicatorProperties {
  /** The first bar that has a value, counted from 0. */
  readonly firstBar: number;
  /** Doubling all prices doubles the value (`price`) or does not change it. */
  readonly unit: "price" | "none";
  /** The smallest and the largest possible value. */
  readonly bounds?: readonly [number, number];
}

/**
 * Ordinary bars: every bar has a range and a volume, and every close differs from the previous one,
 * first up, then down, then either way, so that no denominator is zero.
 */
export function ordinaryBars(minCount: number, maxCount: number): fc.Arbitrary<BarSeries> {
  const step = fc.record({
    move: fc.integer({ min: 1, max: 50 }),
    falls: fc.boolean(),
    above: fc.integer({ min: 1, max: 30 }),
    below: fc.integer({ min: 1, max: 30 }),
    volume: fc.integer({ min: 1, max: 1_000_000 }),
  });
  return fc.array(step, { minLength: minCount, maxLength: maxCount, size: "max" }).map((steps) => {
    let close = 100;
    return barsOf(
      steps.map(({ move, falls, above, below, volume }, i): BarRow => {
        const open = close;
        const sinks = i === 1 ? false : i === 2 ? true : falls;
        close *= 1 + (sinks ? -move : move) / 1000;
        const high = Math.max(open, close) * (1 + above / 1000);
        const low = Math.min(open, close) * (1 - below / 1000);
        return [high, low, close, volume];
      }),
    );
  });
}

/** Tests the laws of every indicator on an indicator with its parameters. */
export function describeIndicator(
  name: string,
  compute: (bars: BarSeries) => Series,
  { firstBar, unit, bounds: [least, greatest] = [-Infinity, Infinity] }: IndicatorProperties,
): void {
  const always = (law: (bars: BarSeries) => void) =>
    fc.assert(fc.property(ordinaryBars(0, 110), law), {
      numRuns: 40,
      examples: [0, 1, firstBar, firstBar + 1, firstBar + 2].map((count) => [zigzag(count)]),
    });

  describe(`${name} obeys the laws of an indicator:`, () => {
    test(`it has no value before bar ${firstBar} and one at every bar from there on`, () => {
      always((bars) => {
        const wanted = Array.from(bars.close, (_, i) => i >= firstBar);
        expect(Array.from(compute(bars), (value) => Number.isFinite(value))).toEqual(wanted);
      });
    });

    test("its past never changes when bars are appended", () => {
      always((bars) => {
        const count = bars.close.length;
        const whole = compute(bars);
        for (const cut of [Math.floor(count / 2), Math.max(count - 1, 0)]) {
          expectSeries(compute(sliceBars(bars, 0, cut)), whole.subarray(0, cut), 0);
        }
      });
    });

    test(`twice the price means ${unit === "price" ? "twice the" : "the same"} value`, () => {
      always((bars) => {
        const twice = (values: Float64Array) => values.map((value) => 2 * value);
        const doubled = {
          ...bars,
          open: twice(bars.open),
          high: twice(bars.high),
          low: twice(bars.low),
          close: twice(bars.close),
        };
        const values = compute(bars);
        expectSeries(compute(doubled), unit === "price" ? twice(values) : values, 0);
      });
    });

    test("it does not change its bars", () => {
      always((bars) => {
        const before = sliceBars(bars, 0, bars.close.length);
        compute(bars);
        expect(bars).toEqual(before);
      });
    });

    if (Number.isFinite(least) || Number.isFinite(greatest)) {
      test(`it stays within ${least} and ${greatest}`, () => {
        always((bars) => {
          const outside = compute(bars).filter(
            (value) => value < least - 1e-9 || value > greatest + 1e-9,
          );
          expect(outside).toHaveLength(0);
        });
      });
    }
  });
}

/** Prices that alternately rise by 2 and fall by 1. */
function zigzag(count: number): BarSeries {
  return barsOf(
    Array.from({ length: count }, (_, i): BarRow => {
      const close = 100 + Math.floor(i / 2) + (i % 2) * 2;
      return [close + 1, close - 1, close, 1000 + i];
    }),
  );
}
