/**
 * Repeatable random numbers. Each is a function of a seed and a position alone, so it can be computed
 * without the ones before it and never changes.
 */

/** The 32-bit FNV-1a hash of a text, as a seed. */
export function seedOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  return hash >>> 0;
}

/** 32 random bits for a position: multiples of the golden ratio, mixed with `lowbias32`. */
function bitsAt(seed: number, position: number): number {
  let bits = (seed + Math.imul(position, 0x9e_37_79_b9)) | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x21_f0_aa_ad);
  bits = Math.imul(bits ^ (bits >>> 15), 0x73_5a_2d_97);
  return (bits ^ (bits >>> 15)) >>> 0;
}

/** A number from 0 (included) to 1 (excluded). */
export function uniformAt(seed: number, position: number): number {
  return bitsAt(seed, position) / 2 ** 32;
}

/** A nearly normal number with mean 0 and variance 1, the sum of four uniform ones, within ±3.47. */
export function normalAt(seed: number, position: number): number {
  const a = bitsAt(seed, 2 * position);
  const b = bitsAt(seed, 2 * position + 1);
  const sum = (a >>> 16) + (a & 0xff_ff) + (b >>> 16) + (b & 0xff_ff);
  return (sum / 2 ** 16 - 2) * Math.sqrt(3);
}

/** A stationary process that reverts to 0 (Ornstein-Uhlenbeck in discrete time). */
interface MeanReversion {
  /** Standard deviation of its values. */
  readonly deviation: number;
  /** Steps after which the expected value is half of the present one. */
  readonly halfLife: number;
}

/** The first `length` values of a process. The first one is drawn from its stationary distribution. */
export function meanRevertingPath(
  seed: number,
  length: number,
  { deviation, halfLife }: MeanReversion,
): Float64Array {
  const kept = 2 ** (-1 / halfLife);
  const step = deviation * Math.sqrt(1 - kept ** 2);
  const values = new Float64Array(length);
  let value = deviation * normalAt(seed, 0);
  for (let i = 0; i < length; i++) {
    values[i] = value;
    value = kept * value + step * normalAt(seed, i + 1);
  }
  return values;
}

/** The levels of a factor of prices on each day, and the variance that was expected of each day. */
export interface Factor {
  readonly levels: Float64Array;
  readonly variances: Float64Array;
}

/**
 * The share of yesterday's square and variance in today's expected variance: GARCH(1, 1). A fall has more
 * effect than a rise.
 */
const [FALL, RISE, MEMORY] = [0.1, 0.04, 0.91];
/** One day in twenty is this much wider than the others, so that tails are fat. */
const [WIDE_SHARE, WIDE] = [0.05, 2.2];
const USUAL = Math.sqrt((1 - WIDE_SHARE * WIDE ** 2) / (1 - WIDE_SHARE));

/**
 * A factor whose daily changes have the deviation, fat tails and clusters of volatility. Its level
 * reverts to 0, with that half-life in days, and is 0 on the day `zeroAt`. `events` are known changes.
 */
export function factorPath(
  seed: number,
  length: number,
  process: MeanReversion & { readonly zeroAt: number },
  events: ReadonlyMap<number, number> = new Map(),
): Factor {
  const { deviation, halfLife, zeroAt } = process;
  const kept = 2 ** (-1 / halfLife);
  const [levels, variances] = [new Float64Array(length), new Float64Array(length)];
  let [level, variance] = [0, deviation ** 2];
  for (let i = 0; i < length; i++) {
    const width = uniformAt(seed + 1, i) < WIDE_SHARE ? WIDE : USUAL;
    const change = events.get(i) ?? Math.sqrt(variance) * width * normalAt(seed, i);
    variances[i] = variance;
    level = kept * level + change;
    levels[i] = level;
    variance =
      deviation ** 2 * (1 - (FALL + RISE) / 2 - MEMORY) +
      (change < 0 ? FALL : RISE) * change ** 2 +
      MEMORY * variance;
  }
  // Subtracts from each level its expectation given the level on that day.
  const there = levels[zeroAt] ?? 0;
  let [before, after] = [there * kept, there];
  for (let i = zeroAt; i < length; i++, after *= kept) levels[i] = (levels[i] ?? 0) - after;
  for (let i = zeroAt - 1; i >= 0; i--, before *= kept) levels[i] = (levels[i] ?? 0) - before;
  return { levels, variances };
}
