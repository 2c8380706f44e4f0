import { difference, sum } from "#analytics/ratios.ts";
import {
  BALANCE_ITEMS,
  NO_ITEMS,
  type StatementItem,
  type StatementItems,
} from "#domain/statement.ts";
import { leaseLiabilities, liquidity, missingParts, type Sheet } from "./balance-sheet.ts";
import type { FlowPart } from "./tags.ts";

/** Figures per share and numbers of shares of one span. */
interface ShareFigures {
  readonly eps: number | null;
  readonly diluted: number | null;
  readonly outstanding: number | null;
}

/** The balance sheet of one day, with those before it. */
interface SheetFigures {
  readonly at: Sheet;
  /** The sheets of the 15 months before it, newest first. */
  readonly recent: readonly Sheet[];
  readonly totalDebt: number | null;
}

/** The items of a statement from their parts. */
export function statementItems(
  flow: Readonly<Record<FlowPart, number | null>>,
  shares: ShareFigures,
  { at, recent, totalDebt }: SheetFigures,
): StatementItems {
  const minority = at.minorityInterest ?? difference(at.equityWithMinority, at.equity);
  const equity = at.equity ?? difference(at.equityWithMinority, at.minorityInterest ?? 0);
  // The cost of goods of an insurer with a pharmacy is a small part of its costs.
  const costOfRevenue = (flow.policyBenefits ?? 0) === 0 ? flow.costOfRevenue : null;
  return {
    revenue: flow.revenue,
    costOfRevenue: costOfRevenue ?? difference(flow.revenue, flow.grossProfit),
    grossProfit: flow.grossProfit ?? difference(flow.revenue, costOfRevenue),
    researchAndDevelopment: flow.researchAndDevelopment,
    sellingGeneralAdministrative: flow.sellingGeneralAdministrative,
    operatingIncome: flow.operatingIncome,
    depreciationAndAmortization: flow.depreciationAndAmortization,
    ebitda: sum(flow.operatingIncome, flow.depreciationAndAmortization),
    interestExpense: flow.interestExpense,
    pretaxIncome: flow.pretaxIncome,
    incomeTax: flow.incomeTax,
    netIncome: flow.netIncome,
    epsDiluted: shares.eps,
    sharesDiluted: shares.diluted,
    sharesOutstanding: shares.outstanding,
    totalAssets: at.totalAssets,
    currentAssets: at.currentAssets,
    cash: liquidity(at, recent),
    receivables: at.receivables,
    inventory: at.inventory,
    goodwill: at.goodwill,
    totalLiabilities:
      at.totalLiabilities ??
      difference(
        difference(at.totalAssets, at.equityWithMinority ?? equity),
        at.redeemableEquity ?? 0,
      ),
    currentLiabilities: at.currentLiabilities,
    payables: at.payables,
    totalDebt,
    leaseLiabilities: leaseLiabilities(at, recent),
    commonEquity: commonEquity(equity, at, recent),
    preferredEquity: at.preferredEquity,
    minorityInterest: minority,
    operatingCashFlow: flow.operatingCashFlow,
    investingCashFlow: flow.investingCashFlow,
    financingCashFlow: flow.financingCashFlow,
    // A property company that does not tag the purchases of its property.
    capitalExpenditure:
      flow.investmentProperty === null &&
      (at.investmentPropertyHeld ?? 0) > 0.5 * (at.totalAssets ?? 0)
        ? null
        : flow.capitalExpenditure,
    stockCompensation: flow.stockCompensation,
    dividendsPaid: flow.dividends,
    shareRepurchases: flow.shareRepurchases,
  };
}

/** Null if preferred equity is missing that the last sheet with it had: it may be in the equity. */
function commonEquity(equity: number | null, at: Sheet, recent: readonly Sheet[]): number | null {
  const isMissing = missingParts(
    [at.preferredEquity],
    recent.map(({ preferredEquity }) => [preferredEquity]),
  ).includes(true);
  return isMissing ? null : difference(equity, at.preferredEquity ?? 0);
}

const BALANCES: ReadonlySet<StatementItem> = new Set(BALANCE_ITEMS);
const FLOWS = (Object.keys(NO_ITEMS) as StatementItem[]).filter((item) => !BALANCES.has(item));

/** True if any flow is known. */
export function hasFlow(items: StatementItems): boolean {
  return FLOWS.some((item) => items[item] !== null);
}
