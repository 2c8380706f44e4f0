import type { CompanyFundamentals } from "#analytics/valuation.ts";
import type { Panel } from "#domain/schema.ts";
import type { Statement, StatementItem } from "#domain/statement.ts";
import {
  formatChange,
  formatFiscalPeriod,
  formatLarge,
  formatPerShare,
  formatRatio,
  formatShare,
  MISSING,
} from "./format.ts";

/** The statements that a panel can show, and the ratios made from them. */
export const STATEMENT_TYPES = ["income", "balance", "cashflow", "ratios"] as const;
/** One of `STATEMENT_TYPES`. */
export type StatementType = (typeof STATEMENT_TYPES)[number];

/** The latest figures: flows over the trailing twelve months, balances of the latest quarter. */
export function statementsPanel(type: StatementType, name: string, f: CompanyFundamentals): Panel {
  return {
    Name: name,
    "Fiscal periodCurrent": formatFiscalPeriod(f.fiscalYear, f.fiscalQuarter),
    "Fiscal period endCurrent": f.periodEnd ?? MISSING,
    ...LATEST[type](f),
  };
}

const LATEST: Record<StatementType, (f: CompanyFundamentals) => Panel> = {
  income: (f) => ({
    RevenueTTM: money(f.revenueTtm, f.statementCurrency),
    "Revenue growthTTM YoY": formatChange(f.revenueGrowthPercent),
    "Gross profitTTM": money(f.grossProfitTtm, f.statementCurrency),
    "Op incomeTTM": money(f.operatingIncomeTtm, f.statementCurrency),
    EBITDATTM: money(f.ebitdaTtm, f.statementCurrency),
    "Net incomeTTM": money(f.netIncomeTtm, f.statementCurrency),
    "EPS dilTTM": formatPerShare(f.epsTtm, f.statementCurrency),
    "EPS dil growthTTM YoY": formatChange(f.epsGrowthPercent),
  }),
  balance: (f) => ({
    "Total assetsFQ": money(f.totalAssets, f.statementCurrency),
    "Current assetsFQ": money(f.currentAssets, f.statementCurrency),
    "Cash on handFQ": money(f.cash, f.statementCurrency),
    "Total liabilitiesFQ": money(f.totalLiabilities, f.statementCurrency),
    "Total debtFQ": money(f.totalDebt, f.statementCurrency),
    "Net debtFQ": money(f.netDebt, f.statementCurrency),
    "Total equityFQ": money(f.totalEquity, f.statementCurrency),
    "Current ratioFQ": formatRatio(f.currentRatio),
    "Quick ratioFQ": formatRatio(f.quickRatio),
    "Debt / equityFQ": formatRatio(f.debtToEquity),
    "Cash / debtFQ": formatRatio(f.cashToDebt),
  }),
  cashflow: (f) => ({
    "Operating CFTTM": money(f.operatingCashFlowTtm, f.statementCurrency),
    "Investing CFTTM": money(f.investingCashFlowTtm, f.statementCurrency),
    "Financing CFTTM": money(f.financingCashFlowTtm, f.statementCurrency),
    FCFTTM: money(f.freeCashFlowTtm, f.statementCurrency),
    CAPEXTTM: money(f.capitalExpenditureTtm, f.statementCurrency),
  }),
  ratios: (f) => ({
    "Gross marginTTM": formatShare(f.grossMarginPercent),
    "Operating marginTTM": formatShare(f.operatingMarginPercent),
    "Net marginTTM": formatShare(f.netMarginPercent),
    "FCF marginTTM": formatShare(f.fcfMarginPercent),
    ROETTM: formatShare(f.roePercent),
    ROICTTM: formatShare(f.roicPercent),
    ROATTM: formatShare(f.roaPercent),
    "FCF yieldTTM": formatShare(f.fcfYieldPercent),
    "EV/EBITTTM": formatRatio(f.evToEbit),
    "Debt / equityFQ": formatRatio(f.debtToEquity),
    "Current ratioFQ": formatRatio(f.currentRatio),
  }),
};

/** What one fiscal period alone says, as a column beside others. */
export function periodColumn(type: StatementType, statement: Statement): Panel {
  const { span, fiscalYear, fiscalQuarter, periodEnd, items, currency } = statement;
  return {
    "Fiscal period": formatFiscalPeriod(fiscalYear, span === "year" ? null : fiscalQuarter),
    "Fiscal period end": periodEnd,
    ...COLUMN[type](items, (item) => money(items[item], currency), currency),
  };
}

type Items = Statement["items"];

const COLUMN: Record<
  StatementType,
  (items: Items, show: (item: StatementItem) => string, currency: string) => Panel
> = {
  income: (items, show, currency) => ({
    Revenue: show("revenue"),
    "Gross profit": show("grossProfit"),
    "Op income": show("operatingIncome"),
    EBITDA: show("ebitda"),
    "Net income": show("netIncome"),
    "EPS dil": formatPerShare(items.epsDiluted, currency),
  }),
  balance: (items, show, currency) => ({
    "Total assets": show("totalAssets"),
    "Current assets": show("currentAssets"),
    "Cash on hand": show("cash"),
    "Total liabilities": show("totalLiabilities"),
    "Total debt": show("totalDebt"),
    "Total equity": money(totalEquity(items), currency),
    "Common equity": show("commonEquity"),
  }),
  cashflow: (items, show, currency) => ({
    "Operating CF": show("operatingCashFlow"),
    "Investing CF": show("investingCashFlow"),
    "Financing CF": show("financingCashFlow"),
    FCF: money(minus(items.operatingCashFlow, items.capitalExpenditure), currency),
    CAPEX: show("capitalExpenditure"),
  }),
  ratios: (items) => ({
    "Gross margin": formatShare(percentOf(items.grossProfit, items.revenue)),
    "Operating margin": formatShare(percentOf(items.operatingIncome, items.revenue)),
    "Net margin": formatShare(percentOf(items.netIncome, items.revenue)),
    "FCF margin": formatShare(
      percentOf(minus(items.operatingCashFlow, items.capitalExpenditure), items.revenue),
    ),
    "Debt / equity": formatRatio(over(items.totalDebt, totalEquity(items))),
    "Current ratio": formatRatio(over(items.currentAssets, items.currentLiabilities)),
  }),
};

function money(value: number | null, currency: string | null): string {
  return currency === null ? MISSING : formatLarge(value, currency);
}

/** What all holders together have, as `CompanyFundamentals.totalEquity` of the latest balance sheet. */
function totalEquity({ commonEquity, preferredEquity, minorityInterest }: Items): number | null {
  return commonEquity === null
    ? null
    : commonEquity + (preferredEquity ?? 0) + (minorityInterest ?? 0);
}

function minus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a - b;
}

function over(a: number | null, b: number | null): number | null {
  return a === null || b === null || b <= 0 ? null : a / b;
}

function percentOf(part: number | null, whole: number | null): number | null {
  const ratio = over(part, whole);
  return ratio === null ? null : 100 * ratio;
}
