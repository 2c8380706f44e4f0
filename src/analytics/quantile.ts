/**
 * The value below which the share `p` (0..1) of ascending values lies; null where there are none.
 * Linear between neighbours at h = (n − 1)p: type 7 of Hyndman and Fan, the default of R and NumPy.
 */
export function quantile(ascending: ArrayLike<number>, p: number): number | null {
  const h = (ascending.length - 1) * p;
  const lower = ascending[Math.floor(h)];
  const upper = ascending[Math.ceil(h)];
  return lower === undefined || upper === undefined ? null : lower + (h % 1) * (upper - lower);
}

/** The middle of ascending values, or the mean of the two in the middle; null where there are none. */
export function median(ascending: ArrayLike<number>): number | null {
  return quantile(ascending, 0.5);
}

/** The smallest and the largest value that are no bad data, both included. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Bounds of a ratio that means something only above zero. */
export function positiveUpTo(max: number): Bounds {
  return { min: Number.MIN_VALUE, max };
}

/** Bounds of a figure of either sign, the same on both sides of zero. */
export function withinPlusMinus(max: number): Bounds {
  return { min: -max, max };
}

/** True for a known value within its bounds, never for null, NaN or infinity. */
export function isWithin(value: number | null, { min, max }: Bounds): value is number {
  return value !== null && value >= min && value <= max && Number.isFinite(value);
}
