import type { ForeignTrades } from "#domain/quote.ts";
import { type Instrument, isShare } from "#domain/instrument.ts";
import { fiscalQuarterNumber } from "#domain/statement.ts";
import { dayNumberOf } from "#lib/date.ts";
import type { TotalReturns } from "./adjusted-prices.ts";
import type { AnalystFigures } from "./analyst-rating.ts";
import type { DividendRecord } from "./dividend-record.ts";
import type { SurpriseRecord } from "./earnings-surprise.ts";
import type { Performance } from "./performance.ts";
import type { SessionLimits } from "./price-limits.ts";
import { percent, product, ratio } from "./ratios.ts";
import type { CompanyFundamentals } from "./valuation.ts";
import type { OwnHistory, ValuationMetric } from "./valuation-history.ts";
import type { YearFigures } from "./year-figures.ts";

/** The figures of an instrument from which its metrics are read. */
export interface MetricInputs {
  readonly instrument: Pick<
    Instrument,
    "country" | "assetType" | "sector" | "currency" | "employees"
  >;
  readonly newest: { readonly close: number; readonly volume: number | null } | null;
  readonly changePercent: number | null;
  /** Null without limits. Left out by panels without such figures. */
  readonly limits?: SessionLimits | null;
  /** Null if the trades of foreigners in the newest session are unknown. Left out by panels without such figures. */
  readonly foreign?: Pick<ForeignTrades, "boughtValue" | "soldValue" | "room"> | null;
  readonly performance: Performance;
  readonly fundamentals: CompanyFundamentals;
  /** Null without bars in the last year. Left out by panels without such figures. */
  readonly year?: YearFigures | null;
  /** Null if no analyst covers the company. Left out by panels without such figures. */
  readonly analysts?: AnalystFigures | null;
  /** Left out by panels without such figures. */
  readonly history?: MetricHistory;
}

/** Figures of an instrument over several years. */
export interface MetricHistory {
  /** Null if the dividends are unknown. */
  readonly dividends: DividendRecord | null;
  /** The session before the next ex-date, YYYY-MM-DD; null if none is announced. */
  readonly lastCumDate: string | null;
  readonly totalReturns: TotalReturns;
  /** Null if prices of two years are not known. */
  readonly ownHistory: OwnHistory | null;
  /** Null if no past results are known. */
  readonly surprises: SurpriseRecord | null;
}

/**
 * The unit of a metric. Amounts are in whole units of a currency: `price` (per share), `price difference` and
 * `money` in the currency of the price, `reported` and `reported per share` in the currency of the statements.
 * `percent` and `change` are percent numbers; panels write a change with its sign. A `rating` is a mean
 * from 1 (strong buy) to 5 (strong sell). Dates and fiscal quarters are texts in answers, `2026-11-20` and
 * `2026-Q3`; their values are days since 1970-01-01 and consecutive numbers of quarters (4 · year + quarter − 1), so
 * that they can be compared and sorted.
 */
export type MetricUnit =
  | "price"
  | "price difference"
  | "money"
  | "reported"
  | "reported per share"
  | "percent"
  | "change"
  | "multiple"
  | "index"
  | "percentile"
  | "rating"
  | "count"
  | "calendar date"
  | "fiscal quarter";

/** Each unit in words; empty for a plain number. */
export const METRIC_UNITS: Readonly<Record<MetricUnit, string>> = {
  price: "currency of the price",
  "price difference": "currency of the price",
  money: "currency of the price",
  reported: "currency of the statements",
  "reported per share": "currency of the statements",
  percent: "%",
  change: "%",
  multiple: "",
  index: "0 to 100",
  percentile: "0 to 100",
  rating: "1 to 5",
  count: "",
  "calendar date": "YYYY-MM-DD",
  "fiscal quarter": "YYYY-Qn",
};

const ONE_DAY = "—";
const CLOSES = "closes, split-adjusted, without dividends";
const endsNow = (start: string, basis: string) => ({ start, end: "newest session", basis });

/** The start, the end and the basis of the metrics of each period. */
export const PERIODS = {
  session: endsNow(ONE_DAY, "prices of the session"),
  "1d": endsNow("the session before", CLOSES),
  "earlier session": {
    start: "the session before it",
    end: "a session before the newest one of the country's index, as described",
    basis: CLOSES,
  },
  "1w": endsNow("last session 7 days before or earlier", CLOSES),
  "1m": endsNow("last session a month before or earlier", CLOSES),
  "3m": endsNow("last session 3 months before or earlier", CLOSES),
  "6m": endsNow("last session 6 months before or earlier", CLOSES),
  ytd: endsNow("last session of the year before", CLOSES),
  "1y": endsNow("last session a year before or earlier", CLOSES),
  "5y": endsNow("last session 5 years before or earlier", CLOSES),
  "10y": endsNow("last session 10 years before or earlier", CLOSES),
  year: endsNow("a year before", "daily prices, split-adjusted"),
  "year to date": endsNow("1 January of the newest session's year", "daily prices, split-adjusted"),
  "1y total": endsNow("as return_1y", "closes with reinvested dividends"),
  "5y total": endsNow("as return_5y", "closes with reinvested dividends"),
  "month ends": {
    start: "the first of the 60 month ends before this month",
    end: "last month's end; percentiles: today's value",
    basis: "month-end closes and the figures filed by each of these days; 24 known values at least",
  },
  TTM: {
    start: "12 months before the end",
    end: "end of the newest reported quarter or year",
    basis: "statements filed by today; ratios to the price: newest close",
  },
  MRQ: {
    start: ONE_DAY,
    end: "newest balance sheet",
    basis: "statements filed by today; ratios to the price: newest close",
  },
  "dividend year": {
    start: "12 months before today",
    end: "today",
    basis:
      "cash dividends by ex-date, special ones included, capital gains of funds not, in today's shares",
  },
  "calendar years": {
    start: "first recorded dividend, or as described",
    end: "last calendar year that is over",
    basis:
      "cash dividends by ex-date, special ones included, capital gains of funds not, in today's shares",
  },
  announced: {
    start: "tomorrow",
    end: "last announced ex-date",
    basis: "cash dividends by ex-date, special ones included",
  },
  reports: {
    start: "the first of the quarters named",
    end: "newest reported quarter with a known result",
    basis: "earnings per share and mean estimate as analysts count them",
  },
  latest: { start: ONE_DAY, end: "newest record", basis: "as described" },
} as const;
type MetricPeriod = keyof typeof PERIODS;

/** A figure that is screened, compared and shown under one name. */
export interface Metric {
  readonly unit: MetricUnit;
  readonly period: MetricPeriod;
  /** A usual value as answers show it, for documentation. */
  readonly example: number | string;
  /** One sentence without a final stop. */
  readonly description: string;
  /** The unrounded value; null if it is unknown or has no meaning. */
  readonly valueOf: (inputs: MetricInputs) => number | null;
  /** Its display label; left out if no panel shows it. */
  readonly label?: string;
  /** Its name in words, as people write it; left out if it has a label. */
  readonly title?: string;
  /** Which values a shareholder prefers, other things being equal; left out if neither is better. */
  readonly better?: "low" | "high";
}

function metric<const Label extends string = never>(
  unit: MetricUnit,
  period: MetricPeriod,
  example: number | string,
  description: string,
  valueOf: Metric["valueOf"],
  label?: Label,
): Metric & { readonly label?: Label } {
  return { unit, period, example, description, valueOf, ...(label !== undefined && { label }) };
}

/** A lower value of the metric is better. */
const low = <M extends Metric>(of: M): M & { readonly better: "low" } => ({ ...of, better: "low" });
/** A higher value of the metric is better. */
const high = <M extends Metric>(of: M): M & { readonly better: "high" } => ({
  ...of,
  better: "high",
});

/** A metric without a label, and its name in words. */
const titled = <M extends Metric>(title: string, of: M): M & { readonly title: string } => ({
  ...of,
  title,
});

/** The names of the fundamentals that are numbers. */
type Figure = {
  [K in keyof CompanyFundamentals]: CompanyFundamentals[K] extends number | null ? K : never;
}[keyof CompanyFundamentals];

const of =
  (figure: Figure): Metric["valueOf"] =>
  ({ fundamentals }) =>
    fundamentals[figure];

const windowMetric = <const Label extends string>(
  window: keyof Performance,
  words: string,
  label: Label,
) =>
  metric(
    "change",
    window,
    4.15,
    `Newest close / the last close at or before ${words} − 1, without dividends`,
    ({ performance }) => performance[window],
    label,
  );

const changeAgo = (sessions: number, words: string) =>
  titled(
    `Day's change, ${words} earlier`,
    high(
      metric(
        "change",
        "earlier session",
        1.36,
        `Change of the session ${words} before the newest one of the country's index, from the close of the session before it`,
        ({ year }) => year?.earlierChanges[sessions - 1] ?? null,
      ),
    ),
  );

const dateOf = (date: string | null | undefined): number | null =>
  date === null || date === undefined ? null : dayNumberOf(date);

/** `dividend yield` for `Dividend yield`; `P/E` stays. */
const inSentence = (title: string) => title.replace(/^[A-Z](?=[a-z])/, (one) => one.toLowerCase());

/** The median and the percentile of a metric in its own history. */
const ownMedian = (name: ValuationMetric, title: string, example: number) =>
  titled(
    `${title}, 5-year median`,
    metric(
      name === "dividend_yield" ? "percent" : "multiple",
      "month ends",
      example,
      `Median ${inSentence(title)} at the month ends of five years, each with the figures known on that day`,
      ({ history }) => history?.ownHistory?.[name]?.median ?? null,
    ),
  );
const ownPercentile = (name: ValuationMetric, title: string) =>
  titled(
    `${title}, 5-year percentile`,
    metric(
      "percentile",
      "month ends",
      35.5,
      `Percent of the month ends of five years with a lower ${inSentence(title)} than today, equal ones half: 0 lowest, 100 highest`,
      ({ history }) => history?.ownHistory?.[name]?.percentile ?? null,
    ),
  );

const changePercent: Metric["valueOf"] = (inputs) => inputs.changePercent;

/**
 * All metrics by name. Panels, screens and comparisons take a figure and its meaning from here. The
 * docstrings of the inputs define the formulas.
 */
// prettier-ignore
export const METRICS = {
  price: metric("price", "session", 177.39, "Newest close", ({ newest }) => newest?.close ?? null, "Price"),
  change_percent: high(metric("change", "1d", -0.42, "Change from the previous to the newest close", changePercent, "Chg %")),
  volume: metric("count", "session", 143_140_000, "Shares traded in the newest session", ({ newest }) => newest?.volume ?? null, "Volume"),
  traded_value: titled("Traded value", metric("money", "session", 25.39e9, "Newest close × shares traded in its session, near the sum of all trades", ({ newest }) => product(newest?.close ?? null, newest?.volume ?? null))),
  min_investment: titled("Minimum investment", metric("money", "session", 334_000, "Newest close × the exchange's unit: 100 shares in Tokyo and Viet Nam, 1 unit of a trust in Tokyo", minInvestment)),
  reference_price: metric("price", "session", 121_000, "Price from which the newest session's limits are counted: the close before it, but null where the exchange adjusts that", ({ limits }) => limits?.reference ?? null, "Reference price"),
  ceiling_price: metric("price", "session", 129_400, "Highest price of the newest session by the limits of Tokyo, HOSE or HNX; null if it is not certain", ({ limits }) => limits?.ceiling ?? null, "Ceiling price"),
  floor_price: metric("price", "session", 112_600, "Lowest price of the newest session by the limits of Tokyo, HOSE or HNX", ({ limits }) => limits?.floor ?? null, "Floor price"),
  below_ceiling: titled("Below ceiling", metric("percent", "session", 5.18, "Distance of the newest close below ceiling_price: 1 − price / ceiling_price; 0 at the ceiling", ({ limits }) => limits?.belowCeilingPercent ?? null)),
  above_floor: titled("Above floor", metric("percent", "session", 8.97, "Distance of the newest close above floor_price: price / floor_price − 1; 0 at the floor", ({ limits }) => limits?.aboveFloorPercent ?? null)),
  foreign_net_value: titled("Foreign net buying", metric("money", "session", 12.4e9, "Value that foreigners bought less value that they sold in the newest session; Viet Nam only", foreignNet)),
  foreign_room: titled("Foreign room", metric("count", "session", 382_909_157, "Shares that foreigners may still buy after the newest session, by the limit on foreign ownership; Viet Nam only", ({ foreign }) => foreign?.room ?? null)),
  high_52w: titled("52-week high", metric("price", "year", 212.19, "Highest price of the sessions of the last year, split-adjusted", ({ year }) => year?.high ?? null)),
  low_52w: titled("52-week low", metric("price", "year", 86.62, "Lowest price of the sessions of the last year, split-adjusted", ({ year }) => year?.low ?? null)),
  high_ytd: titled("Year-to-date high", metric("price", "year to date", 212.19, "Highest price of the sessions since 1 January, split-adjusted", ({ year }) => year?.highYtd ?? null)),
  low_ytd: titled("Year-to-date low", metric("price", "year to date", 86.62, "Lowest price of the sessions since 1 January, split-adjusted", ({ year }) => year?.lowYtd ?? null)),
  volatility: titled("Volatility", low(metric("percent", "year", 38.5, "Annual volatility: standard deviation of the daily returns of the last year × √252 (cryptocurrencies: √365)", ({ year }) => year?.volatilityPercent ?? null))),
  beta: titled("Beta", metric("multiple", "year", 1.72, "Beta of the daily returns of the last year to the country's index", ({ year }) => year?.beta ?? null)),
  rsi: metric("index", "session", 55.31, "Relative strength index of 14 sessions, Wilder's smoothing, 0 to 100", ({ year }) => year?.rsi ?? null, "RSI (14)"),
  macd: metric("price difference", "session", 1.25, "MACD line: EMA of 12 less EMA of 26 closes", ({ year }) => year?.macdLevel ?? null, "MACD (12,26)Level"),
  below_high_52w: titled("Below 52-week high", low(metric("percent", "year", 16.4, "Distance of the newest close below high_52w: 1 − price / high_52w", belowHigh("high")))),
  above_low_52w: titled("Above 52-week low", metric("percent", "year", 104.8, "Distance of the newest close above low_52w: price / low_52w − 1", aboveLow("low"))),
  below_high_ytd: titled("Below year-to-date high", low(metric("percent", "year to date", 16.4, "Distance of the newest close below high_ytd: 1 − price / high_ytd", belowHigh("highYtd")))),
  above_low_ytd: titled("Above year-to-date low", metric("percent", "year to date", 104.8, "Distance of the newest close above low_ytd: price / low_ytd − 1", aboveLow("lowYtd"))),
  return_1d: titled("Return, 1 day", high(metric("change", "1d", -0.42, "The same as change_percent", changePercent))),
  return_1w: high(windowMetric("1w", "a week earlier", "Perf %1W")),
  return_1m: high(windowMetric("1m", "a month earlier", "Perf %1M")),
  return_3m: high(windowMetric("3m", "three months earlier", "Perf %3M")),
  return_6m: high(windowMetric("6m", "six months earlier", "Perf %6M")),
  return_ytd: high(windowMetric("ytd", "31 December of the year before", "Perf %YTD")),
  return_1y: high(windowMetric("1y", "a year earlier", "Perf %1Y")),
  return_5y: high(windowMetric("5y", "five years earlier", "Perf %5Y")),
  return_10y: high(windowMetric("10y", "ten years earlier", "Perf %10Y")),
  total_return_1y: titled("Total return, 1 year", high(metric("change", "1y total", 24.82, "Return of a year with dividends reinvested on their ex-dates", ({ history }) => history?.totalReturns["1y"] ?? null))),
  total_return_5y: titled("Total return, 5 years", high(metric("change", "5y total", 152.3, "Return of five years with dividends reinvested on their ex-dates, not annual", ({ history }) => history?.totalReturns["5y"] ?? null))),
  change_1_session_ago: changeAgo(1, "1 session"),
  change_2_sessions_ago: changeAgo(2, "2 sessions"),
  change_3_sessions_ago: changeAgo(3, "3 sessions"),
  change_4_sessions_ago: changeAgo(4, "4 sessions"),

  market_cap: metric("money", "session", 4.31e12, "Market capitalisation", of("marketCap"), "Mkt cap"),
  enterprise_value: metric("money", "MRQ", 4.27e12, "Enterprise value: market cap + debt + preferred equity + minority interest − cash", of("enterpriseValue"), "EV"),
  pe: low(metric("multiple", "TTM", 35.12, "Price / diluted earnings per share of the trailing twelve months", of("pe"), "P/E")),
  forward_pe: titled("Forward P/E", low(metric("multiple", "latest", 24.8, "Newest close / analysts' mean estimate of earnings per share of the next fiscal year, the one after the running year", forwardPe))),
  pb: low(metric("multiple", "MRQ", 12.4, "Price / book value per share", of("pb"), "P/B")),
  ps: low(metric("multiple", "TTM", 8.05, "Market cap / revenue of the trailing twelve months", of("ps"), "P/S")),
  pcf: low(metric("multiple", "TTM", 18.3, "Market cap / operating cash flow of the trailing twelve months", of("priceToCashFlow"), "P/CF")),
  pfcf: low(metric("multiple", "TTM", 22.6, "Market cap / free cash flow of the trailing twelve months", of("priceToFreeCashFlow"), "P/FCF")),
  peg: low(metric("multiple", "TTM", 1.35, "P/E / growth of diluted earnings per share against the previous twelve months, in percent", of("peg"), "PEGTTM")),
  ev_ebitda: low(metric("multiple", "TTM", 27.9, "Enterprise value / EBITDA of the trailing twelve months", of("evToEbitda"), "EV/EBITDATTM")),
  ev_revenue: low(metric("multiple", "TTM", 8.4, "Enterprise value / revenue of the trailing twelve months", of("evToRevenue"), "EV/revenueTTM")),
  ev_ebit: low(metric("multiple", "TTM", 30.2, "Enterprise value / operating income of the trailing twelve months", of("evToEbit"), "EV/EBITTTM")),
  fcf_yield: high(metric("percent", "TTM", 2.95, "Free cash flow of the trailing twelve months / market cap", of("fcfYieldPercent"), "FCF yieldTTM")),
  dividend_yield: high(metric("percent", "dividend year", 0.44, "Dividends of the last twelve months / price", of("dividendYieldPercent"), "Div yield %TTM")),
  dividend_per_share: titled("Dividend per share", metric("price", "dividend year", 0.78, "Dividends of the last twelve months per share, by ex-date", ({ history }) => history?.dividends?.perShare ?? null)),
  dividend_growth_1y: titled("Dividend growth, 1 year", high(metric("change", "calendar years", 4.1, "Dividends per share of the last calendar year that is over / dividends of the year before − 1", ({ history }) => history?.dividends?.growth1yPercent ?? null))),
  dividend_growth_5y: titled("Dividend growth a year, 5 years", high(metric("change", "calendar years", 5.2, "Annual growth of dividends per share over five calendar years, up to the last one that is over", ({ history }) => history?.dividends?.growth5yPercent ?? null))),
  dividend_years_raised: titled("Years of dividend increases", high(metric("count", "calendar years", 13, "Calendar years in a row, up to the last one that is over, with higher dividends per share than the year before, as far back as whole years of dividends are known, so the true count can be higher", ({ history }) => history?.dividends?.yearsRaised ?? null))),
  dividend_years_paid: titled("Years of dividends", high(metric("count", "calendar years", 14, "Calendar years in a row, up to the last one that is over, with a dividend, as far back as dividends are known, so the true count can be higher", ({ history }) => history?.dividends?.yearsPaid ?? null))),
  next_ex_date: titled("Next ex-date", metric("calendar date", "announced", "2026-12-04", "Next ex-date of an announced dividend; null if none is announced", ({ history }) => dateOf(history?.dividends?.nextExDate))),
  last_cum_date: titled("Last day with the dividend", metric("calendar date", "announced", "2026-12-03", "Session before next_ex_date: a share bought by its close gets the dividend", ({ history }) => dateOf(history?.lastCumDate))),
  payout_ratio: titled("Payout ratio", metric("percent", "TTM", 15.5, "Dividends of the last twelve months by ex-date / diluted earnings per share of the trailing twelve months", payoutRatio)),

  revenue: metric("reported", "TTM", 187.14e9, "Revenue", of("revenueTtm"), "RevenueTTM"),
  revenue_growth: high(metric("change", "TTM", 12.34, "Change of revenue against the previous twelve months", of("revenueGrowthPercent"), "Revenue growthTTM YoY")),
  gross_profit: metric("reported", "TTM", 133e9, "Gross profit", of("grossProfitTtm"), "Gross profitTTM"),
  operating_income: metric("reported", "TTM", 110.1e9, "Operating income", of("operatingIncomeTtm"), "Op incomeTTM"),
  ebitda: metric("reported", "TTM", 112.9e9, "Earnings before interest, taxes, depreciation and amortisation", of("ebitdaTtm"), "EBITDATTM"),
  net_income: metric("reported", "TTM", 99.2e9, "Net income to common shareholders", of("netIncomeTtm"), "Net incomeTTM"),
  eps: metric("reported per share", "TTM", 6.58, "Diluted earnings per traded share of the trailing twelve months", of("epsTtm"), "EPS dilTTM"),
  eps_growth: high(metric("change", "TTM", 12.34, "Change of diluted earnings per share against the previous twelve months", of("epsGrowthPercent"), "EPS dil growthTTM YoY")),
  total_assets: metric("reported", "MRQ", 161.15e9, "Total assets", of("totalAssets"), "Total assetsFQ"),
  current_assets: metric("reported", "MRQ", 116.5e9, "Current assets", of("currentAssets"), "Current assetsFQ"),
  cash: metric("reported", "MRQ", 60.6e9, "Cash and short-term investments", of("cash"), "Cash on handFQ"),
  shares_outstanding: titled("Shares outstanding", metric("count", "latest", 24.3e9, "Shares outstanding of all classes, or depositary receipts: market cap / price", of("sharesOutstanding"))),
  total_liabilities: metric("reported", "MRQ", 42.2e9, "Total liabilities", of("totalLiabilities"), "Total liabilitiesFQ"),
  total_debt: metric("reported", "MRQ", 10.98e9, "Total debt", of("totalDebt"), "Total debtFQ"),
  net_debt: metric("reported", "MRQ", -49.6e9, "Total debt minus cash", of("netDebt"), "Net debtFQ"),
  total_equity: metric("reported", "MRQ", 118.9e9, "Total equity", of("totalEquity"), "Total equityFQ"),
  equity_ratio: titled("Equity ratio", high(metric("percent", "MRQ", 73.8, "Common equity / total assets", equityRatio))),
  current_ratio: high(metric("multiple", "MRQ", 4.23, "Current assets / current liabilities", of("currentRatio"), "Current ratioFQ")),
  quick_ratio: high(metric("multiple", "MRQ", 3.61, "Current assets without inventories / current liabilities", of("quickRatio"), "Quick ratioFQ")),
  debt_to_equity: low(metric("multiple", "MRQ", 0.13, "Total debt / total equity", of("debtToEquity"), "Debt / equityFQ")),
  cash_to_debt: high(metric("multiple", "MRQ", 5.52, "Cash and short-term investments / total debt", of("cashToDebt"), "Cash / debtFQ")),
  operating_cash_flow: metric("reported", "TTM", 83.2e9, "Cash flow from operations", of("operatingCashFlowTtm"), "Operating CFTTM"),
  investing_cash_flow: metric("reported", "TTM", -23.4e9, "Cash flow from investing", of("investingCashFlowTtm"), "Investing CFTTM"),
  financing_cash_flow: metric("reported", "TTM", -46.6e9, "Cash flow from financing", of("financingCashFlowTtm"), "Financing CFTTM"),
  free_cash_flow: metric("reported", "TTM", 77.3e9, "Free cash flow: operating cash flow minus capital expenditure", of("freeCashFlowTtm"), "FCFTTM"),
  capital_expenditure: metric("reported", "TTM", 5.9e9, "Capital expenditure", of("capitalExpenditureTtm"), "CAPEXTTM"),
  gross_margin: high(metric("percent", "TTM", 71.07, "Gross profit / revenue", of("grossMarginPercent"), "Gross marginTTM")),
  operating_margin: high(metric("percent", "TTM", 58.84, "Operating income / revenue", of("operatingMarginPercent"), "Operating marginTTM")),
  net_margin: high(metric("percent", "TTM", 53.01, "Net income / revenue", of("netMarginPercent"), "Net marginTTM")),
  fcf_margin: high(metric("percent", "TTM", 41.3, "Free cash flow / revenue", of("fcfMarginPercent"), "FCF marginTTM")),
  roe: high(metric("percent", "TTM", 91.9, "Return on equity: net income / mean common equity of the newest balance sheet and the one a year earlier", of("roePercent"), "ROETTM")),
  roa: high(metric("percent", "TTM", 61.6, "Return on assets: net income / mean total assets of the newest balance sheet and the one a year earlier", of("roaPercent"), "ROATTM")),
  roic: high(metric("percent", "TTM", 63.5, "Return on invested capital: operating income after tax / (debt + equity − cash)", of("roicPercent"), "ROICTTM")),

  pe_5y_median: ownMedian("pe", "P/E", 31.4),
  pe_percentile_5y: low(ownPercentile("pe", "P/E")),
  pb_5y_median: ownMedian("pb", "P/B", 10.2),
  pb_percentile_5y: low(ownPercentile("pb", "P/B")),
  ps_5y_median: ownMedian("ps", "P/S", 6.9),
  ps_percentile_5y: low(ownPercentile("ps", "P/S")),
  ev_ebitda_5y_median: ownMedian("ev_ebitda", "EV/EBITDA", 22.7),
  ev_ebitda_percentile_5y: low(ownPercentile("ev_ebitda", "EV/EBITDA")),
  dividend_yield_5y_median: ownMedian("dividend_yield", "Dividend yield", 0.6),
  dividend_yield_percentile_5y: high(ownPercentile("dividend_yield", "Dividend yield")),

  eps_surprise_last: titled("EPS surprise, last quarter", high(metric("change", "reports", 2.42, "Reported less estimated earnings per share of the newest reported quarter, in percent of the estimate's size", ({ history }) => history?.surprises?.lastPercent ?? null))),
  eps_beats_4q: titled("EPS beats, last 4 quarters", high(metric("count", "reports", 3, "How many of the last four reported quarters were above their estimates, 0 to 4; null if one is unknown", ({ history }) => history?.surprises?.beatsOfFour ?? null))),
  filing_date: titled("Filing date", metric("calendar date", "latest", "2026-10-30", "Publication of the newest statement, estimated where the source does not state it", ({ fundamentals }) => dateOf(fundamentals.filedOn))),
  fiscal_period: titled("Fiscal period", metric("fiscal quarter", "latest", "2026-Q3", "Fiscal quarter with which the newest statement ends, by the company's fiscal years; a year ends with Q4", fiscalPeriod)),

  rating: low(metric("rating", "latest", 1.85, "Mean of all analysts' ratings in the newest month, from 1 (strong buy) to 5 (strong sell)", ({ analysts }) => analysts?.rating ?? null, "Analyst rating")),
  analyst_count: titled("Analyst count", metric("count", "latest", 41, "Number of analysts with a rating in the newest month", ({ analysts }) => analysts?.analystCount ?? null)),
  target_price: titled("Target price", metric("price", "latest", 200.5, "Mean of the analysts' current price targets, usually for the next twelve months", ({ analysts }) => analysts?.targetPrice ?? null)),
  target_upside: titled("Target upside", high(metric("change", "latest", 13.03, "Distance of the mean price target from the newest close", targetUpside))),
  employees: titled("Employees", metric("count", "latest", 29_600, "Number of employees, as last reported", ({ instrument }) => instrument.employees)),
};

/** The name of a metric: `market_cap`. */
export type MetricName = keyof typeof METRICS;

/** The names of all metrics, in the order of the table. */
export const METRIC_NAMES = Object.keys(METRICS) as MetricName[];

/** The metrics in groups, for a choice of one among all; each is in one group. */
// prettier-ignore
export const METRIC_GROUPS = {
  "Price and range": ["price", "change_percent", "volume", "traded_value", "min_investment", "reference_price", "ceiling_price", "floor_price", "below_ceiling", "above_floor", "foreign_net_value", "foreign_room", "high_52w", "low_52w", "below_high_52w", "above_low_52w", "high_ytd", "low_ytd", "below_high_ytd", "above_low_ytd"],
  Valuation: ["market_cap", "enterprise_value", "pe", "forward_pe", "peg", "pb", "ps", "pcf", "pfcf", "ev_ebitda", "ev_revenue", "ev_ebit", "fcf_yield"],
  "Compared with its past": ["pe_5y_median", "pe_percentile_5y", "pb_5y_median", "pb_percentile_5y", "ps_5y_median", "ps_percentile_5y", "ev_ebitda_5y_median", "ev_ebitda_percentile_5y", "dividend_yield_5y_median", "dividend_yield_percentile_5y"],
  Dividends: ["dividend_yield", "dividend_per_share", "payout_ratio", "dividend_growth_1y", "dividend_growth_5y", "dividend_years_raised", "dividend_years_paid", "next_ex_date", "last_cum_date"],
  "Sales and earnings": ["revenue", "revenue_growth", "gross_profit", "operating_income", "ebitda", "net_income", "eps", "eps_growth"],
  Profitability: ["gross_margin", "operating_margin", "net_margin", "fcf_margin", "roe", "roa", "roic"],
  "Balance sheet": ["total_assets", "current_assets", "cash", "total_liabilities", "total_debt", "net_debt", "total_equity", "equity_ratio", "current_ratio", "quick_ratio", "debt_to_equity", "cash_to_debt", "shares_outstanding"],
  "Cash flow": ["operating_cash_flow", "investing_cash_flow", "financing_cash_flow", "free_cash_flow", "capital_expenditure"],
  Returns: ["return_1d", "return_1w", "return_1m", "return_3m", "return_6m", "return_ytd", "return_1y", "return_5y", "return_10y", "total_return_1y", "total_return_5y", "change_1_session_ago", "change_2_sessions_ago", "change_3_sessions_ago", "change_4_sessions_ago"],
  "Risk and technicals": ["volatility", "beta", "rsi", "macd"],
  Analysts: ["rating", "analyst_count", "target_price", "target_upside"],
  "Reports and company": ["eps_surprise_last", "eps_beats_4q", "filing_date", "fiscal_period", "employees"],
} as const satisfies Readonly<Record<string, readonly MetricName[]>>;

/** The group of each metric. */
export const GROUP_OF_METRIC: ReadonlyMap<string, string> = new Map(
  Object.entries(METRIC_GROUPS).flatMap(([group, names]) => names.map((name) => [name, group])),
);

/** Null if the estimate is not positive, or in another currency than the price. */
function forwardPe({ newest, analysts, fundamentals }: MetricInputs): number | null {
  const { currency, statementCurrency } = fundamentals;
  if (statementCurrency !== null && statementCurrency !== currency) return null;
  return ratio(newest?.close ?? null, analysts?.nextYearEps ?? null);
}

/** Null if earnings are not positive, as P/E: dividends / price · price / EPS. */
function payoutRatio({ fundamentals }: MetricInputs): number | null {
  return product(fundamentals.dividendYieldPercent, fundamentals.pe);
}

function belowHigh(high: "high" | "highYtd"): Metric["valueOf"] {
  return ({ newest, year }) => {
    const share = percent(newest?.close ?? null, year?.[high] ?? null);
    return share === null ? null : 100 - share;
  };
}

function aboveLow(low: "low" | "lowYtd"): Metric["valueOf"] {
  return ({ newest, year }) => {
    const share = percent(newest?.close ?? null, year?.[low] ?? null);
    return share === null ? null : share - 100;
  };
}

function foreignNet({ foreign }: MetricInputs): number | null {
  const { boughtValue = null, soldValue = null } = foreign ?? {};
  return boughtValue === null || soldValue === null ? null : boughtValue - soldValue;
}

/** Null for funds and for a stock without a sector in Tokyo: their units differ. */
function minInvestment({ instrument, newest }: MetricInputs): number | null {
  const { country, assetType, sector } = instrument;
  if (country === "US" || newest === null || !isShare(assetType)) return null;
  if (country === "VN") return 100 * newest.close;
  if (assetType === "reit") return newest.close;
  return assetType === "stock" && sector !== null ? 100 * newest.close : null;
}

function equityRatio({ fundamentals: { commonEquity, totalAssets } }: MetricInputs) {
  return percent(commonEquity, totalAssets);
}

function fiscalPeriod({ fundamentals: { fiscalYear, fiscalQuarter } }: MetricInputs) {
  return fiscalYear === null || fiscalQuarter === null
    ? null
    : fiscalQuarterNumber(fiscalYear, fiscalQuarter);
}

function targetUpside({ newest, analysts }: MetricInputs): number | null {
  const upside = percent(analysts?.targetPrice ?? null, newest?.close ?? null);
  return upside === null ? null : upside - 100;
}

/** Units of amounts, by the currency that they are in. */
const CURRENCY_OF: Readonly<Partial<Record<MetricUnit, "price" | "statements">>> = {
  price: "price",
  "price difference": "price",
  money: "price",
  reported: "statements",
  "reported per share": "statements",
};

/**
 * True for a metric that is computed from prices of one or more days. In another currency it is computed
 * from prices that have the rates of their days.
 */
export function isOfPrices({ unit, period }: Metric): boolean {
  const { end } = PERIODS[period];
  return (end === "newest session" || period === "earlier session") && unit !== "money";
}

const OF_HISTORY: readonly MetricPeriod[] = [
  "1y total",
  "5y total",
  "month ends",
  "dividend year",
  "calendar years",
  "announced",
  "reports",
];

/** True for a metric that is computed when it is first read (see `MetricHistory`). */
export function isOfHistory({ period }: Metric): boolean {
  return OF_HISTORY.includes(period);
}

/** True for a metric that is computed from a year of bars (see `MetricInputs`). */
export function isOfYear({ unit, period }: Metric): boolean {
  // Of the figures of a session, the two indicators have these units.
  const isIndicator = period === "session" && (unit === "index" || unit === "price difference");
  return isIndicator || period.startsWith("year") || period === "earlier session";
}

/** The ISO code of the currency of an amount; null if it is not an amount or no statement is known. */
export function currencyOf(
  { unit }: Metric,
  { instrument, fundamentals }: Pick<MetricInputs, "instrument" | "fundamentals">,
): string | null {
  const of = CURRENCY_OF[unit];
  if (of === undefined) return null;
  return of === "price" ? instrument.currency : fundamentals.statementCurrency;
}
