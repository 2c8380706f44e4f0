import type { Split } from "#domain/split.ts";
import type { FindSpan, FiscalYear } from "./fiscal-calendar.ts";
import type { Fact } from "./facts.ts";
import { type Ledger, listFacts } from "./ledger.ts";
import { NO_FIGURES, roundShareFigure, type Series, series, type YearFigures } from "./series.ts";
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
  const eps = new Map<FiscalYear, YearFigures>();
  for (const [year, figures] of series(epsFacts, findSpan, true))
    eps.set(
      year,
      withoutDoubtful(figures, stated.get(year) ?? NO_FIGURES, netIncome.get(year) ?? NO_FIGURES),
    );
  const shares = new Map<FiscalYear, YearFigures>();
  for (const [year, counts] of series(shareFacts, findSpan, false))
    shares.set(
      year,
      withoutMisscaled(counts, eps.get(year) ?? NO_FIGURES, netIncome.get(year) ?? NO_FIGURES),
    );
  return { basis, eps, shares };
}

/** Numbers of shares without those in thousands (NVIDIA until 2010): 100 times too few or too many. */
function withoutMisscaled(shares: YearFigures, eps: YearFigures, income: YearFigures): YearFigures {
  const check = (count: number | null, perShare: number | null, earned: number | null) => {
    if (count === null || !perShare || !earned) return count;
    return Math.abs(Math.log10(Math.abs(earned / perShare / count))) < 2 ? count : null;
  };
  const at = (values: readonly (number | null)[], i: number) => values[i] ?? null;
  return {
    quarters: shares.quarters.map((n, i) => check(n, at(eps.quarters, i), at(income.quarters, i))),
    toDate: shares.toDate.map((n, i) => check(n, at(eps.toDate, i), at(income.toDate, i))),
    whole: check(shares.whole, eps.whole, income.whole),
  };
}

/** Quarters and the year of one fiscal year. */
const spansOf = ({ quarters, whole }: YearFigures) => [...quarters, whole];

/**
 * The earnings per share of a year without derived quarters that cannot be right.
 *
 * Average numbers of shares differ from quarter to quarter, so a quarter is not exactly the year less
 * the other three: after a listing or a large issue it may even have the wrong sign. It must agree with
 * the net income of the quarter on a number of shares between those of the stated periods, with 25 %
 * and four roundings to cents of tolerance. Without net income, it must be less than ten times the
 * largest stated quarter.
 */
function withoutDoubtful(
  figures: YearFigures,
  stated: YearFigures,
  income: YearFigures,
): YearFigures {
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
