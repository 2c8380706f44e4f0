import { sum } from "#analytics/ratios.ts";
import type { Split } from "#domain/split.ts";
import type { FindSpan, FiscalYear } from "./fiscal-calendar.ts";
import type { Fact } from "./facts.ts";
import { type Ledger, listFacts } from "./ledger.ts";
import { NO_FIGURES, roundShareFigure, type Series, series, type ReportedYear } from "./series.ts";
import { findShareBasis, type ShareBasis } from "./share-basis.ts";

/** Per-share figures and numbers of shares, all in the shares of `basis.sharesAsOf`. */
export interface PerShareSeries {
  readonly basis: ShareBasis;
  readonly eps: Series;
  readonly shares: Series;
}

const AVERAGES = [
  "WeightedAverageNumberOfSharesOutstandingBasic",
  "WeightedAverageNumberOfSharesIssuedBasic",
];
const BASIC_EARNINGS = ["EarningsPerShareBasic", "BasicEarningsLossPerShare"];

/**
 * Earnings per share and average numbers of shares. A figure of a filing whose shares are unknown is left
 * out (see `findShareBasis`).
 *
 * @param splits the recorded splits, oldest first; null if they are unknown
 * @param newest the day of the newest filing
 */
export function perShareSeries(
  ledger: Ledger,
  findSpan: FindSpan,
  netIncome: Series,
  splits: readonly Split[] | null,
  newest: string,
): PerShareSeries {
  const { tags, currency } = ledger;
  const epsUnit = `${currency}/shares`;
  const listAll = (names: readonly string[], unit?: string) =>
    names.map((tag) => listFacts(ledger, tag, unit));
  const basis = findShareBasis(
    {
      perShare: listAll([...tags.epsDiluted, ...BASIC_EARNINGS], epsUnit),
      counts: listAll([...AVERAGES, ...tags.sharesDiluted], "shares"),
      income: listAll(tags.flows.netIncome),
    },
    splits,
    newest,
  );
  const inNewest = (facts: readonly Fact[], scale: (value: number, factor: number) => number) =>
    facts.flatMap((fact) => {
      const factor = basis.factorOf(fact.filed);
      return factor === null ? [] : [{ ...fact, value: scale(fact.value, factor) }];
    });
  const epsFacts = listAll(tags.epsDiluted, epsUnit).map((facts) =>
    inNewest(facts, (value, factor) => roundShareFigure(value / factor)),
  );
  const shareFacts = listAll(tags.sharesDiluted, "shares").map((facts) =>
    inNewest(facts, (value, factor) => value * factor),
  );
  const stated = series(epsFacts, findSpan, false);
  const counts = series(shareFacts, findSpan, false);
  const eps = new Map<FiscalYear, ReportedYear>();
  const shares = new Map<FiscalYear, ReportedYear>();
  for (const [year, figures] of series(epsFacts, findSpan, true)) {
    const income = netIncome.get(year) ?? NO_FIGURES;
    const known = withoutDoubtful(figures, stated.get(year) ?? NO_FIGURES, income);
    const count = withoutMisscaled(counts.get(year) ?? NO_FIGURES, known, income);
    if (counts.has(year)) shares.set(year, count);
    const isStated = typeof stated.get(year)?.quarters[3] === "number";
    eps.set(year, isStated ? known : withExactFourthQuarter(known, count, income));
  }
  for (const [year, count] of counts) if (!shares.has(year)) shares.set(year, count);
  return { basis, eps, shares };
}

/**
 * The earnings per share of a year, the fourth quarter by its net income and shares: four times the year's average
 * less the other quarters'. The year less three rounded quarters may be a cent off: Alphabet published 2.15 for the
 * fourth quarter of 2024, not 2.14. Only without a change of sign, after which other shares dilute, and if net income / shares is
 * the stated figure of the year and of each other quarter, in whole cents.
 */
function withExactFourthQuarter(
  eps: ReportedYear,
  shares: ReportedYear,
  income: ReportedYear,
): ReportedYear {
  const [first = null, second = null, third = null, difference = null] = eps.quarters;
  const earned = income.quarters[3] ?? null;
  const others = sum(
    sum(shares.quarters[0] ?? null, shares.quarters[1] ?? null),
    shares.quarters[2] ?? null,
  );
  if (difference === null || earned === null || others === null || shares.whole === null)
    return eps;
  const isExact = [first, second, third, eps.whole].every((value, i) => {
    const span = i === 3 ? [income.whole, shares.whole] : [income.quarters[i], shares.quarters[i]];
    const [amount = null, count = null] = span;
    if (value === null || amount === null || !count || amount * earned <= 0) return false;
    return isInCents(value) && Math.abs(amount / count - value) <= 0.0051;
  });
  const exact = Math.round((100 * earned) / (4 * shares.whole - others)) / 100;
  const isNear = Math.abs(exact - difference) <= 0.02 + 0.02 * Math.abs(difference);
  if (!isExact || !isNear) return eps;
  return { ...eps, quarters: [first, second, third, exact] };
}

const isInCents = (value: number) => Math.abs(100 * value - Math.round(100 * value)) < 1e-6;

/**
 * Numbers of shares without those in thousands (NVIDIA until 2010): 100 times too few. If there are 100 times too
 * many, the income may be in thousands, so the number stays: `checkStatement` finds the wrong one.
 */
function withoutMisscaled(
  shares: ReportedYear,
  eps: ReportedYear,
  income: ReportedYear,
): ReportedYear {
  const check = (count: number | null, perShare: number | null, earned: number | null) => {
    if (count === null || !perShare || !earned) return count;
    return Math.abs(earned / perShare / count) < 100 ? count : null;
  };
  const at = (values: readonly (number | null)[], i: number) => values[i] ?? null;
  return {
    quarters: shares.quarters.map((n, i) => check(n, at(eps.quarters, i), at(income.quarters, i))),
    toDate: shares.toDate.map((n, i) => check(n, at(eps.toDate, i), at(income.toDate, i))),
    whole: check(shares.whole, eps.whole, income.whole),
  };
}

/** Quarters and the year of one fiscal year. */
const spansOf = ({ quarters, whole }: ReportedYear) => [...quarters, whole];

/**
 * The earnings per share of a year without derived quarters that cannot be right.
 *
 * Average numbers of shares differ from quarter to quarter, so a quarter is not exactly the year less
 * the other three: after a listing or a large issue it may even have the wrong sign. It must agree with
 * the net income of the quarter on a number of shares between the stated periods' numbers, with 25 %
 * and four roundings to cents of tolerance. Without net income, it must be less than ten times the
 * largest stated quarter.
 */
function withoutDoubtful(
  figures: ReportedYear,
  stated: ReportedYear,
  income: ReportedYear,
): ReportedYear {
  const incomes = spansOf(income);
  const shares = spansOf(stated).flatMap((eps, i) => {
    const earned = incomes[i] ?? null;
    return eps === null || earned === null || Math.abs(eps) < PRECISE_EPS || earned / eps <= 0
      ? []
      : [earned / eps];
  });
  const largest = Math.max(...stated.quarters.map((eps) => Math.abs(eps ?? 0)));
  const quarters = figures.quarters.map((eps, i) => {
    if (eps === null || stated.quarters[i] !== null) return eps;
    const earned = incomes[i] ?? null;
    if (earned === null || shares.length === 0) return Math.abs(eps) < 10 * largest ? eps : null;
    const bounds = [earned / Math.min(...shares), earned / Math.max(...shares)];
    const slack = 0.25 * Math.max(...bounds.map(Math.abs)) + 0.02;
    return eps >= Math.min(...bounds) - slack && eps <= Math.max(...bounds) + slack ? eps : null;
  });
  return { ...figures, quarters };
}

/** An amount per share that is rounded to cents by at most 10 %. */
const PRECISE_EPS = 0.05;
