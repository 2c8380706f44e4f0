import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { awesomeOscillator } from "#analytics/awesome-oscillator.ts";
import { bullBearPower } from "#analytics/bull-bear-power.ts";
import { cci, typicalPrice } from "#analytics/cci.ts";
import { directionalMovement } from "#analytics/directional-movement.ts";
import { ichimoku } from "#analytics/ichimoku.ts";
import { macd } from "#analytics/macd.ts";
import { momentum } from "#analytics/momentum.ts";
import { ema, hma, sma, vwma } from "#analytics/moving-averages.ts";
import { rsi } from "#analytics/rsi.ts";
import type { Series } from "#analytics/series.ts";
import { stochastic, stochasticRsi } from "#analytics/stochastic.ts";
import { castVotes, rateVotes, type RatingInputs } from "#analytics/technical-rating.ts";
import { ratingInputs, technicals, TECHNICALS_MIN_BARS } from "#analytics/technicals.ts";
import { ultimateOscillator } from "#analytics/ultimate-oscillator.ts";
import { williamsR } from "#analytics/williams-r.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { averagesOf } from "./averages.ts";
import { type BarRow, barsOf, flatBars } from "./bars.ts";
import { ordinaryBars } from "./describe-indicator.ts";
import { expectSeries } from "./expect-series.ts";
import { skenderBars, skenderSeries, testWitness } from "./witness.ts";

const NOTHING = {
  rsi: null,
  macdLevel: null,
  macdSignal: null,
  stochK: null,
  stochD: null,
  cci: null,
  momentum: null,
  awesomeOscillator: null,
  ratings: { technical: null, movingAverages: null, oscillators: null },
};

/** Bars that rise by one a day from 10, with high and low one unit from the close. */
const climb = (count: number) =>
  barsOf(Array.from({ length: count }, (_, i): BarRow => [11 + i, 9 + i, 10 + i, 1000]));

/** The inputs with the published periods, each from its whole series. */
function inputsOfWholeSeries({ high, low, close, volume }: BarSeries): RatingInputs {
  const at = (series: Series, back = 0) => series[series.length - 1 - back] ?? NaN;
  const two = (series: Series): [number, number] => [at(series), at(series, 1)];
  const cloud = ichimoku(high, low, 9, 26, 52, 26);
  const slow = stochastic(high, low, close, 14, 3, 3);
  const slowRsi = stochasticRsi(rsi(close, 14), 14, 3, 3);
  const direction = directionalMovement(high, low, close, 14, 14);
  const awesome = awesomeOscillator(high, low, 5, 34);
  const lines = macd(close, 12, 26, 9);
  const power = bullBearPower(high, low, close, 13);
  return {
    close: at(close),
    averages: averagesOf((_, kind, period) =>
      at(kind === "vwma" ? vwma(close, volume, period) : { sma, ema, hma }[kind](close, period)),
    ),
    ichimoku: {
      conversion: at(cloud.conversion),
      base: at(cloud.base),
      lead1: at(cloud.lead1),
      lead2: at(cloud.lead2),
    },
    rsi: two(rsi(close, 14)),
    stochastic: { k: at(slow.k), d: at(slow.d) },
    cci: two(cci(close, 20)),
    adx: two(direction.adx),
    plusDi: at(direction.plusDi),
    minusDi: at(direction.minusDi),
    awesomeOscillator: [...two(awesome), at(awesome, 2)],
    momentum: two(momentum(close, 10)),
    macd: { level: at(lines.level), signal: at(lines.signal) },
    stochasticRsi: { k: at(slowRsi.k), d: at(slowRsi.d) },
    williamsR: two(williamsR(high, low, close, 14)),
    bullPower: two(power.bull),
    bearPower: two(power.bear),
    ultimateOscillator: at(ultimateOscillator(high, low, close, 7, 14, 28)),
  };
}

describe("technicals", () => {
  test("are all null below 34 bars and all known from 34 bars on", () => {
    for (const count of [0, 1, 2, TECHNICALS_MIN_BARS - 1]) {
      expect(technicals(climb(count))).toEqual(NOTHING);
    }
    const { ratings, ...values } = technicals(climb(34));
    expect(Object.values({ ...values, ...ratings })).not.toContain(null);
  });

  test("of a linear rise equal the arithmetic results", () => {
    const panel = technicals(climb(60));
    expect(panel.rsi).toBe(100);
    // An average of n values on a line of slope 1 lags (n − 1) / 2 bars: 12.5 − 5.5 and 16.5 − 2.
    expect(panel.macdLevel).toBeCloseTo(7, 9);
    expect(panel.macdSignal).toBeCloseTo(7, 9);
    expect(panel.awesomeOscillator).toBeCloseTo(14.5, 9);
    expect(panel.momentum).toBe(10);
    // The range of 14 bars is 13 + 2, and the close is 1 below its top.
    expect(panel.stochK).toBeCloseTo((100 * 14) / 15, 9);
    expect(panel.stochD).toBeCloseTo((100 * 14) / 15, 9);
    // 9.5 above the mean of 20 values; their mean deviation is 2 · (0.5 + 1.5 + … + 9.5) / 20 = 5.
    expect(panel.cci).toBeCloseTo(9.5 / (0.015 * 5), 9);
  });

  test("use the CCI of the typical price, and vote on the CCI of the close", () => {
    const rows = Array.from({ length: 40 }, (_, i): BarRow => [20 + i * i, 10, 15, 1000]);
    expect(technicals(barsOf(rows)).cci).toBeGreaterThan(100);
    expect(ratingInputs(barsOf(rows)).cci).toEqual([NaN, NaN]); // the close never moves
  });

  test("are the last values of the series", () => {
    fc.assert(
      fc.property(ordinaryBars(TECHNICALS_MIN_BARS, 110), (bars) => {
        const inputs = inputsOfWholeSeries(bars);
        expect(technicals(bars)).toMatchObject({
          rsi: inputs.rsi[0],
          macdLevel: inputs.macd.level,
          macdSignal: inputs.macd.signal,
          stochK: inputs.stochastic.k,
          stochD: inputs.stochastic.d,
          cci: cci(typicalPrice(bars.high, bars.low, bars.close), 20).at(-1),
          momentum: inputs.momentum[0],
          awesomeOscillator: inputs.awesomeOscillator[0],
          ratings: rateVotes(castVotes(inputs)),
        });
      }),
      { numRuns: 20 },
    );
  });

  test("of flat prices are null if they divide by a range", () => {
    const flat = technicals(flatBars(300, 100.1));
    expect(flat).toEqual({
      rsi: 100,
      macdLevel: 0,
      macdSignal: 0,
      stochK: null,
      stochD: null,
      cci: null,
      momentum: 0,
      awesomeOscillator: 0,
      ratings: { technical: 0, movingAverages: 0, oscillators: 0 },
    });
  });

  test("exclude the volume-weighted average if volume is unknown or zero", () => {
    const bars = climb(60);
    for (const volume of [NaN, 0]) {
      const inputs = ratingInputs({ ...bars, volume: bars.volume.map(() => volume) });
      expect(inputs).toEqual({
        ...ratingInputs(bars),
        averages: { ...ratingInputs(bars).averages, vwma20: NaN },
      });
    }
  });

  test("rate by the available averages: 60 bars have no average of 100 or 200, and no leads", () => {
    const { movingAverages, oscillators } = castVotes(ratingInputs(climb(60)));
    const missing = Object.entries(movingAverages).filter(([, vote]) => vote === null);
    expect(missing.map(([name]) => name).sort()).toEqual(
      "ema100 ema200 ichimoku sma100 sma200".split(" "),
    );
    // An RSI that stays at 100 has no range, so its stochastic is NaN.
    expect(oscillators).toMatchObject({ stochasticRsi: null, bullBearPower: 0 });
  });

  testWitness("agree with Skender at the last of its bars", () => {
    const panel = technicals(skenderBars());
    const last = (file: string, name: string) => skenderSeries(file, name).at(-1) ?? NaN;
    expect(panel.rsi).toBeCloseTo(last("rsi", "rsi"), 9);
    expect(panel.macdLevel).toBeCloseTo(last("macd", "macd"), 9);
    expect(panel.macdSignal).toBeCloseTo(last("macd", "signal"), 9);
    expect(panel.stochK).toBeCloseTo(last("stoch", "k"), 9);
    expect(panel.stochD).toBeCloseTo(last("stoch", "d"), 9);
    expect(panel.cci).toBeCloseTo(last("cci", "cci"), 9);
    expect(panel.awesomeOscillator).toBeCloseTo(last("awesome", "oscillator"), 9);
    expect(panel.momentum).toBeCloseTo(245.28 - 254.15, 9); // closes of 2018-12-31 and 2018-12-14
  });
});

describe("ratingInputs", () => {
  test("are the last values of the whole series, with the published periods", () => {
    const histories = fc.oneof(ordinaryBars(0, 110), ordinaryBars(190, 320));
    fc.assert(
      fc.property(histories, (bars) => {
        expect(ratingInputs(bars)).toEqual(inputsOfWholeSeries(bars));
      }),
      { numRuns: 40 },
    );
  });

  testWitness("of Skender's bars are Skender's values", () => {
    const inputs = ratingInputs(skenderBars());
    const expectEnd = (values: readonly number[], file: string, name: string) => {
      const newestFirst = skenderSeries(file, name).reverse();
      expectSeries(Float64Array.from(values), newestFirst.subarray(0, values.length), 1e-9);
    };
    expectEnd([inputs.averages.sma20], "sma", "sma");
    expectEnd([inputs.averages.ema20], "ema", "ema");
    expectEnd([inputs.ichimoku.conversion], "ichimoku", "tenkanSen");
    expectEnd([inputs.ichimoku.base], "ichimoku", "kijunSen");
    expectEnd([inputs.ichimoku.lead1], "ichimoku", "senkouSpanA");
    expectEnd([inputs.ichimoku.lead2], "ichimoku", "senkouSpanB");
    expectEnd(inputs.rsi, "rsi", "rsi");
    expectEnd([inputs.stochastic.k], "stoch", "k");
    expectEnd([inputs.stochastic.d], "stoch", "d");
    expectEnd(inputs.adx, "adx", "adx");
    expectEnd([inputs.plusDi], "adx", "pdi");
    expectEnd([inputs.minusDi], "adx", "mdi");
    expectEnd(inputs.awesomeOscillator, "awesome", "oscillator");
    expectEnd([inputs.macd.level], "macd", "macd");
    expectEnd([inputs.macd.signal], "macd", "signal");
    expectEnd(inputs.williamsR, "willr", "williamsR");
    expectEnd(inputs.bullPower, "elder-ray", "bullPower");
    expectEnd(inputs.bearPower, "elder-ray", "bearPower");
    expectEnd([inputs.ultimateOscillator], "uo", "ultimate");
  });
});
