import { type MetricName, METRICS } from "#analytics/metrics.ts";
import { changesShares, type Split, splitRatio } from "#domain/split.ts";
import type { Condition, GroupMedian } from "#operations/reading/screen-language.ts";

/** The figures of one instrument from which conditions are judged, rounded as screens round them; null if unknown. */
export interface Figures {
  readonly read: (metric: MetricName) => number | null;
  readonly medianOf: (median: GroupMedian) => number | null;
}

/** New shares for one old share since the day of a rule. A limit in old shares is converted by them. */
export interface ShareRatios {
  /** Of prices, which spin-offs change too. */
  readonly prices: number;
  /** Of numbers of shares, and of amounts per share in statements. */
  readonly shares: number;
}

/** Nothing split since the day of the rule. */
export const NO_SPLITS: ShareRatios = { prices: 1, shares: 1 };

/** Per share or in shares: what splits change. */
function isInShares({ metric, right }: Condition): boolean {
  const { unit } = METRICS[metric];
  const isPerShare = unit.startsWith("price") || unit === "reported per share";
  return right.kind === "number" && (isPerShare || COUNTS.has(metric));
}

/** The numbers of shares. */
const COUNTS: ReadonlySet<MetricName> = new Set<MetricName>([
  "volume",
  "foreign_room",
  "shares_outstanding",
]);

/** Where splits are read, and up to which UTC date they are in force. */
interface SplitFacts {
  readonly of: { readonly country: string };
  /** Oldest first. */
  readonly splits: readonly Split[];
  readonly day: string;
}

/** The ratios by the splits after the day of a rule (`YYYY-MM-DD`). Splits are read only if a limit needs them. */
export function ratiosSince(
  screen: readonly (readonly Condition[])[],
  facts: SplitFacts,
  since: string,
): ShareRatios {
  if (!screen.flat().some(isInShares)) return NO_SPLITS;
  const {
    splits,
    day,
    of: { country },
  } = facts;
  const ofShares = splits.filter((split) => changesShares(split, country));
  return {
    prices: splitRatio(splits, since, day),
    shares: splitRatio(ofShares, since, day),
  };
}

/** Twelve digits, so that 380 / 2 × 2 is 380. */
const exact = (value: number) => Number(value.toPrecision(12));

/** A limit in today's shares, which was written on the day of the rule: 190 for a price of 380 before a 2-for-1 split. */
function limitInShares(metric: MetricName, limit: number, ratios: ShareRatios): number {
  const { unit } = METRICS[metric];
  if (unit === "price" || unit === "price difference") return exact(limit / ratios.prices);
  if (unit === "reported per share") return exact(limit / ratios.shares);
  return COUNTS.has(metric) ? exact(limit * ratios.shares) : limit;
}

/** Both sides of a condition; null where they are unknown. */
export interface Sides {
  readonly left: number | null;
  readonly right: number | null;
}

/** The figure of a condition and what it is compared with now. */
export function sidesOf(
  { metric, right }: Condition,
  figures: Figures,
  ratios: ShareRatios,
): Sides {
  const left = figures.read(metric);
  if (right.kind === "number") return { left, right: limitInShares(metric, right.value, ratios) };
  return {
    left,
    right: right.kind === "metric" ? figures.read(right.metric) : figures.medianOf(right),
  };
}

/** True if a condition holds, false if it does not; null if a figure is unknown. */
export function truthOfOne(
  condition: Condition,
  figures: Figures,
  ratios: ShareRatios,
): boolean | null {
  const { left, right } = sidesOf(condition, figures, ratios);
  return left === null || right === null ? null : condition.accepts(left, right);
}

/**
 * True if an alternative of a screen holds, false if each has a condition that does not hold; null if that depends on an
 * unknown figure.
 */
export function truthOf(
  screen: readonly (readonly Condition[])[],
  figures: Figures,
  ratios: ShareRatios,
): boolean | null {
  const alternatives = screen.map((conditions) => {
    const truths = conditions.map((one) => truthOfOne(one, figures, ratios));
    return truths.includes(false) ? false : truths.includes(null) ? null : true;
  });
  return alternatives.includes(true) ? true : alternatives.includes(null) ? null : false;
}
