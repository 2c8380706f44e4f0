// Arithmetic on figures that may be unknown: if an operand is null, the result is null.

/** The quotient; null if the divisor is not positive or either is null. */
export function ratio(dividend: number | null, divisor: number | null): number | null {
  return dividend === null || divisor === null || divisor <= 0 ? null : dividend / divisor;
}

/** The quotient in percent; null as in `ratio`. */
export function percent(part: number | null, whole: number | null): number | null {
  return ratio(product(part, 100), whole);
}

/** a · b; null if either is null. */
export function product(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a * b;
}

/** a + b; null if either is null. */
export function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** a − b; null if either is null. */
export function difference(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}
