import type { RatingCounts } from "#domain/analyst-coverage.ts";

/** The labels of a rating, best first, each with the highest mean that it covers. */
const LABELS = [
  { upTo: 1.5, label: "Strong buy" },
  { upTo: 2.5, label: "Buy" },
  { upTo: 3.5, label: "Neutral" },
  { upTo: 4.5, label: "Sell" },
  { upTo: 5, label: "Strong sell" },
] as const;

/**
 * The label of the analysts' mean rating, 1 (strong buy) to 5 (strong sell); null if no analyst rates
 * the stock. The scale is that of Yahoo's `recommendationMean`.
 */
export function analystRating(counts: RatingCounts): (typeof LABELS)[number]["label"] | null {
  const byScore = [counts.strongBuy, counts.buy, counts.hold, counts.sell, counts.strongSell];
  const analysts = byScore.reduce((sum, count) => sum + count, 0);
  if (analysts === 0) return null;
  const mean = byScore.reduce((sum, count, i) => sum + count * (i + 1), 0) / analysts;
  return LABELS.find(({ upTo }) => mean <= upTo)?.label ?? null;
}
