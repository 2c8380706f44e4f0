import type { AnalystCoverage, RatingCounts } from "#domain/analyst-coverage.ts";

/** The labels of a rating, best first, each with the highest mean that it covers. */
const LABELS = [
  { upTo: 1.5, label: "Strong buy" },
  { upTo: 2.5, label: "Buy" },
  { upTo: 3.5, label: "Neutral" },
  { upTo: 4.5, label: "Sell" },
  { upTo: 5, label: "Strong sell" },
] as const;

/**
 * The analysts' mean rating, 1 (strong buy) to 5 (strong sell), on the scale of Yahoo's
 * `recommendationMean`; null if no analyst rates the stock.
 */
function meanRating(counts: RatingCounts): number | null {
  const byScore = [counts.strongBuy, counts.buy, counts.hold, counts.sell, counts.strongSell];
  const analysts = countAnalysts(counts);
  if (analysts === 0) return null;
  return byScore.reduce((sum, count, i) => sum + count * (i + 1), 0) / analysts;
}

/** The number of analysts who rate the stock. */
function countAnalysts(counts: RatingCounts): number {
  return counts.strongBuy + counts.buy + counts.hold + counts.sell + counts.strongSell;
}

/** The label of a mean rating from 1 to 5; null for null. */
export function meanRatingLabel(mean: number | null): (typeof LABELS)[number]["label"] | null {
  return mean === null ? null : (LABELS.find(({ upTo }) => mean <= upTo)?.label ?? null);
}

/** The label of the analysts' mean rating; null if no analyst rates the stock. */
export function analystRating(counts: RatingCounts): ReturnType<typeof meanRatingLabel> {
  return meanRatingLabel(meanRating(counts));
}

/** The analysts' view of a company in numbers. */
export interface AnalystFigures {
  /** The newest month's mean rating, 1 (strong buy) to 5 (strong sell); null without ratings. */
  readonly rating: number | null;
  /** The number of analysts who rate it in the newest month. */
  readonly analystCount: number;
  /** The mean price target, in the instrument's currency; null without targets. */
  readonly targetPrice: number | null;
  /** The mean estimate of the diluted EPS of the next fiscal year; null without estimates. */
  readonly nextYearEps: number | null;
}

/** Computes the figures from the stored coverage. */
export function analystFigures({
  ratings,
  priceTarget,
  estimates,
}: Pick<AnalystCoverage, "ratings" | "priceTarget" | "estimates">): AnalystFigures {
  const [newest] = ratings;
  return {
    rating: newest ? meanRating(newest) : null,
    analystCount: newest ? countAnalysts(newest) : 0,
    targetPrice: priceTarget?.mean ?? null,
    nextYearEps: estimates.find(({ period }) => period === "next_year")?.eps.average ?? null,
  };
}
