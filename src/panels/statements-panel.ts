import { type PeriodFigures, periodFigures } from "#analytics/periods.ts";
import type { CompanyFundamentals } from "#analytics/valuation.ts";
import type { Panel } from "#domain/schema.ts";
import type { Statement } from "#domain/statement.ts";
import {
  formatChange,
  formatFiscalPeriod,
  formatLarge,
  formatPerShare,
  formatRatio,
  formatShare,
  MISSING,
} from "./format.ts";

/** The types of a statement that a company reports. */
export const REPORTED_TYPES = ["income", "balance", "cashflow"] as const;
/** The types of a statements panel: the reported ones, and the ratios computed from them. */
export const STATEMENT_TYPES = [...REPORTED_TYPES, "ratios"] as const;
/** One of `STATEMENT_TYPES`. */
export type StatementType = (typeof STATEMENT_TYPES)[number];

/** The panel of the latest figures: flows over twelve months, balances of the latest quarter. */
export function statementsPanel(type: StatementType, name: string, f: CompanyFundamentals): Panel {
  return {
    Name: name,
    "Fiscal periodCurrent": formatFiscalPeriod(f.fiscalYear, f.fiscalQuarter),
    "Fiscal period endCurrent": f.periodEnd ?? MISSING,
    ...LATEST[type](f),
    ...(type !== "ratios" && f.statementCurrency !== null && { Rounding: ROUNDING }),
  };
}

/** Two decimals of T are coarser than two decimals of B: total assets 1.32 T, liabilities 666.07 B. */
const ROUNDING = "Amounts are rounded: parts may not add up to totals.";

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

/** The panel of one fiscal period. `industry` is the slug of the company's industry. */
export function periodColumn(
  type: StatementType,
  statement: Statement,
  industry: string | null,
): Panel {
  const { span, fiscalYear, fiscalQuarter, periodEnd, items, currency } = statement;
  return {
    "Fiscal period": formatFiscalPeriod(fiscalYear, span === "year" ? null : fiscalQuarter),
    "Fiscal period end": periodEnd,
    ...COLUMN[type](items, periodFigures(items, industry), currency),
  };
}

const COLUMN: Record<
  StatementType,
  (items: Statement["items"], figures: PeriodFigures, currency: string) => Panel
> = {
  income: (items, _, currency) => ({
    Revenue: formatLarge(items.revenue, currency),
    "Gross profit": formatLarge(items.grossProfit, currency),
    "Op income": formatLarge(items.operatingIncome, currency),
    EBITDA: formatLarge(items.ebitda, currency),
    "Net income": formatLarge(items.netIncome, currency),
    "EPS dil": formatPerShare(items.epsDiluted, currency),
  }),
  balance: (items, figures, currency) => ({
    "Total assets": formatLarge(items.totalAssets, currency),
    "Current assets": formatLarge(items.currentAssets, currency),
    "Cash on hand": formatLarge(items.cash, currency),
    "Total liabilities": formatLarge(items.totalLiabilities, currency),
    "Total debt": formatLarge(items.totalDebt, currency),
    "Total equity": formatLarge(figures.totalEquity, currency),
    "Common equity": formatLarge(items.commonEquity, currency),
  }),
  cashflow: (items, figures, currency) => ({
    "Operating CF": formatLarge(items.operatingCashFlow, currency),
    "Investing CF": formatLarge(items.investingCashFlow, currency),
    "Financing CF": formatLarge(items.financingCashFlow, currency),
    FCF: formatLarge(figures.freeCashFlow, currency),
    CAPEX: formatLarge(items.capitalExpenditure, currency),
  }),
  ratios: (_, figures) => ({
    "Gross margin": formatShare(figures.grossMarginPercent),
    "Operating margin": formatShare(figures.operatingMarginPercent),
    "Net margin": formatShare(figures.netMarginPercent),
    "FCF margin": formatShare(figures.fcfMarginPercent),
    "Debt / equity": formatRatio(figures.debtToEquity),
    "Current ratio": formatRatio(figures.currentRatio),
  }),
};

function money(value: number | null, currency: string | null): string {
  return currency === null ? MISSING : formatLarge(value, currency);
}
