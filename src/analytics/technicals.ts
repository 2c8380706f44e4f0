import type { BarSeries } from "#domain/daily-bar.ts";
import { awesomeOscillator } from "./awesome-oscillator.ts";
import { bullBearPower } from "./bull-bear-power.ts";
import { cci, typicalPrice } from "./cci.ts";
import { directionalMovement } from "./directional-movement.ts";
import { ichimoku } from "./ichimoku.ts";
import { macd } from "./macd.ts";
import { momentum } from "./momentum.ts";
import { ema, hma, sma, vwma } from "./moving-averages.ts";
import { rsi } from "./rsi.ts";
import { barsAgo, type Series } from "./series.ts";
import { stochastic, stochasticRsi } from "./stochastic.ts";
import {
  castVotes,
  rateVotes,
  type RatingInputs,
  type TechnicalRatings,
} from "./technical-rating.ts";
import { ultimateOscillator } from "./ultimate-oscillator.ts";
import { williamsR } from "./williams-r.ts";

/** The technical indicators of an instrument at its last bar; null if an indicator has no value. */
export interface Technicals {
  /** RSI (14), 0 to 100. */
  readonly rsi: number | null;
  /** MACD (12, 26) in the unit of the price. */
  readonly macdLevel: number | null;
  /** The EMA (9) of the MACD level. */
  readonly macdSignal: number | null;
  /** Slow stochastic (14, 3, 3) %K, 0 to 100. */
  readonly stochK: number | null;
  /** Slow stochastic (14, 3, 3) %D, 0 to 100. */
  readonly stochD: number | null;
  /** CCI (20) of the typical price. */
  readonly cci: number | null;
  /** Close minus the close 10 bars earlier. */
  readonly momentum: number | null;
  /** Awesome Oscillator (5, 34) in the unit of the price. */
  readonly awesomeOscillator: number | null;
  readonly ratings: TechnicalRatings;
}

/** The number of bars that MACD signal and Awesome Oscillator, the last indicators, need for a value. */
export const TECHNICALS_MIN_BARS = 34;

/** The longest window of an item. Only recursive averages depend on earlier bars. */
const LONGEST_WINDOW = 200;

const NO_TECHNICALS: Technicals = {
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

/**
 * Computes the technicals at the last bar. All are null below {@link TECHNICALS_MIN_BARS} bars. Items
 * that need more bars than exist do not vote. RSI and MACD converge after about 250 bars, EMA (200)
 * after 1,260.
 */
export function technicals(bars: BarSeries): Technicals {
  if (bars.close.length < TECHNICALS_MIN_BARS) return NO_TECHNICALS;
  const inputs = ratingInputs(bars);
  const { high, low, close } = lastBars(bars, LONGEST_WINDOW);
  return {
    rsi: known(inputs.rsi[0]),
    macdLevel: known(inputs.macd.level),
    macdSignal: known(inputs.macd.signal),
    stochK: known(inputs.stochastic.k),
    stochD: known(inputs.stochastic.d),
    cci: known(last(cci(typicalPrice(high, low, close), 20))),
    momentum: known(inputs.momentum[0]),
    awesomeOscillator: known(inputs.awesomeOscillator[0]),
    ratings: rateVotes(castVotes(inputs)),
  };
}

/** RSI (14) and MACD (12, 26, 9) at each bar; NaN where there are too few bars. */
export function mainOscillators(close: Series) {
  return { strength: rsi(close, 14), convergence: macd(close, 12, 26, 9) };
}

/** Computes the inputs of the 26 votes with the periods of TradingView's ratings; NaN if missing. */
export function ratingInputs(bars: BarSeries): RatingInputs {
  const { high, low, close } = bars;
  const { strength, convergence } = mainOscillators(close);
  const direction = directionalMovement(high, low, close, 14, 14);
  const power = bullBearPower(high, low, close, 13);

  const recent = lastBars(bars, LONGEST_WINDOW);
  const position = stochastic(recent.high, recent.low, recent.close, 14, 3, 3);
  const strengthPosition = stochasticRsi(strength.subarray(-LONGEST_WINDOW), 14, 3, 3);
  const awesome = awesomeOscillator(recent.high, recent.low, 5, 34);
  const cloud = ichimoku(recent.high, recent.low, 9, 26, 52, 26);

  return {
    close: last(close),
    averages: {
      sma10: last(sma(recent.close, 10)),
      sma20: last(sma(recent.close, 20)),
      sma30: last(sma(recent.close, 30)),
      sma50: last(sma(recent.close, 50)),
      sma100: last(sma(recent.close, 100)),
      sma200: last(sma(recent.close, 200)),
      ema10: last(ema(close, 10)),
      ema20: last(ema(close, 20)),
      ema30: last(ema(close, 30)),
      ema50: last(ema(close, 50)),
      ema100: last(ema(close, 100)),
      ema200: last(ema(close, 200)),
      hma9: last(hma(recent.close, 9)),
      vwma20: last(vwma(recent.close, recent.volume, 20)),
    },
    ichimoku: {
      conversion: last(cloud.conversion),
      base: last(cloud.base),
      lead1: last(cloud.lead1),
      lead2: last(cloud.lead2),
    },
    rsi: lastTwo(strength),
    stochastic: { k: last(position.k), d: last(position.d) },
    cci: lastTwo(cci(recent.close, 20)),
    adx: lastTwo(direction.adx),
    plusDi: last(direction.plusDi),
    minusDi: last(direction.minusDi),
    awesomeOscillator: [...lastTwo(awesome), barsAgo(awesome, 2)],
    momentum: lastTwo(momentum(recent.close, 10)),
    macd: { level: last(convergence.level), signal: last(convergence.signal) },
    stochasticRsi: { k: last(strengthPosition.k), d: last(strengthPosition.d) },
    williamsR: lastTwo(williamsR(recent.high, recent.low, recent.close, 14)),
    bullPower: lastTwo(power.bull),
    bearPower: lastTwo(power.bear),
    ultimateOscillator: last(ultimateOscillator(recent.high, recent.low, recent.close, 7, 14, 28)),
  };
}

function lastBars({ high, low, close, volume }: BarSeries, count: number) {
  return {
    high: high.subarray(-count),
    low: low.subarray(-count),
    close: close.subarray(-count),
    volume: volume.subarray(-count),
  };
}

function last(series: Series): number {
  return barsAgo(series, 0);
}

function lastTwo(series: Series): [number, number] {
  return [barsAgo(series, 0), barsAgo(series, 1)];
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}
