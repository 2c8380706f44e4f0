import type { MetricInputs } from "#analytics/metrics.ts";
import type { PeriodFigures } from "#analytics/periods.ts";
import type { PeriodRatios } from "#analytics/period-fundamentals.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Panel } from "#domain/schema.ts";
import type { Statement } from "#domain/statement.ts";
import {
  formatFiscalPeriod,
  formatLarge,
  formatPerShare,
  formatRatio,
  formatShare,
  MISSING,
} from "./format.ts";
import { STATEMENT_METRICS, type StatementType } from "./labels.ts";
import { metricPanel } from "./metrics.ts";

/** The panel of the latest figures: flows over twelve months, balances of the latest quarter. */
export function statementsPanel(
  type: StatementType,
  company: MetricInputs & { readonly instrument: Pick<Instrument, "name"> },
): Panel {
  const { statementCurrency, fiscalYear, fiscalQuarter, periodEnd } = company.fundamentals;
  return {
    Name: company.instrument.name,
    "Fiscal periodCurrent": formatFiscalPeriod(fiscalYear, fiscalQuarter),
    "Fiscal period endCurrent": periodEnd ?? MISSING,
    ...metricPanel(STATEMENT_METRICS[type], company),
    ...(type !== "ratios" && statementCurrency !== null && { Rounding: ROUNDING }),
  };
}

/** Two decimals of T are coarser than two decimals of B: total assets 1.32 T, liabilities 666.07 B. */
const ROUNDING = "Amounts are rounded: parts may not add up to totals.";

/** A fiscal period with its computed figures. */
export interface FiscalPeriod {
  readonly statement: Statement;
  readonly figures: PeriodFigures & Partial<PeriodRatios>;
}

/** The panel of one fiscal period. */
export function periodColumn(type: StatementType, { statement, figures }: FiscalPeriod): Panel {
  const { span, fiscalYear, fiscalQuarter, periodEnd, items, currency } = statement;
  return {
    "Fiscal period": formatFiscalPeriod(fiscalYear, span === "year" ? null : fiscalQuarter),
    "Fiscal period end": periodEnd,
    ...COLUMN[type](items, figures, currency),
  };
}

const COLUMN: Record<
  StatementType,
  (items: Statement["items"], figures: FiscalPeriod["figures"], currency: string) => Panel
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
    "Shares outstanding": formatLarge(items.sharesOutstanding),
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
    ROIC: formatShare(figures.roicPercent ?? null),
    "FCF yield": formatShare(figures.fcfYieldPercent ?? null),
    "EV/EBIT": formatRatio(figures.evToEbit ?? null),
    "Debt / equity": formatRatio(figures.debtToEquity),
    "Current ratio": formatRatio(figures.currentRatio),
    ROE: formatShare(figures.roePercent ?? null),
    "P/E": formatRatio(figures.pe ?? null),
  }),
};
