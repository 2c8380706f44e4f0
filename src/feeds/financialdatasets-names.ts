/** Our columns and metrics by the names of Financial Datasets; null for figures that we do not have. */
export type Names = Readonly<Record<string, Source | null>>;

/** Where a figure is: in the column of fiscal periods, and among the metrics of the trailing twelve months. */
export interface Source {
  readonly column?: string;
  readonly metric?: string;
  /** True for a percent number that Financial Datasets gives as a ratio. */
  readonly isPercent?: true;
  /** True for an outflow, which is negative there. */
  readonly isOutflow?: true;
  /** True if it depends on the newest price, or on the dividends up to today. */
  readonly isPriced?: true;
}

const both = (name: string, column = name): Source => ({ metric: name, column });
const none = (names: string): Names =>
  Object.fromEntries(names.split(" ").map((one) => [one, null]));

/** The lines of an income statement. */
export const INCOME: Names = {
  revenue: both("revenue"),
  cost_of_revenue: { column: "cost_of_revenue" },
  gross_profit: both("gross_profit"),
  selling_general_and_administrative_expenses: { column: "selling_general_administrative" },
  research_and_development: { column: "research_and_development" },
  operating_income: both("operating_income"),
  interest_expense: { column: "interest_expense" },
  income_tax_expense: { column: "income_tax" },
  net_income: both("net_income"),
  net_income_common_stock: both("net_income"),
  earnings_per_share_diluted: both("eps", "eps_diluted"),
  weighted_average_shares_diluted: { column: "shares_diluted" },
  ...none(
    "operating_expense ebit net_income_discontinued_operations net_income_non_controlling_interests preferred_dividends_impact consolidated_income earnings_per_share dividends_per_common_share weighted_average_shares",
  ),
};
/** The lines of a balance sheet. */
export const BALANCE: Names = {
  total_assets: both("total_assets"),
  current_assets: both("current_assets"),
  inventory: { column: "inventory" },
  outstanding_shares: both("shares_outstanding"),
  total_liabilities: both("total_liabilities"),
  current_liabilities: { column: "current_liabilities" },
  total_debt: both("total_debt"),
  shareholders_equity: { column: "common_equity" },
  ...none(
    "cash_and_equivalents current_investments trade_and_non_trade_receivables non_current_assets property_plant_and_equipment goodwill_and_intangible_assets investments non_current_investments tax_assets current_debt trade_and_non_trade_payables deferred_revenue deposit_liabilities non_current_liabilities non_current_debt tax_liabilities retained_earnings accumulated_other_comprehensive_income",
  ),
};
/** The lines of a cash flow statement. */
export const CASH_FLOW: Names = {
  net_income: both("net_income"),
  depreciation_and_amortization: { column: "depreciation_and_amortization" },
  share_based_compensation: { column: "stock_compensation" },
  net_cash_flow_from_operations: both("operating_cash_flow"),
  capital_expenditure: { ...both("capital_expenditure"), isOutflow: true },
  net_cash_flow_from_investing: both("investing_cash_flow"),
  dividends_and_other_cash_distributions: { column: "dividends_paid", isOutflow: true },
  net_cash_flow_from_financing: both("financing_cash_flow"),
  free_cash_flow: both("free_cash_flow"),
  ...none(
    "business_acquisitions_and_disposals investment_acquisitions_and_disposals issuance_or_repayment_of_debt_securities issuance_or_purchase_of_equity_shares change_in_cash_and_equivalents effect_of_exchange_rate_changes ending_cash_balance",
  ),
};

const percent = (metric: string, column?: string): Source => ({
  metric,
  ...(column !== undefined && { column }),
  isPercent: true,
});
const priced = (metric: string): Source => ({ metric, isPriced: true });

/** Ratios and figures per share. */
export const METRICS: Names = {
  market_cap: priced("market_cap"),
  enterprise_value: priced("enterprise_value"),
  price_to_earnings_ratio: priced("pe"),
  price_to_book_ratio: priced("pb"),
  price_to_sales_ratio: priced("ps"),
  enterprise_value_to_ebitda_ratio: priced("ev_ebitda"),
  enterprise_value_to_revenue_ratio: priced("ev_revenue"),
  free_cash_flow_yield: { ...percent("fcf_yield", "fcf_yield_percent"), isPriced: true },
  peg_ratio: priced("peg"),
  gross_margin: percent("gross_margin", "gross_margin_percent"),
  operating_margin: percent("operating_margin", "operating_margin_percent"),
  net_margin: percent("net_margin", "net_margin_percent"),
  return_on_equity: percent("roe"),
  return_on_assets: percent("roa"),
  return_on_invested_capital: percent("roic", "roic_percent"),
  current_ratio: both("current_ratio"),
  quick_ratio: { metric: "quick_ratio" },
  debt_to_equity: both("debt_to_equity"),
  revenue_growth: percent("revenue_growth"),
  earnings_per_share_growth: percent("eps_growth"),
  payout_ratio: { ...percent("payout_ratio"), isPriced: true },
  earnings_per_share: both("eps", "eps_diluted"),
  ...none(
    "asset_turnover inventory_turnover receivables_turnover days_sales_outstanding operating_cycle working_capital_turnover cash_ratio operating_cash_flow_ratio debt_to_assets interest_coverage earnings_growth book_value_growth free_cash_flow_growth operating_income_growth ebitda_growth book_value_per_share free_cash_flow_per_share",
  ),
};
/** All figures that a search for line items takes. */
export const LINE_ITEMS: Names = {
  ...METRICS,
  ...CASH_FLOW,
  ...BALANCE,
  ...INCOME,
  ebitda: both("ebitda"),
  earnings_per_share: both("eps", "eps_diluted"),
};
