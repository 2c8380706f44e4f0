/** Arithmetic on figures that may be unknown: null in, null out. */

/** The quotient; null where either is unknown or the divisor is not positive. */
export function ratio(dividend: number | null, divisor: number | null): number | null {
  return dividend === null || divisor === null || divisor <= 0 ? null : dividend / divisor;
}

/** As `ratio`, in percent. */
export function percent(part: number | null, whole: number | null): number | null {
  return ratio(product(part, 100), whole);
}

/** a · b. */
export function product(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a * b;
}

/** a + b. */
export function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** a − b. */
export function difference(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}
