import type { IndexPe } from "#domain/macro.ts";
import type { CompanyFundamentals } from "./valuation.ts";

/** How dear an index is against its own last five years, dearest first; the last is no verdict. */
export const VALUATION_STATUSES = [
  "Expensive",
  "Overvalued",
  "Fair",
  "Undervalued",
  "Cheap",
  "insufficient_history",
] as const;

/** One of `VALUATION_STATUSES`. */
export type ValuationStatus = (typeof VALUATION_STATUSES)[number];

/** An index against its own history. */
export interface IndexValuation {
  /** Mean P/E of the last five years; null without any history. */
  readonly fiveYearAverage: number | null;
  readonly status: ValuationStatus;
}

/** Month-ends of five years. */
const HISTORY_MONTHS = 60;
/** Below this many month-ends there is no verdict. */
const MIN_MONTHS = 12;
/** Share of the month-ends that is left out at each end as outliers. */
const TRIM = 0.1;

/**
 * The P/E of an index: Σ market cap / Σ net income TTM of its members, losses included (the
 * harmonic, cap-weighted mean). Null where the members earn nothing together. A member whose cap or
 * net income is unknown, or whose statements are in another currency, is left out of both sums.
 */
export function indexPe(
  members: Iterable<
    Pick<CompanyFundamentals, "marketCap" | "currency" | "netIncomeTtm" | "statementCurrency">
  >,
): number | null {
  let marketCap = 0;
  let netIncome = 0;
  for (const member of members) {
    if (member.marketCap === null || member.netIncomeTtm === null) continue;
    if (member.statementCurrency !== member.currency) continue;
    marketCap += member.marketCap;
    netIncome += member.netIncomeTtm;
  }
  return netIncome > 0 ? marketCap / netIncome : null;
}

/**
 * Places the present P/E of an index among its month-ends of the last five years, in any order; the
 * five years end with the newest of them. Fewer than 60: what there is.
 *
 * Both the average and the verdict are over what remains after 10 % of the month-ends are left out
 * at each end. With their mean μ and (population) standard deviation σ: above μ+2σ `Expensive`,
 * above μ+σ `Overvalued`, below μ−σ `Undervalued`, below μ−2σ `Cheap`, else `Fair`. Without a P/E,
 * or with fewer than 12 month-ends, `insufficient_history`.
 */
export function indexValuation(
  pe: number | null,
  history: readonly Pick<IndexPe, "month" | "pe">[],
): IndexValuation {
  const { kept, months } = withoutOutliers(history);
  const average = mean(kept);
  return {
    fiveYearAverage: average,
    status:
      pe === null || average === null || months < MIN_MONTHS
        ? "insufficient_history"
        : statusOf(pe - average, Math.sqrt(mean(kept.map((x) => (x - average) ** 2)) ?? 0)),
  };
}

function statusOf(distance: number, sigma: number): ValuationStatus {
  if (distance > 2 * sigma) return "Expensive";
  if (distance > sigma) return "Overvalued";
  if (distance < -2 * sigma) return "Cheap";
  if (distance < -sigma) return "Undervalued";
  return "Fair";
}

/** The P/E of the five years' month-ends, ascending, the outliers at both ends cut off. */
function withoutOutliers(history: readonly Pick<IndexPe, "month" | "pe">[]): {
  kept: number[];
  months: number;
} {
  const newest = Math.max(...history.map(({ month }) => monthNumber(month)));
  const ascending = history
    .filter(({ month }) => monthNumber(month) > newest - HISTORY_MONTHS)
    .map(({ pe }) => pe)
    .sort((a, b) => a - b);
  const cut = Math.floor(ascending.length * TRIM);
  return { kept: ascending.slice(cut, ascending.length - cut), months: ascending.length };
}

/** Numbers months so that neighbours differ by 1. */
function monthNumber(month: string): number {
  return Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
}

/** Null of no values. Summed as distances, so that equal values have exactly themselves as mean. */
function mean(values: readonly number[]): number | null {
  const [first] = values;
  if (first === undefined) return null;
  return first + values.reduce((sum, value) => sum + (value - first), 0) / values.length;
}
