import type { IndexPe } from "#domain/macro.ts";
import type { CompanyFundamentals } from "./valuation.ts";
import { VERDICTS, verdictByDeviation } from "./valuation-verdict.ts";

/** The verdict on the P/E of an index; `insufficient_history` without one. */
export const VALUATION_STATUSES = [...VERDICTS, "insufficient_history"] as const;

/** One of `VALUATION_STATUSES`. */
type ValuationStatus = (typeof VALUATION_STATUSES)[number];

/** The past with which the P/E of an index is compared. */
export const INDEX_WINDOW = "5y";

/** The valuation of an index compared with its own history. */
interface IndexValuation {
  /** Trimmed mean of the P/E of the last five years; null without history. */
  readonly fiveYearAverage: number | null;
  readonly status: ValuationStatus;
}

/** Number of month-ends in five years. */
const HISTORY_MONTHS = 60;
/** With fewer month-ends the status is `insufficient_history`. */
const MIN_MONTHS = 12;
/** Share of the month-ends that is removed at each end as outliers. */
const TRIM = 0.1;

/**
 * The P/E of an index: Σ market cap / Σ net income TTM of its members, losses included (the
 * cap-weighted harmonic mean). Null if the sum of net income is not positive. Members whose cap or net
 * income is unknown, or whose statements are in another currency, are left out of both sums.
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
 * Compares the current P/E of an index with its month-ends of the last five years, which may come in
 * any order. The five years end with the newest month-end and may be incomplete.
 *
 * Average and status are computed after 10 % of the month-ends are removed at each end. The status is
 * `verdictByDeviation` by the mean and the population standard deviation of the rest. Without a P/E, or with
 * fewer than 12 month-ends, it is `insufficient_history`.
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

/** The verdict on a P/E at this distance from the mean. Where the past never changed, the mean alone is `Fair`. */
function statusOf(distance: number, sigma: number): ValuationStatus {
  return verdictByDeviation(distance === 0 ? 0 : distance / sigma);
}

/** The P/E of the five years' month-ends, ascending and trimmed; `months` counts them untrimmed. */
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

/** Null without values. Summing differences makes the mean of equal values exact. */
function mean(values: readonly number[]): number | null {
  const [first] = values;
  if (first === undefined) return null;
  return first + values.reduce((sum, value) => sum + (value - first), 0) / values.length;
}
