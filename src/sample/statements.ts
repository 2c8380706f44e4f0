import {
  BALANCE_ITEMS,
  NO_ITEMS,
  type Statement,
  type StatementItem,
  type StatementItems,
} from "#domain/statement.ts";
import { addMonths } from "#lib/date.ts";
import { ANCHOR, yearsBetween } from "./dates.ts";
import { type Profile, profileOf } from "./profiles.ts";
import { meanRevertingPath, normalAt, uniformAt } from "./random.ts";
import { type ReportedQuarter, reportedQuarters, reportsHalfYears } from "./reports.ts";
import type { SampleListing } from "./universe.ts";

/** A fiscal quarter of a company with its figures. */
export interface FiscalQuarter extends ReportedQuarter {
  /** Flows of this quarter only; balances at its end. */
  readonly items: StatementItems;
}

/**
 * The company's fiscal quarters since 2017, or since two years before its listing, oldest first, through
 * the first fiscal year that ends after `through`. A quarter does not depend on `through`.
 *
 * Revenue grows at the company's rate, with a season and a random part. Net income is revenue times a
 * mean-reverting margin; the lines between the two follow from the profile. The balance sheet grows
 * with the capital that the profile implies. Cash flows reconcile consecutive balance sheets: the change
 * of equity beyond net income is dividends, issues and buybacks, in financing. Revenue and income are
 * scaled so that the twelve months known on the anchor date have the universe's P/E.
 */
export function fiscalQuarters(listing: SampleListing, through: string): FiscalQuarter[] {
  const profile = profileOf(listing);
  const quarters = reportedQuarters(listing, through);
  const known = quarters.findLastIndex(({ filedOn }) => filedOn <= ANCHOR);
  const flows = incomes(profile, quarters, known);
  const [first] = quarters;
  const beforeFirst = addMonths(first?.periodEnd ?? ANCHOR, -3);
  let before = balanceSheet(profile, numberOf(first) - 1, beforeFirst);
  let earningsOfYear = 0;
  return quarters.map((quarter, i) => {
    const { revenue, netIncome } = flows[i] ?? { revenue: 0, netIncome: 0 };
    const sheet = balanceSheet(profile, numberOf(quarter), quarter.periodEnd);
    const years = yearsBetween(quarters[known]?.periodEnd ?? ANCHOR, quarter.periodEnd);
    const shares = Math.round(
      (listing.sharesOutstanding ?? 1) * Math.exp(profile.shareGrowth * years),
    );
    const earlierInYear = quarter.fiscalQuarter === 1 ? 0 : earningsOfYear;
    earningsOfYear = earlierInYear + netIncome / shares;
    const items: StatementItems = {
      ...NO_ITEMS,
      ...incomeStatement(profile, revenue, netIncome, before.totalDebt),
      // The year to date less the year to the quarter before, so that four rounded quarters add up.
      epsDiluted: (Math.round(100 * earningsOfYear) - Math.round(100 * earlierInYear)) / 100,
      sharesDiluted: shares,
      sharesOutstanding: shares,
      ...cashFlow(profile, before, sheet, revenue, netIncome),
      ...sheet,
    };
    before = sheet;
    if (profile.holdsFunds) for (const item of NOT_OF_LENDERS) items[item] = null;
    return { ...quarter, items };
  });
}

/** The items that banks, insurers and brokers do not report. */
const NOT_OF_LENDERS = [
  "costOfRevenue",
  "grossProfit",
  "sellingGeneralAdministrative",
  "ebitda",
  "interestExpense",
  "currentAssets",
  "inventory",
  "currentLiabilities",
  "capitalExpenditure",
] as const satisfies readonly StatementItem[];

/** The number of a quarter since fiscal year 2017, the same whichever quarter is generated first. */
function numberOf(quarter: ReportedQuarter | undefined): number {
  return quarter ? 4 * (quarter.fiscalYear - 2017) + quarter.fiscalQuarter - 1 : 0;
}

/** Revenue and net income of each quarter. `known` is the index of the last one filed by the anchor date. */
function incomes(
  { seed, growth, netMargin, netIncome: yearly }: Profile,
  quarters: readonly ReportedQuarter[],
  known: number,
) {
  const sales = meanRevertingPath(seed + 1, quarters.length, { deviation: 0.05, halfLife: 4 });
  const margins = meanRevertingPath(seed + 2, quarters.length, { deviation: 0.08, halfLife: 2.5 });
  const season = 0.02 + 0.06 * uniformAt(seed, 31);
  const raw = quarters.map(({ periodEnd }, i) => {
    const month = Number(periodEnd.slice(5, 7));
    const revenue =
      Math.exp(growth * yearsBetween(ANCHOR, periodEnd) + (sales[i] ?? 0)) *
      (1 + season * Math.cos((2 * Math.PI * (month - 12)) / 12));
    return { revenue, netIncome: revenue * netMargin * Math.exp(margins[i] ?? 0) };
  });
  const trailing = raw.slice(known - 3, known + 1).reduce((sum, one) => sum + one.netIncome, 0);
  const scale = yearly / trailing;
  return raw.map(({ revenue, netIncome }) => ({
    revenue: roundToThousands(revenue * scale),
    netIncome: roundToThousands(netIncome * scale),
  }));
}

/** The income statement, computed from net income upwards. */
function incomeStatement(profile: Profile, revenue: number, netIncome: number, debt: number) {
  const pretaxIncome = roundToThousands(netIncome / (1 - (netIncome > 0 ? profile.taxRate : 0)));
  const interest = profile.holdsFunds ? 0 : roundToThousands((debt * profile.interestRate) / 4);
  const operatingIncome = pretaxIncome + interest;
  const costs = Math.max(revenue - operatingIncome, 0);
  const grossProfit = roundToThousands(
    operatingIncome + Math.min(revenue * profile.overhead, 0.6 * costs),
  );
  const depreciationAndAmortization = roundToThousands(revenue * profile.depreciation);
  return {
    revenue,
    costOfRevenue: revenue - grossProfit,
    grossProfit,
    sellingGeneralAdministrative: grossProfit - operatingIncome,
    operatingIncome,
    depreciationAndAmortization,
    ebitda: operatingIncome + depreciationAndAmortization,
    interestExpense: interest,
    pretaxIncome,
    incomeTax: pretaxIncome - netIncome,
    netIncome,
  };
}

/** The balance sheet at the end of a quarter. */
function balanceSheet(profile: Profile, quarter: number, date: string) {
  const chance = (item: number, deviation: number) =>
    Math.exp(deviation * normalAt(profile.seed + 3, 1_000 * item + quarter));
  const capital = Math.exp(profile.growth * yearsBetween(ANCHOR, date)) * profile.capital;
  const commonEquity = roundToThousands(capital * profile.equityShare);
  const minorityInterest = roundToThousands(capital * profile.minority * chance(6, 0.04));
  // Debt pays for the buybacks that reduced equity below the capital.
  const totalDebt = roundToThousands(
    capital * (profile.debt * chance(1, 0.02) + 1 - profile.equityShare),
  );
  const otherLiabilities = roundToThousands(capital * profile.otherLiabilities * chance(2, 0.004));
  const totalLiabilities = totalDebt + otherLiabilities;
  const totalAssets = totalLiabilities + commonEquity + minorityInterest;
  const usualCash = totalAssets * profile.cash;
  const cash = usualCash * chance(3, 0.06);
  // Companies buy and sell long-term investments with their cash, and so leave working capital as it is.
  const currentAssets = roundToThousands(
    totalAssets * profile.currentAssets * chance(4, 0.004) + cash - usualCash,
  );
  const inventory = totalAssets * profile.inventory * chance(5, 0.02);
  const due = currentAssets / (profile.currentRatio * chance(7, 0.05));
  return {
    totalAssets,
    currentAssets,
    cash: roundToThousands(profile.holdsFunds ? cash : Math.min(cash, 0.6 * currentAssets)),
    inventory: roundToThousands(Math.min(inventory, 0.35 * currentAssets)),
    totalLiabilities,
    currentLiabilities: roundToThousands(Math.min(due, 0.8 * totalLiabilities)),
    totalDebt,
    commonEquity,
    preferredEquity: 0,
    minorityInterest,
  };
}

/** The cash flows between two balance sheets. The three add up to the change of cash. */
function cashFlow(
  profile: Profile,
  before: ReturnType<typeof balanceSheet>,
  after: ReturnType<typeof balanceSheet>,
  revenue: number,
  netIncome: number,
) {
  const change = (amount: (sheet: typeof after) => number) => amount(after) - amount(before);
  // A lender's loans are investments, and its deposits finance them: neither is working capital.
  const workingAssets = profile.holdsFunds ? 0 : change((s) => s.currentAssets - s.cash);
  const otherLiabilities = change((sheet) => sheet.totalLiabilities - sheet.totalDebt);
  const [operating, deposits] = profile.holdsFunds ? [0, otherLiabilities] : [otherLiabilities, 0];
  const depreciation = roundToThousands(revenue * profile.depreciation);
  const fixedAssets = change((sheet) => sheet.totalAssets - sheet.cash) - workingAssets;
  return {
    operatingCashFlow:
      netIncome +
      depreciation -
      workingAssets +
      change((sheet) => sheet.minorityInterest) +
      operating,
    investingCashFlow: -fixedAssets - depreciation,
    financingCashFlow: change((s) => s.totalDebt + s.commonEquity) - netIncome + deposits,
    capitalExpenditure: roundToThousands(revenue * profile.investment),
  };
}

/** Rounds an amount to whole thousands, so that sums are exact. */
function roundToThousands(amount: number): number {
  return Math.round(amount / 1_000) * 1_000;
}

const BALANCES: ReadonlySet<StatementItem> = new Set([...BALANCE_ITEMS, "sharesDiluted"]);

/**
 * The statements that the company had filed by the date: its quarters and years, oldest first.
 * Japanese companies report cumulatively: they have years to date instead of quarters. Its REITs have half years.
 */
export function* filedStatements(
  listing: SampleListing,
  quarters: readonly FiscalQuarter[],
  today: string,
): Generator<Statement> {
  const { country, symbol, currency } = listing;
  let year: StatementItems | null = null;
  for (const quarter of quarters) {
    if (quarter.filedOn > today) return;
    year = quarter.fiscalQuarter === 1 || year === null ? quarter.items : sum(year, quarter.items);
    const { items, ...period } = quarter;
    const statement = { country, symbol, currency, ...period };
    const isReported = quarter.fiscalQuarter % 2 === 0 || !reportsHalfYears(listing);
    if (country !== "JP") yield { ...statement, span: "quarter", items };
    else if (quarter.fiscalQuarter < 4 && isReported)
      yield { ...statement, span: "year_to_date", items: year };
    if (quarter.fiscalQuarter === 4) yield { ...statement, span: "year", items: year };
  }
}

/** The sum of the flows of both periods, with the balances of the later one. */
function sum(earlier: StatementItems, later: StatementItems): StatementItems {
  const total = { ...later };
  for (const item of Object.keys(later) as StatementItem[]) {
    const [a, b] = [earlier[item], later[item]];
    if (BALANCES.has(item) || a === null || b === null) continue;
    // Amounts are whole and add up exactly; earnings per share are rounded to hundredths.
    total[item] = item === "epsDiluted" ? Math.round(100 * (a + b)) / 100 : a + b;
  }
  return total;
}
