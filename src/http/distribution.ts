import { quantile } from "#analytics/quantile.ts";

/** The bars of a histogram. */
const BUCKETS = 24;
/** A few extreme companies would leave all others in one bar. */
const TAIL = 0.02;

/** How many companies have a figure in each of equal ranges from `low` to `high`. */
export interface Distribution {
  /** Without figures 0, like `high`. */
  readonly low: number;
  readonly high: number;
  /** The first and the last have also what is beyond. */
  readonly counts: readonly number[];
  readonly currency: string;
}

/** The distribution of figures, in any order, between their 2nd and 98th percentile. */
export function distributionOf(figures: readonly number[], currency: string): Distribution {
  const ascending = figures.toSorted((a, b) => a - b);
  const low = quantile(ascending, TAIL) ?? 0;
  const high = quantile(ascending, 1 - TAIL) ?? 0;
  const counts = Array.from({ length: BUCKETS }, () => 0);
  for (const figure of ascending) {
    const bucket = high > low ? Math.floor(((figure - low) / (high - low)) * BUCKETS) : 0;
    const within = Math.max(0, Math.min(BUCKETS - 1, bucket));
    counts[within] = (counts[within] ?? 0) + 1;
  }
  return { low, high, counts, currency };
}
