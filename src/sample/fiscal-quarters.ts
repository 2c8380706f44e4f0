import { NO_ITEMS, type StatementItems } from "#domain/statement.ts";
import { addMonths } from "#lib/date.ts";
import { ANCHOR, yearsBetween } from "./dates.ts";
import { type CompanyProfile, companyProfile } from "./profiles.ts";
import { normalAt, uniformAt, meanRevertingPath } from "./random.ts";
import { type ReportedQuarter, reportedQuarters } from "./reports.ts";
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
 * with the equity that the profile's return on equity implies. Cash flows reconcile consecutive balance
 * sheets: the change of equity beyond net income is dividends, issues and buy-backs, in financing.
 * Revenue and income are scaled so that the twelve months known on the anchor date have the
 * universe's P/E, with the share count known on that date.
 */
export function fiscalQuarters(listing: SampleListing, through: string): FiscalQuarter[] {
  const profile = companyProfile(listing);
  const quarters = reportedQuarters(listing, through);
  const known = quarters.findLastIndex(({ filedOn }) => filedOn <= ANCHOR);
  const flows = incomes(profile, quarters, known);
  const [first] = quarters;
  let before = balanceSheet(
    profile,
    numberOf(first) - 1,
    addMonths(first?.periodEnd ?? ANCHOR, -3),
  );
  let earningsOfYear = 0;
  return quarters.map((quarter, i) => {
    const { revenue, netIncome } = flows[i] ?? { revenue: 0, netIncome: 0 };
    const sheet = balanceSheet(profile, numberOf(quarter), quarter.periodEnd);
    const yearsAway = yearsBetween(quarters[known]?.periodEnd ?? ANCHOR, quarter.periodEnd);
    const shares = sharesAfter(listing, profile, yearsAway);
    const earlierInYear = quarter.fiscalQuarter === 1 ? 0 : earningsOfYear;
    earningsOfYear = earlierInYear + netIncome / shares;
    const items = {
      ...NO_ITEMS,
      ...incomeStatement(profile, revenue, netIncome, before.totalDebt),
      epsDiluted: perShare(earningsOfYear, earlierInYear),
      sharesDiluted: shares,
      sharesOutstanding: shares,
      ...cashFlow(profile, before, sheet, revenue, netIncome),
      ...sheet,
    };
    before = sheet;
    return { ...quarter, items: profile.lendsOrInsures ? withoutInapplicableItems(items) : items };
  });
}

/** The number of a quarter since fiscal year 2017, the same whichever quarter is generated first. */
function numberOf(quarter: ReportedQuarter | undefined): number {
  return quarter ? 4 * (quarter.fiscalYear - 2017) + quarter.fiscalQuarter - 1 : 0;
}

/** The share count some years after the quarter known on the anchor date, a whole number. */
function sharesAfter(
  { sharesOutstanding }: SampleListing,
  { shareGrowth }: CompanyProfile,
  years: number,
): number {
  return Math.round((sharesOutstanding ?? 1) * Math.exp(shareGrowth * years));
}

/** Revenue and net income of each quarter. `known` is the index of the last one filed by the anchor date. */
function incomes(profile: CompanyProfile, quarters: readonly ReportedQuarter[], known: number) {
  const { seed, growth } = profile;
  const sales = meanRevertingPath(seed + 1, quarters.length, { deviation: 0.05, halfLife: 4 });
  const margins = meanRevertingPath(seed + 2, quarters.length, { deviation: 0.08, halfLife: 2.5 });
  const season = 0.02 + 0.06 * uniformAt(seed, 31);
  const raw = quarters.map(({ periodEnd }, i) => {
    const month = Number(periodEnd.slice(5, 7));
    const revenue =
      Math.exp(growth * yearsBetween(ANCHOR, periodEnd) + (sales[i] ?? 0)) *
      (1 + season * Math.cos((2 * Math.PI * (month - 12)) / 12));
    return { revenue, netIncome: revenue * Math.exp(margins[i] ?? 0) };
  });
  const trailing = raw
    .slice(known - 3, known + 1)
    .reduce((sum, { netIncome }) => sum + netIncome, 0);
  const scale = profile.netIncome / trailing;
  return raw.map(({ revenue, netIncome }) => ({
    revenue: roundToThousands((revenue * scale) / profile.netMargin),
    netIncome: roundToThousands(netIncome * scale),
  }));
}

/** The income statement, computed from net income upwards. */
function incomeStatement(
  profile: CompanyProfile,
  revenue: number,
  netIncome: number,
  totalDebt: number,
) {
  const pretaxIncome = roundToThousands(netIncome / (1 - profile.taxRate));
  const interest = profile.lendsOrInsures
    ? 0
    : roundToThousands((totalDebt * profile.interestRate) / 4);
  const operatingIncome = pretaxIncome + interest;
  const overhead = Math.min(
    revenue * profile.overhead,
    0.6 * Math.max(revenue - operatingIncome, 0),
  );
  const grossProfit = roundToThousands(operatingIncome + overhead);
  const depreciationAndAmortization = depreciationOf(profile, revenue);
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

function depreciationOf({ depreciation }: CompanyProfile, revenue: number): number {
  return roundToThousands(revenue * depreciation);
}

/** The balance sheet at the end of a quarter. */
function balanceSheet(profile: CompanyProfile, quarter: number, date: string) {
  const { seed } = profile;
  const chance = (item: number, deviation: number) =>
    Math.exp(deviation * normalAt(seed + 3, 1_000 * item + quarter));
  const yearly = Math.exp(profile.growth * yearsBetween(ANCHOR, date));
  const commonEquity = roundToThousands(yearly * profile.commonEquity);
  const minorityInterest = roundToThousands(commonEquity * profile.minority * chance(6, 0.04));
  const totalDebt = roundToThousands(commonEquity * profile.debt * chance(1, 0.02));
  const totalLiabilities =
    totalDebt + roundToThousands(commonEquity * profile.otherLiabilities * chance(2, 0.004));
  const totalAssets = totalLiabilities + commonEquity + minorityInterest;
  const usualCash = totalAssets * profile.cash;
  const cash = usualCash * chance(3, 0.06);
  // Companies buy and sell long-term investments with their cash, and so leave working capital as it is.
  const currentAssets = roundToThousands(
    totalAssets * profile.currentAssets * chance(4, 0.004) + cash - usualCash,
  );
  const inventory = totalAssets * profile.inventory * chance(5, 0.02);
  return {
    totalAssets,
    currentAssets,
    cash: roundToThousands(
      profile.lendsOrInsures ? cash : Math.min(cash, MAX_CASH * currentAssets),
    ),
    inventory: roundToThousands(Math.min(inventory, MAX_INVENTORY * currentAssets)),
    totalLiabilities,
    currentLiabilities: roundToThousands(
      Math.min(currentAssets / (profile.currentRatio * chance(7, 0.05)), 0.8 * totalLiabilities),
    ),
    totalDebt,
    commonEquity,
    preferredEquity: 0,
    minorityInterest,
  };
}

/** Shares of current assets, which add up to less than 1. */
const MAX_CASH = 0.6;
const MAX_INVENTORY = 0.35;

/** The cash flows between two balance sheets. The three add up to the change of cash. */
function cashFlow(
  profile: CompanyProfile,
  before: ReturnType<typeof balanceSheet>,
  after: ReturnType<typeof balanceSheet>,
  revenue: number,
  netIncome: number,
) {
  const change = (amount: (sheet: typeof after) => number) => amount(after) - amount(before);
  // A lender's loans are investments, and its deposits finance them: neither is working capital.
  const workingAssets = profile.lendsOrInsures
    ? 0
    : change((sheet) => sheet.currentAssets - sheet.cash);
  const otherLiabilities = change((sheet) => sheet.totalLiabilities - sheet.totalDebt);
  const depreciation = depreciationOf(profile, revenue);
  const fixedAssets = change((sheet) => sheet.totalAssets - sheet.cash) - workingAssets;
  return {
    operatingCashFlow:
      netIncome +
      depreciation -
      workingAssets +
      change((sheet) => sheet.minorityInterest) +
      (profile.lendsOrInsures ? 0 : otherLiabilities),
    investingCashFlow: -fixedAssets - depreciation,
    financingCashFlow:
      change((sheet) => sheet.totalDebt + sheet.commonEquity) -
      netIncome +
      (profile.lendsOrInsures ? otherLiabilities : 0),
    capitalExpenditure: roundToThousands(revenue * profile.investment),
  };
}

/** The items without those that banks and insurers do not report. */
function withoutInapplicableItems(items: StatementItems): StatementItems {
  return {
    ...items,
    costOfRevenue: null,
    grossProfit: null,
    sellingGeneralAdministrative: null,
    ebitda: null,
    interestExpense: null,
    currentAssets: null,
    inventory: null,
    currentLiabilities: null,
  };
}

/**
 * Earnings per share of one quarter: the year to date minus the year to the quarter before, each rounded
 * to hundredths, so that the four quarters add up to the year.
 */
function perShare(soFar: number, before: number): number {
  return (Math.round(100 * soFar) - Math.round(100 * before)) / 100;
}

/** Rounds an amount to whole thousands, so that sums are exact. */
function roundToThousands(amount: number): number {
  return Math.round(amount / 1_000) * 1_000;
}
