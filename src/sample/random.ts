/**
 * Repeatable chance. Every number is a function of a seed and a position alone, so that any of them
 * can be had without those before it and none ever changes.
 */

/** The seed that a text stands for (FNV-1a), a 32-bit number. */
export function seedOf(text: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  return hash >>> 0;
}

/** 32 bits for a position: a step of the golden ratio, well mixed (the `lowbias32` constants). */
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
 * A number of mean 0 and variance 1, nearly normal but never beyond ±3.47: the sum of four uniform
 * ones, so that no draw of a sample is ever absurd.
 */
export function normalAt(seed: number, position: number): number {
  const a = bitsAt(seed, 2 * position);
  const b = bitsAt(seed, 2 * position + 1);
  const sum = (a >>> 16) + (a & 0xff_ff) + (b >>> 16) + (b & 0xff_ff);
  return (sum / 2 ** 16 - 2) * Math.sqrt(3);
}

/** A process that wanders about 0 for ever. */
export interface Wander {
  /** Standard deviation of its values. */
  readonly deviation: number;
  /** Steps in which it forgets half of where it was. */
  readonly halfLife: number;
}

/** The standard deviation of one step's chance in a process. */
function stepDeviation({ deviation, halfLife }: Wander): number {
  return deviation * Math.sqrt(1 - 2 ** (-2 / halfLife));
}

/**
 * The first `length` values of a mean-reverting process (Ornstein-Uhlenbeck in discrete time), which
 * begins anywhere in its range.
 */
export function wander(seed: number, length: number, process: Wander): Float64Array {
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
 * The same process where it is known to be 0 at a step: what a value there would have told of the
 * others is taken from them, so that none is drawn away from 0 for long.
 */
export function pinned(values: Float64Array, { halfLife }: Wander, step: number): Float64Array {
  const there = values[step] ?? 0;
  const kept = 2 ** (-1 / halfLife);
  const result = new Float64Array(values.length);
  for (let i = step, share = 1; i < values.length; i++, share *= kept)
    result[i] = (values[i] ?? 0) - share * there;
  for (let i = step - 1, share = kept; i >= 0; i--, share *= kept)
    result[i] = (values[i] ?? 0) - share * there;
  return result;
}
