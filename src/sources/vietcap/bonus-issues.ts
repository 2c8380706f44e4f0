/** The capital of a company in a quarter or a year, in VND; null if unknown. */
export interface CapitalPeriod {
  /** Of its last quarter: 4 · year + quarter. */
  readonly number: number;
  /** Paid-in capital at the end. */
  readonly capital: number | null;
  /** Equity at the end, with the share of minorities. */
  readonly equity: number | null;
  /** Net income of the period, with the share of minorities. */
  readonly netIncome: number | null;
  /** Cash from issues of shares in the period; of a quarter, at most that in the year up to its end. */
  readonly proceeds: number | null;
}

/** Smaller growth of capital is a sale to employees. */
const SMALLEST_ISSUE = 0.01;
/** Cash from a sale to employees in the same period, as a share of the growth of capital. */
const MAX_PROCEEDS = 0.05;
/** Equity that is contributed otherwise, as in a merger, as a share of the growth of capital. */
const MAX_CONTRIBUTED = 0.1;

/**
 * The number of newest shares for one share at the end of each period, by its number, as far as bonus
 * issues and share dividends changed it. Both lists must be in order. Years serve where quarters are
 * missing.
 *
 * The statements prove such an issue: paid-in capital grew without a sale of shares, and equity grew by
 * no more than the net income, so the capital came from reserves. Shares sold in the same period are
 * subtracted at par. Any other growth of capital, and one that cannot be checked, counts as an issue for
 * value, which leaves earlier earnings per share as they are.
 */
export function sharesSince(
  quarters: readonly CapitalPeriod[],
  years: readonly CapitalPeriod[],
): ReadonlyMap<number, number> {
  const since = new Map<number, number>();
  for (const [periods, length] of [
    [quarters, 1],
    [years, 4],
  ] as const) {
    let factor = 1;
    for (const [i, period] of [...periods.entries()].toReversed()) {
      factor = since.get(period.number) ?? factor;
      since.set(period.number, factor);
      const before = periods[i - 1];
      if (before?.number === period.number - length) factor *= bonusFactor(before, period);
    }
  }
  return since;
}

/** Shares after a period for one before it, by a proven bonus issue; else 1. */
function bonusFactor(before: CapitalPeriod, after: CapitalPeriod): number {
  const { capital, equity, netIncome, proceeds } = after;
  if (before.capital === null || before.equity === null) return 1;
  if (capital === null || equity === null || netIncome === null || proceeds === null) return 1;
  const growth = capital - before.capital;
  const contributed = equity - before.equity - netIncome;
  const isProven =
    growth >= SMALLEST_ISSUE * before.capital &&
    proceeds <= MAX_PROCEEDS * growth &&
    contributed <= MAX_CONTRIBUTED * growth;
  return isProven ? (capital - proceeds) / before.capital : 1;
}
