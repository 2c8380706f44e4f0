import { median } from "./quantile.ts";

/** The powers of ten by which figures in another unit differ: thousands, millions and billions, either way. */
const UNIT_POWERS = [3, 6, 9].flatMap((power) => [power, -power]);
/** A figure differs from its neighbours by a unit if it is within this power of ten: 316 to 3,162 times. */
const NEAR_UNIT = 0.5;
/** Neighbours that prove a unit, at least. */
const LEAST_NEIGHBOURS = 3;
/** Amounts in the unit of their neighbours differ from them by up to this power of ten: ten times. */
const USUAL_SHIFT = 1;

/**
 * The power of ten by which an amount differs from its neighbours' median, signs ignored: −3 for an amount in
 * thousands. Zeros have no unit and do not count. Null for zero, and with less than three neighbours.
 */
export function shiftOf(value: number | null, neighbours: readonly number[]): number | null {
  const powers = neighbours.flatMap((one) => (one === 0 ? [] : Math.log10(Math.abs(one))));
  if (!value || powers.length < LEAST_NEIGHBOURS) return null;
  const usual = median(powers.sort((a, b) => a - b));
  return usual === null ? null : Math.log10(Math.abs(value)) - usual;
}

/** The unit that a shift shows, as a power of ten: −3 for thousands; null if it is near none. */
export function unitOfShift(shift: number | null, tolerance = NEAR_UNIT): number | null {
  if (shift === null) return null;
  return UNIT_POWERS.find((power) => Math.abs(shift - power) <= tolerance) ?? null;
}

/** True for an amount that is in the unit of its neighbours; false too if nothing shows it. */
export function isUsualShift(shift: number | null): boolean {
  return shift !== null && Math.abs(shift) <= USUAL_SHIFT;
}

/** A unit as text before a noun: `1/1,000 of` for −3, `1,000 times` for 3. */
export function describeUnit(power: number): string {
  const times = `1${",000".repeat(Math.abs(power) / 3)}`;
  return power < 0 ? `1/${times} of` : `${times} times`;
}

/** The number of days next to a day, before and after it without a gap, that are like it. */
export function countLikeNeighbours(
  day: string,
  days: readonly string[],
  isLike: (day: string) => boolean,
): number {
  const before = days.filter((one) => one < day).sort();
  const after = days.filter((one) => one > day).sort();
  return [before.reverse(), after].reduce((count, side) => {
    const end = side.findIndex((one) => !isLike(one));
    return count + (end < 0 ? side.length : end);
  }, 0);
}

/** EPS is rounded to cents. */
const EPS_ROUNDING = 0.005;
/** Numerators of diluted EPS and preferred dividends change income / shares by less than this factor. */
const SAME_EPS = 1.8;

/**
 * True if EPS shows that the income is in a unit (a power of ten), and false if it shows that it is not. Null if one is
 * unknown, and if EPS is too small to tell. `usual` is the power of ten of net income / (EPS × shares) elsewhere.
 */
export function epsShowsUnit(
  unit: number,
  { income, eps, shares }: Readonly<Record<"income" | "eps" | "shares", number | null>>,
  usual = 0,
): boolean | null {
  if (!income || eps === null || !shares) return null;
  const isIn = (power: number) => {
    const expected = income / shares / 10 ** (usual + power);
    const ratio = eps / expected;
    return Math.abs(eps - expected) <= EPS_ROUNDING || (ratio < SAME_EPS && ratio > 1 / SAME_EPS);
  };
  const isInUnit = isIn(unit);
  return isInUnit === isIn(0) ? null : isInUnit;
}
