import { type MetricName, METRICS } from "#analytics/metrics.ts";
import { labelsOf } from "./metrics.ts";

// The meaning of the display labels of panels. A panel may omit a label; a missing figure is `—`.
// Figures that are metrics take their label and meaning from the table of metrics.

const NAME = { Name: "Name of the company or the instrument: NVIDIA Corporation." };
const PRICE_DATE = { "Price date": "Date of the newest session, YYYY-MM-DD." };

/** The metrics of an overview behind its price, in the order of the panel. */
export const OVERVIEW_METRICS = [
  "change_percent",
  "volume",
  "market_cap",
  "pe",
  "eps",
  "eps_growth",
  "dividend_yield",
  "rating",
] as const satisfies readonly MetricName[];

/** The limits of the newest session. Instruments of an exchange without limits do not have them. */
export const LIMIT_METRICS = [
  "reference_price",
  "ceiling_price",
  "floor_price",
] as const satisfies readonly MetricName[];

/** The labels of a stock's overview. */
export const OVERVIEW_LABELS = {
  ...NAME,
  ...labelsOf(["price"]),
  ...PRICE_DATE,
  ...labelsOf(OVERVIEW_METRICS),
  ...labelsOf(LIMIT_METRICS),
  "Local name":
    "The company's name in the language of its country: トヨタ自動車. Left out if it is unknown or equal to Name.",
  Delisted: "Only of a delisted instrument: the day on which it left its source's list.",
};

/** The metrics of a valuation panel. */
export const VALUATION_METRICS = [
  "market_cap",
  "enterprise_value",
  "pe",
  "pb",
  "ps",
  "pcf",
  "pfcf",
  "peg",
  "ev_ebitda",
  "ev_revenue",
] as const satisfies readonly MetricName[];

/** The labels of a stock's valuation. */
export const VALUATION_LABELS = labelsOf(VALUATION_METRICS);

/** The metrics of a performance panel. */
export const PERFORMANCE_METRICS = [
  "return_1w",
  "return_1m",
  "return_3m",
  "return_6m",
  "return_ytd",
  "return_1y",
  "return_5y",
  "return_10y",
] as const satisfies readonly MetricName[];

/** The labels of a stock's performance. */
export const PERFORMANCE_LABELS = labelsOf(PERFORMANCE_METRICS);

/** The labels of the sessions from which a stock's performance is measured. */
export const PERFORMANCE_FROM_LABELS = Object.fromEntries(
  Object.keys(PERFORMANCE_LABELS).map((label) => [label, "Date of the session: 2025-11-20."]),
);

/** The labels of a sector's overview. */
export const SECTOR_OVERVIEW_LABELS = {
  Sector: "Name of the sector.",
  ...labelsOf(["market_cap"]),
  Industries: "Number of industries: 12.",
  Stocks: "Number of companies: 345.",
  ...labelsOf(["change_percent"]),
};

/** The labels of a sector's performance. */
export const SECTOR_PERFORMANCE_LABELS = labelsOf([
  "change_percent",
  "return_1w",
  "return_1m",
  "return_ytd",
  "return_1y",
]);

/** The labels of a stock's technical indicators. */
export const TECHNICALS_LABELS = {
  ...NAME,
  ...PRICE_DATE,
  "Tech rating": "Mean of MA rating and Os rating: Strong buy, Buy, Neutral, Sell or Strong sell.",
  "MA rating": "Rating of 15 moving averages: Buy.",
  "Os rating": "Rating of 11 oscillators: Neutral.",
  ...labelsOf(["rsi", "macd"]),
  "MACD (12,26)Signal": "9-day exponential moving average of the MACD line.",
  "Stoch (14,3,3)%K": "Slow stochastic %K, 0 to 100.",
  "Stoch (14,3,3)%D": "3-day average of %K, 0 to 100.",
  "CCI (20)": "Commodity channel index of the typical price.",
  "Mom (10)": "Momentum: the close minus the close ten sessions earlier.",
  AO: "Awesome Oscillator (5, 34), in units of the price.",
};

/** The types of a statement that a company reports. */
export const REPORTED_TYPES = ["income", "balance", "cashflow"] as const;
/** The types of a statements panel: the reported ones, and the ratios computed from them. */
export const STATEMENT_TYPES = [...REPORTED_TYPES, "ratios"] as const;
/** One of `STATEMENT_TYPES`. */
export type StatementType = (typeof STATEMENT_TYPES)[number];

/** The metrics of a statements panel by its type. */
export const STATEMENT_METRICS = {
  income: [
    "revenue",
    "revenue_growth",
    "gross_profit",
    "operating_income",
    "ebitda",
    "net_income",
    "eps",
    "eps_growth",
  ],
  balance: [
    "total_assets",
    "current_assets",
    "cash",
    "total_liabilities",
    "total_debt",
    "net_debt",
    "total_equity",
    "current_ratio",
    "quick_ratio",
    "debt_to_equity",
    "cash_to_debt",
  ],
  cashflow: [
    "operating_cash_flow",
    "investing_cash_flow",
    "financing_cash_flow",
    "free_cash_flow",
    "capital_expenditure",
  ],
  ratios: [
    "gross_margin",
    "operating_margin",
    "net_margin",
    "fcf_margin",
    "roe",
    "roic",
    "roa",
    "fcf_yield",
    "ev_ebit",
    "debt_to_equity",
    "current_ratio",
  ],
} as const satisfies Record<StatementType, readonly MetricName[]>;

/**
 * The labels of the latest statement, of any type. `TTM` marks the trailing twelve months, `FQ` the
 * latest balance sheet.
 */
export const STATEMENT_LABELS = {
  ...NAME,
  "Fiscal periodCurrent": "The latest fiscal period: Q3 2026.",
  "Fiscal period endCurrent": "Last day of the fiscal period, YYYY-MM-DD.",
  Rounding: "Note that amounts are rounded.",
  ...labelsOf(Object.values(STATEMENT_METRICS).flat()),
};

/** The labels of one fiscal period, of any type of statement. */
export const PERIOD_LABELS = {
  "Fiscal period": "The fiscal period: Q3 2026 or FY 2026.",
  "Fiscal period end": "Last day of the fiscal period, YYYY-MM-DD.",
  "Filing date": "Only with known_on: day of the filing with these figures, YYYY-MM-DD.",
  "Accession number": "Only with known_on: number of that filing at the SEC.",
  Revenue: "Revenue.",
  "Gross profit": "Gross profit.",
  "Op income": "Operating income.",
  EBITDA: `${METRICS.ebitda.description}.`,
  "Net income": "Net income.",
  "EPS dil": "Diluted earnings per share: 6.58 USD.",
  "Total assets": "Total assets.",
  "Current assets": "Current assets.",
  "Cash on hand": `${METRICS.cash.description}.`,
  "Total liabilities": "Total liabilities.",
  "Total debt": "Total debt.",
  "Total equity": "Total equity.",
  "Common equity": "Equity of the common shareholders.",
  "Shares outstanding": "Common shares of all classes without treasury shares: 14.94 B.",
  "Operating CF": "Cash flow from operations.",
  "Investing CF": "Cash flow from investing.",
  "Financing CF": "Cash flow from financing.",
  FCF: `${METRICS.free_cash_flow.description}.`,
  CAPEX: "Capital expenditure.",
  "Gross margin": "Gross profit / revenue.",
  "Operating margin": "Operating income / revenue.",
  "Net margin": "Net income / revenue.",
  "FCF margin": "Free cash flow / revenue.",
  ROIC: `${METRICS.roic.description}, of the twelve months to the period's end.`,
  "FCF yield":
    "Free cash flow of the twelve months to the period's end / market cap at that day's price and shares.",
  "EV/EBIT":
    "Enterprise value at the period's end / operating income of the twelve months to it: 30.20.",
  "Debt / equity": `${METRICS.debt_to_equity.description}: 0.13.`,
  "Current ratio": `${METRICS.current_ratio.description}: 4.23.`,
  ROE: "Net income of the twelve months to the period's end / mean equity.",
  "P/E": "Price at the period's end / diluted EPS of the twelve months to it.",
};
