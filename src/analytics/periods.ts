import {
  BALANCES,
  fiscalQuarterNumber,
  type Statement,
  type StatementItem,
} from "#domain/statement.ts";
import { daysBetween } from "#lib/date.ts";
import { difference, percent, ratio } from "./ratios.ts";
import { BANKS_AND_INSURERS, holdsCustomerFunds } from "./valuation.ts";
import { knownStatements, quartersFrom, quartersIn } from "./ttm.ts";

/**
 * The whole fiscal years, or the single fiscal quarters, that were known on the date `asOf`, newest
 * first. A fiscal year of less than twelve months, in which a company moved its year, is listed by its quarters only.
 *
 * A quarter that was reported only cumulatively is a difference: year to date minus the year to date
 * of the previous quarter; for the fourth quarter, the year minus the first three quarters. Its
 * balances are of the end of the quarter. `sharesDiluted`, an average, is null in a difference.
 */
export function listPeriods(
  statements: readonly Statement[],
  asOf: string,
  period: "annual" | "quarterly",
): Statement[] {
  const { newest } = knownStatements(statements, asOf);
  const bySpan = {
    quarter: new Map<number, Statement>(),
    year_to_date: new Map<number, Statement>(),
    year: new Map<number, Statement>(),
  };
  for (const statement of statements) {
    if (statement.filedOn > asOf || statement.currency !== newest?.currency) continue;
    const sameSpan = bySpan[statement.span];
    const before = sameSpan.get(labelNumber(statement));
    if (!before || before.filedOn <= statement.filedOn)
      sameSpan.set(labelNumber(statement), statement);
  }
  const numbers = new Set(
    period === "annual"
      ? bySpan.year.keys()
      : Object.values(bySpan).flatMap((span) => [...span.keys()]),
  );
  const inOrder = [...numbers]
    .map((number) =>
      period === "annual" ? bySpan.year.get(number) : singleQuarter(bySpan, number),
    )
    .filter((statement) => statement !== undefined)
    .sort((a, b) => b.periodEnd.localeCompare(a.periodEnd) || labelNumber(b) - labelNumber(a));
  return withoutTwins(inOrder);
}

/** In days: two periods of one length that end within fewer are one period with two labels. */
const LEAST_PERIOD_DAYS = 45;

/** One statement of each period: where two sources label a period differently, its newest filing stays. */
function withoutTwins(inOrder: readonly Statement[]): Statement[] {
  const kept: Statement[] = [];
  for (const next of inOrder) {
    const last = kept.at(-1);
    const isTwin = last && daysBetween(next.periodEnd, last.periodEnd) < LEAST_PERIOD_DAYS;
    if (!isTwin) kept.push(next);
    else if (next.filedOn > last.filedOn) kept.splice(-1, 1, next);
  }
  return kept;
}

/** A number for the label of a fiscal quarter, greater for later ones. */
const labelNumber = ({ fiscalYear, fiscalQuarter }: Statement) =>
  fiscalQuarterNumber(fiscalYear, fiscalQuarter);

function singleQuarter(
  bySpan: Readonly<Record<Statement["span"], ReadonlyMap<number, Statement>>>,
  number: number,
): Statement | undefined {
  const reported = bySpan.quarter.get(number);
  if (reported) return reported;
  const cumulative = bySpan.year_to_date.get(number) ?? bySpan.year.get(number);
  if (!cumulative) return undefined;
  if (quartersIn(cumulative) === 1) return { ...cumulative, span: "quarter" };
  const before = bySpan.year_to_date.get(number - 1);
  if (!before || quartersFrom(cumulative.periodEnd, before.periodEnd) !== -1) return undefined;
  return { ...cumulative, span: "quarter", items: itemsBetween(cumulative.items, before.items) };
}

/** The items of the time between the ends of two spans with one first day: differences of flows, later balances. */
export function itemsBetween(
  items: Statement["items"],
  before: Statement["items"],
): Statement["items"] {
  const single = { ...items, sharesDiluted: null };
  for (const item of Object.keys(single) as StatementItem[]) {
    if (BALANCES.has(item) || item === "sharesDiluted") continue;
    single[item] = difference(items[item], before[item]);
  }
  return single;
}

/** Figures computed from one fiscal period, with the exclusions of `CompanyFundamentals`. */
export interface PeriodFigures {
  /** Operating cash flow − capital expenditure; null for companies that hold customers' money. */
  readonly freeCashFlow: number | null;
  /** Common equity + preferred equity + minority interest. */
  readonly totalEquity: number | null;
  /** Gross profit / revenue; null for banks and insurers. */
  readonly grossMarginPercent: number | null;
  readonly operatingMarginPercent: number | null;
  readonly netMarginPercent: number | null;
  /** Free cash flow / revenue. */
  readonly fcfMarginPercent: number | null;
  /** Total debt / total equity; null if equity ≤ 0. */
  readonly debtToEquity: number | null;
  /** Current assets / current liabilities. */
  readonly currentRatio: number | null;
}

/** Computes the figures of one period; `industry` is the slug of the company's industry. */
export function periodFigures(items: Statement["items"], industry: string | null): PeriodFigures {
  const { revenue, commonEquity } = items;
  const lendsOrInsures = industry !== null && BANKS_AND_INSURERS.has(industry);
  const isCustodian = holdsCustomerFunds({ sector: null, industry }, items.currentAssets);
  const freeCashFlow = isCustodian
    ? null
    : difference(items.operatingCashFlow, items.capitalExpenditure);
  const totalEquity =
    commonEquity === null
      ? null
      : commonEquity + (items.preferredEquity ?? 0) + (items.minorityInterest ?? 0);
  return {
    freeCashFlow,
    totalEquity,
    grossMarginPercent: lendsOrInsures ? null : percent(items.grossProfit, revenue),
    operatingMarginPercent: percent(items.operatingIncome, revenue),
    netMarginPercent: percent(items.netIncome, revenue),
    fcfMarginPercent: percent(freeCashFlow, revenue),
    debtToEquity: ratio(items.totalDebt, totalEquity),
    currentRatio: ratio(items.currentAssets, items.currentLiabilities),
  };
}
