import { difference, sum } from "#analytics/ratios.ts";
import { BALANCES, NO_ITEMS, type StatementItem, type StatementItems } from "#domain/statement.ts";
import {
  leaseLiabilities,
  liquidity,
  missingParts,
  ownMinority,
  plus,
  SAME,
  type Sheet,
  sumOfSheet,
} from "./balance-sheet.ts";
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
  /** Paid in the quarter, or in the year if that is unknown. */
  readonly preferredDividends: number;
  /** True if the cash flows of about a year before or after have a change of inventories. */
  readonly hasInventoryFlows: boolean;
}

/** The items of a statement from their parts. */
export function statementItems(
  flow: Readonly<Record<FlowPart, number | null>>,
  shares: ShareFigures,
  { at, recent, totalDebt, preferredDividends, hasInventoryFlows }: SheetFigures,
): StatementItems {
  const minority = sumOfSheet(
    (sheet) => [ownMinority(sheet), sheet.redeemableMinority],
    at,
    recent,
  );
  const equity = at.equity ?? parentEquity(at, recent);
  const preferred = preferredEquity(at, recent, preferredDividends);
  // The cost of goods of an insurer with a pharmacy is a small part of its costs.
  const stated = flow.policyBenefits || flow.premiums ? null : flow.costOfRevenue;
  const costs = difference(flow.revenue, flow.grossProfit);
  // Less than all costs above the gross profit: the cost of goods beside services.
  const isPart = (stated ?? 0) < (costs ?? 0) * (1 - SAME);
  const costOfRevenue = isPart ? costs : stated;
  return {
    revenue: flow.revenue,
    costOfRevenue: costOfRevenue ?? costs,
    grossProfit: flow.grossProfit ?? difference(flow.revenue, costOfRevenue),
    researchAndDevelopment: flow.researchAndDevelopment,
    sellingGeneralAdministrative: flow.sellingGeneralAdministrative,
    operatingIncome: flow.operatingIncome,
    depreciationAndAmortization: expense(flow.depreciationAndAmortization),
    ebitda: sum(flow.operatingIncome, expense(flow.depreciationAndAmortization)),
    interestExpense: expense(flow.interestExpense),
    ordinaryIncome: null,
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
    inventory: inventoryOf(at, recent, hasInventoryFlows),
    goodwill: at.goodwill,
    totalLiabilities:
      at.totalLiabilities ??
      difference(
        difference(at.totalAssets, at.equityWithMinority ?? plus(equity, at.minorityInterest)),
        at.redeemableEquity ?? 0,
      ),
    currentLiabilities: at.currentLiabilities,
    // With other payables only if the company does not separate them in another report (Coca-Cola).
    payables: at.payables ?? (recent.some(hasTradePayables) ? null : at.otherPayables),
    totalDebt,
    leaseLiabilities: leaseLiabilities(at, recent),
    commonEquity: preferred === undefined ? null : difference(equity, preferred ?? 0),
    preferredEquity: preferred ?? null,
    minorityInterest: minority,
    operatingCashFlow: flow.operatingCashFlow,
    investingCashFlow: flow.investingCashFlow,
    financingCashFlow: flow.financingCashFlow,
    // A property company that does not tag the purchases of its property.
    capitalExpenditure:
      flow.investmentProperty === null &&
      (at.investmentPropertyHeld ?? 0) > 0.5 * (at.totalAssets ?? 0)
        ? null
        : expense(flow.capitalExpenditure),
    stockCompensation: flow.stockCompensation,
    dividendsPaid: expense(flow.dividends),
    shareRepurchases: expense(flow.shareRepurchases),
  };
}

/** An expense or outflow. Null below zero: its sign is wrong, it is net of income, or a year to date was restated. */
function expense(value: number | null): number | null {
  return value === null || value < 0 ? null : value;
}

/**
 * Inventory; 0 if the company has none. Null if its line has an unknown tag: another tag or the cash flows show
 * inventories (Union Pacific's materials, the merchandise of retailers).
 */
function inventoryOf(at: Sheet, recent: readonly Sheet[], hasFlows: boolean): number | null {
  if (at.inventory !== null || at.currentAssets === null || hasFlows) return at.inventory;
  const isHeld = [at, ...recent].some((one) => (one.inventory ?? one.otherInventory ?? 0) !== 0);
  return isHeld ? null : 0;
}

const hasTradePayables = ({ payables }: Sheet) => payables !== null;

/** All equity less minority interest; null if that is missing and the last sheet with it had some. */
function parentEquity(at: Sheet, recent: readonly Sheet[]): number | null {
  const before = recent.map((sheet) => [ownMinority(sheet)]);
  if (missingParts([ownMinority(at)], before).includes(true)) return null;
  return difference(at.equityWithMinority, at.minorityInterest ?? 0);
}

/**
 * Preferred equity; undefined if it is missing, so that it may be in the equity. That is so if the last sheet with it
 * had some, and if dividends were paid on it that are too large for the line: many state the par value alone (MetLife).
 */
function preferredEquity(
  at: Sheet,
  recent: readonly Sheet[],
  dividends: number,
): number | null | undefined {
  const before = recent.map((sheet) => [sheet.preferredEquity]);
  if (missingParts([at.preferredEquity], before).includes(true)) return undefined;
  const covers = (amount: number | null) => (amount ?? 0) >= dividends;
  if (covers(at.preferredEquity)) return at.preferredEquity;
  if (covers(at.preferredLiquidation)) return at.preferredLiquidation;
  // Redeemable preferred equity is not in the equity.
  return (at.redeemableEquity ?? 0) === 0 ? undefined : at.preferredEquity;
}

const FLOWS = (Object.keys(NO_ITEMS) as StatementItem[]).filter((item) => !BALANCES.has(item));

/** True if any flow is known. */
export function hasFlow(items: StatementItems): boolean {
  return FLOWS.some((item) => items[item] !== null);
}
