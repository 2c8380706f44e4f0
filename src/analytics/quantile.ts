/**
 * The `p`-quantile (`p` from 0 to 1) of ascending values; null without values. It interpolates linearly
 * at h = (n − 1)p: type 7 of Hyndman and Fan, the default of R and NumPy.
 */
export function quantile(ascending: ArrayLike<number>, p: number): number | null {
  const h = (ascending.length - 1) * p;
  const lower = ascending[Math.floor(h)];
  const upper = ascending[Math.ceil(h)];
  return lower === undefined || upper === undefined ? null : lower + (h % 1) * (upper - lower);
}

/** The median of ascending values; null without values. */
export function median(ascending: ArrayLike<number>): number | null {
  return quantile(ascending, 0.5);
}

/** The range of plausible values, inclusive. A value outside it is bad data. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The bounds of a ratio that has a meaning only above zero. */
export function positiveUpTo(max: number): Bounds {
  return { min: Number.MIN_VALUE, max };
}

/** The bounds of a figure of either sign, symmetric around zero. */
export function withinPlusMinus(max: number): Bounds {
  return { min: -max, max };
}

/** True for a value within its bounds; false for null, NaN and infinity. */
export function isWithin(value: number | null, { min, max }: Bounds): value is number {
  return value !== null && value >= min && value <= max && Number.isFinite(value);
}
