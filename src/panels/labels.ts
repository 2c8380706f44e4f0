// The meaning of the display labels of panels. A panel may omit a label; a missing figure is `—`.

const NAME = { Name: "Name of the company or the instrument: NVIDIA Corporation." };
const MARKET_CAP = { "Mkt cap": "Market capitalisation with its currency: 4.31 T USD." };
const PE = { "P/E": "Price / diluted earnings per share of the trailing twelve months: 35.12." };
const EPS = {
  "EPS dilTTM": "Diluted earnings per share of the trailing twelve months: 6.58 USD.",
  "EPS dil growthTTM YoY":
    "Change of diluted earnings per share against the previous twelve months: +12.34%.",
};
const CHANGE = { "Chg %": "Change from the previous to the newest close: -0.42%." };

/** The labels of a stock's overview. */
export const OVERVIEW_LABELS = {
  ...NAME,
  Price: "Newest close with its currency: 1,177.39 USD.",
  "Price date": "Date of the session of the price, YYYY-MM-DD.",
  ...CHANGE,
  Volume: "Shares traded in that session: 143.14 M.",
  ...MARKET_CAP,
  ...PE,
  ...EPS,
  "Div yield %TTM": "Dividends of the last twelve months / price: 0.44%.",
  "Analyst rating": "Mean rating of the analysts: Strong buy, Buy, Neutral, Sell or Strong sell.",
  Delisted: "Only of a delisted instrument: the day on which it left its source's list.",
};

/** The labels of a stock's valuation. */
export const VALUATION_LABELS = {
  ...MARKET_CAP,
  EV: "Enterprise value with its currency: market cap + debt + preferred equity + minority interest − cash.",
  ...PE,
  "P/B": "Price / book value per share: 12.40.",
  "P/S": "Market cap / revenue of the trailing twelve months.",
  "P/CF": "Market cap / operating cash flow of the trailing twelve months.",
  "P/FCF": "Market cap / free cash flow of the trailing twelve months.",
  PEGTTM: "P/E / growth of diluted earnings per share in percent.",
  "EV/EBITDATTM": "Enterprise value / EBITDA of the trailing twelve months.",
  "EV/revenueTTM": "Enterprise value / revenue of the trailing twelve months.",
};

const windowLabel = (window: string) =>
  `Change of the price over ${window}, without dividends: +4.15%.`;

/** The labels of a stock's performance. */
export const PERFORMANCE_LABELS = {
  "Perf %1W": windowLabel("a week"),
  "Perf %1M": windowLabel("a month"),
  "Perf %3M": windowLabel("three months"),
  "Perf %6M": windowLabel("six months"),
  "Perf %YTD": windowLabel("the current calendar year"),
  "Perf %1Y": windowLabel("a year"),
  "Perf %5Y": windowLabel("five years"),
  "Perf %10Y": windowLabel("ten years"),
};

/** The labels of a sector's overview. */
export const SECTOR_OVERVIEW_LABELS = {
  Sector: "Name of the sector.",
  ...MARKET_CAP,
  Industries: "Number of industries: 12.",
  Stocks: "Number of companies: 345.",
  ...CHANGE,
};

const {
  "Perf %1W": week,
  "Perf %1M": month,
  "Perf %YTD": toDate,
  "Perf %1Y": year,
} = PERFORMANCE_LABELS;

/** The labels of a sector's performance. */
export const SECTOR_PERFORMANCE_LABELS = {
  ...CHANGE,
  "Perf %1W": week,
  "Perf %1M": month,
  "Perf %YTD": toDate,
  "Perf %1Y": year,
};

/** The labels of a stock's technical indicators. */
export const TECHNICALS_LABELS = {
  ...NAME,
  "Tech rating": "Mean of MA rating and Os rating: Strong buy, Buy, Neutral, Sell or Strong sell.",
  "MA rating": "Rating of 15 moving averages: Buy.",
  "Os rating": "Rating of 11 oscillators: Neutral.",
  "RSI (14)": "Relative strength index, Wilder's smoothing, 0 to 100.",
  "MACD (12,26)Level": "MACD line, in units of the price.",
  "MACD (12,26)Signal": "9-day exponential moving average of the MACD line.",
  "Stoch (14,3,3)%K": "Slow stochastic %K, 0 to 100.",
  "Stoch (14,3,3)%D": "3-day average of %K, 0 to 100.",
  "CCI (20)": "Commodity channel index of the typical price.",
  "Mom (10)": "Momentum: the close minus the close ten sessions earlier.",
  AO: "Awesome Oscillator (5, 34), in units of the price.",
};

const RATIO_LABELS = {
  "Debt / equity": "Total debt / total equity: 0.13.",
  "Current ratio": "Current assets / current liabilities: 4.23.",
};

/**
 * The labels of the latest statement, of any type. `TTM` marks the trailing twelve months, `FQ` the
 * latest balance sheet.
 */
export const STATEMENT_LABELS = {
  ...NAME,
  "Fiscal periodCurrent": "The latest fiscal period: Q3 2026.",
  "Fiscal period endCurrent": "Last day of the fiscal period, YYYY-MM-DD.",
  Rounding: "Note that amounts are rounded.",
  RevenueTTM: "Revenue with its currency: 187.14 B USD.",
  "Revenue growthTTM YoY": "Change of revenue against the previous twelve months: +12.34%.",
  "Gross profitTTM": "Gross profit.",
  "Op incomeTTM": "Operating income.",
  EBITDATTM: "Earnings before interest, taxes, depreciation and amortisation.",
  "Net incomeTTM": "Net income.",
  ...EPS,
  "Total assetsFQ": "Total assets.",
  "Current assetsFQ": "Current assets.",
  "Cash on handFQ": "Cash and short-term investments.",
  "Total liabilitiesFQ": "Total liabilities.",
  "Total debtFQ": "Total debt.",
  "Net debtFQ": "Total debt minus cash.",
  "Total equityFQ": "Total equity.",
  "Current ratioFQ": RATIO_LABELS["Current ratio"],
  "Quick ratioFQ": "Current assets without inventories / current liabilities: 3.61.",
  "Debt / equityFQ": RATIO_LABELS["Debt / equity"],
  "Cash / debtFQ": "Cash and short-term investments / total debt: 5.52.",
  "Operating CFTTM": "Cash flow from operations.",
  "Investing CFTTM": "Cash flow from investing.",
  "Financing CFTTM": "Cash flow from financing.",
  FCFTTM: "Free cash flow: operating cash flow minus capital expenditure.",
  CAPEXTTM: "Capital expenditure.",
  "Gross marginTTM": "Gross profit / revenue: 71.07%.",
  "Operating marginTTM": "Operating income / revenue.",
  "Net marginTTM": "Net income / revenue.",
  "FCF marginTTM": "Free cash flow / revenue.",
  ROETTM: "Return on equity: net income / average common equity.",
  ROICTTM: "Return on invested capital: operating income after tax / (debt + equity − cash).",
  ROATTM: "Return on assets: net income / average total assets.",
  "FCF yieldTTM": "Free cash flow / market cap.",
  "EV/EBITTTM": "Enterprise value / operating income.",
};

/** The labels of one fiscal period, of any type of statement. */
export const PERIOD_LABELS = {
  "Fiscal period": "The fiscal period: Q3 2026 or FY 2026.",
  "Fiscal period end": "Last day of the fiscal period, YYYY-MM-DD.",
  Revenue: "Revenue.",
  "Gross profit": "Gross profit.",
  "Op income": "Operating income.",
  EBITDA: STATEMENT_LABELS.EBITDATTM,
  "Net income": "Net income.",
  "EPS dil": "Diluted earnings per share: 6.58 USD.",
  "Total assets": "Total assets.",
  "Current assets": "Current assets.",
  "Cash on hand": STATEMENT_LABELS["Cash on handFQ"],
  "Total liabilities": "Total liabilities.",
  "Total debt": "Total debt.",
  "Total equity": "Total equity.",
  "Common equity": "Equity of the common shareholders.",
  "Operating CF": "Cash flow from operations.",
  "Investing CF": "Cash flow from investing.",
  "Financing CF": "Cash flow from financing.",
  FCF: STATEMENT_LABELS.FCFTTM,
  CAPEX: "Capital expenditure.",
  "Gross margin": "Gross profit / revenue.",
  "Operating margin": "Operating income / revenue.",
  "Net margin": "Net income / revenue.",
  "FCF margin": "Free cash flow / revenue.",
  ...RATIO_LABELS,
};
