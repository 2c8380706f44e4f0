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

/**
 * A nearly normal number with mean 0 and variance 1, the sum of four uniform ones. Its range is ±3.47,
 * so there are no absurd outliers.
 */
export function normalAt(seed: number, position: number): number {
  const a = bitsAt(seed, 2 * position);
  const b = bitsAt(seed, 2 * position + 1);
  const sum = (a >>> 16) + (a & 0xff_ff) + (b >>> 16) + (b & 0xff_ff);
  return (sum / 2 ** 16 - 2) * Math.sqrt(3);
}

/** A stationary process that reverts to 0 (Ornstein-Uhlenbeck in discrete time). */
export interface MeanReversion {
  /** Standard deviation of its values. */
  readonly deviation: number;
  /** Steps after which the expected value is half of the present one. */
  readonly halfLife: number;
}

/** The standard deviation of one step's random part. */
function stepDeviation({ deviation, halfLife }: MeanReversion): number {
  return deviation * Math.sqrt(1 - 2 ** (-2 / halfLife));
}

/** The first `length` values of a process. The first one is drawn from its stationary distribution. */
export function meanRevertingPath(
  seed: number,
  length: number,
  process: MeanReversion,
): Float64Array {
  const kept = 2 ** (-1 / process.halfLife);
  const step = stepDeviation(process);
  const values = new Float64Array(length);
  let value = process.deviation * normalAt(seed, 0);
  for (let i = 0; i < length; i++) {
    values[i] = value;
    value = kept * value + step * normalAt(seed, i + 1);
  }
  return values;
}

/**
 * The values conditioned on 0 at a step: subtracts from each value its expectation given the value at
 * that step, which decays with the distance.
 */
export function pinToZero(
  values: Float64Array,
  { halfLife }: MeanReversion,
  step: number,
): Float64Array {
  const there = values[step] ?? 0;
  const kept = 2 ** (-1 / halfLife);
  const result = new Float64Array(values.length);
  for (let i = step, share = 1; i < values.length; i++, share *= kept)
    result[i] = (values[i] ?? 0) - share * there;
  for (let i = step - 1, share = kept; i >= 0; i--, share *= kept)
    result[i] = (values[i] ?? 0) - share * there;
  return result;
}
