/** The vote of one of the 26 items: 1 buy, −1 sell, 0 neutral; null if an input is missing. */
export type Vote = -1 | 0 | 1 | null;

/** The moving averages that are compared with the close. */
type AverageName = `${"sma" | "ema"}${10 | 20 | 30 | 50 | 100 | 200}` | "hma9" | "vwma20";

/**
 * The inputs of the votes; NaN if a value is missing. A tuple starts at the last bar and goes back:
 * `[last bar, one bar ago, two bars ago]`.
 */
export interface RatingInputs {
  readonly close: number;
  readonly averages: Readonly<Record<AverageName, number>>;
  /** The leads at the last bar, which were computed 26 bars ago. */
  readonly ichimoku: {
    readonly conversion: number;
    readonly base: number;
    readonly lead1: number;
    readonly lead2: number;
  };
  readonly rsi: readonly [number, number];
  readonly stochastic: { readonly k: number; readonly d: number };
  /** CCI of the close. (Panels show the CCI of the typical price.) */
  readonly cci: readonly [number, number];
  readonly adx: readonly [number, number];
  readonly plusDi: number;
  readonly minusDi: number;
  readonly awesomeOscillator: readonly [number, number, number];
  readonly momentum: readonly [number, number];
  readonly macd: { readonly level: number; readonly signal: number };
  readonly stochasticRsi: { readonly k: number; readonly d: number };
  readonly williamsR: readonly [number, number];
  readonly bullPower: readonly [number, number];
  readonly bearPower: readonly [number, number];
  readonly ultimateOscillator: number;
}

/** The votes by item: 15 of moving averages and 11 of oscillators. */
export interface TechnicalVotes {
  readonly movingAverages: Readonly<Record<AverageName | "ichimoku", Vote>>;
  readonly oscillators: Readonly<
    Record<
      | "rsi"
      | "stochastic"
      | "cci"
      | "adx"
      | "awesomeOscillator"
      | "momentum"
      | "macd"
      | "stochasticRsi"
      | "williamsR"
      | "bullBearPower"
      | "ultimateOscillator",
      Vote
    >
  >;
}

/** Ratings from −1 (all items vote sell) to 1 (all vote buy); null if no item could vote. */
export interface TechnicalRatings {
  /** The mean of the two other ratings. */
  readonly technical: number | null;
  readonly movingAverages: number | null;
  readonly oscillators: number | null;
}

/** The label of a rating, lowest first. */
type RatingLabel = "Strong sell" | "Sell" | "Neutral" | "Buy" | "Strong buy";

/**
 * Casts the 26 votes by the rules of TradingView's published `TechnicalRating` library, version 3.
 * A value on a threshold does not vote.
 */
export function castVotes(inputs: RatingInputs): TechnicalVotes {
  return { movingAverages: movingAverageVotes(inputs), oscillators: oscillatorVotes(inputs) };
}

function movingAverageVotes(inputs: RatingInputs): TechnicalVotes["movingAverages"] {
  const { close, averages } = inputs;
  const { conversion, base, lead1, lead2 } = inputs.ichimoku;
  const averageVote = (average: number) => vote([close, average], close > average, close < average);
  return {
    sma10: averageVote(averages.sma10),
    sma20: averageVote(averages.sma20),
    sma30: averageVote(averages.sma30),
    sma50: averageVote(averages.sma50),
    sma100: averageVote(averages.sma100),
    sma200: averageVote(averages.sma200),
    ema10: averageVote(averages.ema10),
    ema20: averageVote(averages.ema20),
    ema30: averageVote(averages.ema30),
    ema50: averageVote(averages.ema50),
    ema100: averageVote(averages.ema100),
    ema200: averageVote(averages.ema200),
    hma9: averageVote(averages.hma9),
    vwma20: averageVote(averages.vwma20),
    ichimoku: vote(
      [close, conversion, base, lead1, lead2],
      lead1 > lead2 && base > lead1 && conversion > base && close > conversion,
      lead1 < lead2 && base < lead1 && conversion < base && close < conversion,
    ),
  };
}

function oscillatorVotes(inputs: RatingInputs): TechnicalVotes["oscillators"] {
  const { close, plusDi, minusDi, ultimateOscillator } = inputs;
  const { k, d } = inputs.stochastic;
  const { level, signal } = inputs.macd;
  const { k: rsiK, d: rsiD } = inputs.stochasticRsi;
  const trend = inputs.averages.ema50;
  const [rsi, rsi1] = inputs.rsi;
  const [cci, cci1] = inputs.cci;
  const [adx, adx1] = inputs.adx;
  const [ao, ao1, ao2] = inputs.awesomeOscillator;
  const [momentum, momentum1] = inputs.momentum;
  const [williamsR, williamsR1] = inputs.williamsR;
  const [bull, bull1] = inputs.bullPower;
  const [bear, bear1] = inputs.bearPower;
  return {
    rsi: vote([rsi, rsi1], rsi < 30 && rsi > rsi1, rsi > 70 && rsi < rsi1),
    stochastic: vote([k, d], k < 20 && d < 20 && k > d, k > 80 && d > 80 && k < d),
    cci: vote([cci, cci1], cci < -100 && cci > cci1, cci > 100 && cci < cci1),
    adx: vote(
      [adx, adx1, plusDi, minusDi],
      adx > 20 && adx > adx1 && plusDi > minusDi,
      adx > 20 && adx > adx1 && plusDi < minusDi,
    ),
    // It crosses zero, or is a saucer: it stays on one side of zero and turns away from it.
    awesomeOscillator: vote(
      [ao, ao1, ao2],
      ao > 0 && (ao1 <= 0 || (ao > ao1 && ao2 > ao1)),
      ao < 0 && (ao1 >= 0 || (ao < ao1 && ao2 < ao1)),
    ),
    momentum: vote([momentum, momentum1], momentum > momentum1, momentum < momentum1),
    macd: vote([level, signal], level > signal, level < signal),
    stochasticRsi: vote(
      [close, trend, rsiK, rsiD],
      close < trend && rsiK < 20 && rsiD < 20 && rsiK > rsiD,
      close > trend && rsiK > 80 && rsiD > 80 && rsiK < rsiD,
    ),
    williamsR: vote(
      [williamsR, williamsR1],
      williamsR < -80 && williamsR > williamsR1,
      williamsR > -20 && williamsR < williamsR1,
    ),
    bullBearPower: vote(
      [close, trend, bull, bull1, bear, bear1],
      close > trend && bear < 0 && bear > bear1,
      close < trend && bull > 0 && bull < bull1,
    ),
    ultimateOscillator: vote(
      [ultimateOscillator],
      ultimateOscillator > 70,
      ultimateOscillator < 30,
    ),
  };
}

function vote(inputs: readonly number[], buy: boolean, sell: boolean): Vote {
  if (inputs.some(Number.isNaN)) return null;
  return buy ? 1 : sell ? -1 : 0;
}

/** Rates each group by the mean of its non-null votes, and all by the mean of both groups. */
export function rateVotes(votes: TechnicalVotes): TechnicalRatings {
  const movingAverages = meanOf(Object.values(votes.movingAverages));
  const oscillators = meanOf(Object.values(votes.oscillators));
  return { technical: meanOf([movingAverages, oscillators]), movingAverages, oscillators };
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** The label of a rating; a rating on a limit (±0.1, ±0.5) has the milder label. Null for null. */
export function ratingLabel(rating: number | null): RatingLabel | null {
  if (rating === null) return null;
  // -0.8 and 0.6 average to -0.10000000000000003: rounding errors must not change the label.
  const value = Math.round(rating * 1e9) / 1e9;
  if (value < -0.5) return "Strong sell";
  if (value < -0.1) return "Sell";
  if (value > 0.5) return "Strong buy";
  if (value > 0.1) return "Buy";
  return "Neutral";
}
