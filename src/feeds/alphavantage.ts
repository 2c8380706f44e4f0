import { COUNTRIES, type Country, localDateOf } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import { exchangeCode, EXCHANGES } from "#domain/exchanges.ts";
import { type AssetType, isShare } from "#domain/instrument.ts";
import { lastDayOf } from "#domain/macro-periods.ts";
import { formatCsv } from "#lib/csv.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { type Cell, cellText, tableOf } from "#lib/table.ts";
import { sessionOf } from "#operations/session-of.ts";
import { type Figures, getFigures, listPeriods, ratioOf, type StatementType } from "./company.ts";
import { csvBody, type FeedBody, type FeedLayer, type FeedRequest, jsonBody } from "./layer.ts";
import { writeSymbol } from "./notation.ts";
import {
  changeOf,
  type FeedInstrument,
  findType,
  fixedText,
  type FullBar,
  getParameter,
  getShare,
  listFound,
  listFullBars,
  orNone,
  textOf,
} from "./request.ts";

/** The bars of a compact answer. */
const COMPACT = 100;
const MAX_FOUND = 10;
/** Alpha Vantage's word for an unknown figure. */
const NONE = "None";

/** A time series: its interval, the title of its meta data and the key of its rows. */
interface Series {
  readonly interval: string;
  readonly title: string;
  readonly key: string;
  readonly isAdjusted?: true;
}

const TITLE = "Prices (open, high, low, close) and Volumes";
const SERIES: Readonly<Record<string, Series>> = {
  TIME_SERIES_DAILY: { interval: "1d", title: `Daily ${TITLE}`, key: "Time Series (Daily)" },
  TIME_SERIES_DAILY_ADJUSTED: {
    interval: "1d",
    title: "Daily Time Series with Splits and Dividend Events",
    key: "Time Series (Daily)",
    isAdjusted: true,
  },
  TIME_SERIES_WEEKLY: { interval: "1wk", title: `Weekly ${TITLE}`, key: "Weekly Time Series" },
  TIME_SERIES_WEEKLY_ADJUSTED: {
    interval: "1wk",
    title: "Weekly Adjusted Prices and Volumes",
    key: "Weekly Adjusted Time Series",
    isAdjusted: true,
  },
  TIME_SERIES_MONTHLY: { interval: "1mo", title: `Monthly ${TITLE}`, key: "Monthly Time Series" },
  TIME_SERIES_MONTHLY_ADJUSTED: {
    interval: "1mo",
    title: "Monthly Adjusted Prices and Volumes",
    key: "Monthly Adjusted Time Series",
    isAdjusted: true,
  },
  FX_DAILY: { interval: "1d", title: "Forex Daily Prices", key: "Time Series FX (Daily)" },
  FX_WEEKLY: { interval: "1wk", title: "Forex Weekly Prices", key: "Time Series FX (Weekly)" },
  FX_MONTHLY: { interval: "1mo", title: "Forex Monthly Prices", key: "Time Series FX (Monthly)" },
};

const FUNCTIONS: Readonly<Record<string, (request: FeedRequest) => Promise<FeedBody>>> = {
  ...Object.fromEntries(
    Object.entries(SERIES).map(([name, series]) => [
      name,
      (request: FeedRequest) => answerSeries(request, series),
    ]),
  ),
  GLOBAL_QUOTE: answerQuote,
  SYMBOL_SEARCH: answerSearch,
  OVERVIEW: answerOverview,
  INCOME_STATEMENT: (request) => answerStatements(request, ["income", "cashflow"], INCOME),
  BALANCE_SHEET: (request) => answerStatements(request, ["balance"], BALANCE),
  CASH_FLOW: (request) => answerStatements(request, ["cashflow", "income"], CASH_FLOW),
  EARNINGS: answerEarnings,
  CURRENCY_EXCHANGE_RATE: answerRate,
  MARKET_STATUS: answerStatus,
};

/** Alpha Vantage's one path, whose parameter `function` says what is asked. */
export const alphavantage: FeedLayer = {
  name: "alphavantage",
  title: "programs that read Alpha Vantage",
  routes: { "/query": answerQuery },
  names: { query: ["keywords"], symbols: ["symbol"] },
  // Its errors have the status 200, and its clients read the sentence.
  fail: ({ message, code }, status, { path }) =>
    jsonBody(
      code === "rate_limited" ? { Information: message } : { "Error Message": message },
      status < 500 && path === "query" ? 200 : status,
    ),
};

async function answerQuery(request: FeedRequest): Promise<FeedBody> {
  const name = getParameter(request.query, "function").toUpperCase();
  const answer = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (answer) return answer(request);
  throw invalidArgument(
    `There is no function ${name.slice(0, 40)}; there are ${Object.keys(FUNCTIONS).join(", ")}.`,
  );
}

/** A figure as text with four decimals, or more if it has more. */
const text = (figure: number | null) => (figure === null ? NONE : fixedText(figure, 4));

/** The figures of a bar by their columns. */
const FIGURES = {
  open: ({ raw }: FullBar) => text(raw.open),
  high: ({ raw }: FullBar) => text(raw.high),
  low: ({ raw }: FullBar) => text(raw.low),
  close: ({ raw }: FullBar) => text(raw.close),
  adjusted_close: ({ total }: FullBar) => text(total?.close ?? null),
  volume: ({ raw }: FullBar) => written(raw.volume),
  dividend_amount: ({ dividend }: FullBar) => text(dividend),
  split_coefficient: ({ splitFactor }: FullBar) => text(splitFactor),
};
const ADJUSTED = Object.keys(FIGURES) as (keyof typeof FIGURES)[];
const PRICES = ADJUSTED.slice(0, 4);
const WITH_VOLUME = [...PRICES, "volume"] as const;

const isCsv = ({ query }: FeedRequest) => query.get("datatype")?.toLowerCase() === "csv";

/** The symbol of the request; for currencies the pair of two parameters. */
function askedSymbol({ query }: FeedRequest): string {
  const from = query.get("from_symbol") ?? query.get("from_currency");
  if (from === null) return getParameter(query, "symbol");
  const to = getParameter(query, query.has("from_symbol") ? "to_symbol" : "to_currency");
  return `${from}/${to}`;
}

/** Bars as traded, newest first; with `adjusted`, a close with splits and dividends and both events. */
async function answerSeries(request: FeedRequest, series: Series): Promise<FeedBody> {
  const { query, call } = request;
  const { interval, key, isAdjusted } = series;
  const isPair = key.includes("FX");
  if (isPair) getParameter(query, "from_symbol");
  const instrument = await getShare(call, askedSymbol(request));
  const type = await findType(call, instrument);
  const isFull = interval !== "1d" || query.get("outputsize") === "full";
  const period = isFull ? { range: "max" } : { limit: COMPACT };
  const bars = (await listFullBars(call, instrument, { ...period, interval })).toReversed();
  const columns = isPair ? PRICES : isAdjusted ? ADJUSTED : WITH_VOLUME;
  const rows = bars.map((bar) => columns.map((name) => FIGURES[name](bar)));
  if (isCsv(request)) {
    const dated = rows.map((row, i) => [bars[i]?.date ?? null, ...row]);
    return csvBody(formatCsv({ columns: ["timestamp", ...columns], rows: dated }));
  }
  const size = interval === "1d" ? { "Output Size": isFull ? "Full size" : "Compact" } : {};
  const named = isPair
    ? {
        "From Symbol": query.get("from_symbol")?.toUpperCase(),
        "To Symbol": query.get("to_symbol")?.toUpperCase(),
      }
    : { Symbol: writeSymbol("alphavantage", { ...instrument, type }) };
  const updated = { "Last Refreshed": bars[0]?.date ?? NONE };
  const meta = {
    Information: series.title,
    ...named,
    ...(isPair ? { ...size, ...updated } : { ...updated, ...size }),
    "Time Zone": isPair ? "UTC" : zoneOf(instrument.country),
  };
  // CSV has `adjusted_close`, JSON `adjusted close`. Decades of days are written without entries of each day.
  const names = columns.map((name, i) => `${i + 1}. ${name.replaceAll("_", " ")}`);
  const days: Record<string, Record<string, string>> = {};
  for (const [i, { date }] of bars.entries()) {
    const day: Record<string, string> = (days[date] = {});
    for (const [k, name] of names.entries()) day[name] = rows[i]?.[k] ?? NONE;
  }
  // Decades are serialised in a turn of their own.
  if (isFull) await nextTurn();
  return jsonBody({ "Meta Data": numbered(meta), [key]: days });
}

/** `{"1. open": …, "2. high": …}`. */
function numbered(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value], i) => [`${i + 1}. ${name}`, value]),
  );
}

const zoneOf = (country: Country) =>
  country === "US" ? "US/Eastern" : COUNTRIES[country].timeZone;

/** The newest session; empty for an unknown symbol. */
async function answerQuote(request: FeedRequest): Promise<FeedBody> {
  const { call, query } = request;
  const instrument = await orNone(getShare(call, getParameter(query, "symbol")));
  if (!instrument) return jsonBody({ "Global Quote": {} });
  const type = await findType(call, instrument);
  const bars = await listFullBars(call, instrument, { limit: 2 });
  const [newest, before] = [bars.at(-1), bars.at(-2)?.split.close ?? null];
  const close = newest?.split.close ?? null;
  const change = changeOf(close, before);
  const percent = change === null || !before ? null : ((change / before) * 100).toFixed(4);
  const volume = newest?.split.volume ?? null;
  const quote = {
    symbol: writeSymbol("alphavantage", { ...instrument, type }),
    open: text(newest?.split.open ?? null),
    high: text(newest?.split.high ?? null),
    low: text(newest?.split.low ?? null),
    price: text(close),
    volume: written(volume),
    "latest trading day": newest?.date ?? NONE,
    "previous close": text(before),
    change: text(change),
    "change percent": percent === null ? NONE : `${percent}%`,
  };
  if (isCsv(request)) {
    const named = { ...quote, latestDay: quote["latest trading day"] };
    const row = {
      ...named,
      previousClose: quote["previous close"],
      changePercent: quote["change percent"],
    };
    const columns =
      "symbol open high low price volume latestDay previousClose change changePercent";
    return csvBody(formatCsv(tableOf(columns.split(" "), [row])));
  }
  const padded = Object.entries(quote).map(([name, value], i) => [
    `${String(i + 1).padStart(2, "0")}. ${name}`,
    value,
  ]);
  return jsonBody({ "Global Quote": Object.fromEntries(padded) });
}

async function answerSearch(request: FeedRequest): Promise<FeedBody> {
  const { query, call, now } = request;
  const found = await listFound(call, { query: getParameter(query, "keywords") }, MAX_FOUND);
  const rows = found.map(({ country, symbol, name, type, currency }) => {
    const { timeZone, tradingHours } = COUNTRIES[country];
    const [offset] = /[+-]\d+/.exec(
      new Date(now)
        .toLocaleString("en-US", { timeZone, timeZoneName: "longOffset" })
        .split("GMT")[1] ?? "",
    ) ?? ["+00"];
    return {
      symbol: writeSymbol("alphavantage", { country, symbol, type }),
      name,
      type: TYPES[type],
      region: COUNTRIES[country].name,
      marketOpen: tradingHours[0].opens,
      marketClose: tradingHours.at(-1)?.closes ?? null,
      timezone: `UTC${offset}`,
      currency,
    };
  });
  if (isCsv(request)) return csvBody(formatCsv(tableOf(Object.keys(rows[0] ?? {}), rows)));
  return jsonBody({ bestMatches: rows.map(numbered) });
}

/** The hours of today's session in each country, which an early close shortens, and whether it is open. */
async function answerStatus({ call, now }: FeedRequest): Promise<FeedBody> {
  const { countries } = await call("get_markets", {});
  const markets = countries.map(({ code, name, exchange: { status } }) => {
    const { parts } = sessionOf(code, localDateOf(code, now));
    return {
      market_type: "Equity",
      region: name,
      primary_exchanges: EXCHANGES.filter(({ country }) => country === code)
        .map((one) => one.name)
        .join(", "),
      local_open: parts[0]?.opens ?? null,
      local_close: parts.at(-1)?.closes ?? null,
      current_status: status === "open" ? "open" : "closed",
      notes: status === "break" ? "pause at noon" : "",
    };
  });
  return jsonBody({ endpoint: "Global Market Open & Close Status", markets });
}

/** Alpha Vantage's names of our asset types. */
const TYPES: Readonly<Record<AssetType, string>> = {
  commodity: "Commodity",
  cryptocurrency: "Digital Currency",
  currency: "Physical Currency",
  etf: "ETF",
  index: "Index",
  reit: "Equity",
  stock: "Equity",
};

/** The fields of an overview that are metrics: `%` after a name means that Alpha Vantage gives it as a ratio. */
const OVERVIEW: Readonly<Record<string, string | null>> = {
  MarketCapitalization: "market_cap",
  EBITDA: "ebitda",
  PERatio: "pe",
  PEGRatio: "peg",
  BookValue: null,
  DividendPerShare: "dividend_per_share",
  DividendYield: "dividend_yield%",
  EPS: "eps",
  RevenuePerShareTTM: null,
  ProfitMargin: "net_margin%",
  OperatingMarginTTM: "operating_margin%",
  ReturnOnAssetsTTM: "roa%",
  ReturnOnEquityTTM: "roe%",
  RevenueTTM: "revenue",
  GrossProfitTTM: "gross_profit",
  DilutedEPSTTM: "eps",
  QuarterlyEarningsGrowthYOY: null,
  QuarterlyRevenueGrowthYOY: null,
  AnalystTargetPrice: "target_price",
  TrailingPE: "pe",
  ForwardPE: "forward_pe",
  PriceToSalesRatioTTM: "ps",
  PriceToBookRatio: "pb",
  EVToRevenue: "ev_revenue",
  EVToEBITDA: "ev_ebitda",
  Beta: "beta",
  "52WeekHigh": "high_52w",
  "52WeekLow": "low_52w",
  "50DayMovingAverage": null,
  "200DayMovingAverage": null,
  SharesOutstanding: "shares_outstanding",
  DividendDate: null,
  ExDividendDate: "next_ex_date",
};

/** A company at a glance; empty for an unknown symbol. */
async function answerOverview({ query, call }: FeedRequest): Promise<FeedBody> {
  const instrument = await orNone(getShare(call, getParameter(query, "symbol")));
  if (!instrument) return jsonBody({});
  const type = await findType(call, instrument);
  const names = Object.values(OVERVIEW).flatMap((name) => name?.replace("%", "") ?? []);
  const figures = await getFigures(call, instrument, [...new Set(names)]);
  const { business_model: business } = await call("get_stock_overview", {
    country: instrument.country,
    symbol: instrument.symbol,
  });
  const [latest] = await listPeriods(call, instrument, ["income"], { period: "quarterly" });
  const valueOf = (name: string | null): string => {
    if (name === null) return NONE;
    const figure = figures.get(name.replace("%", "")) ?? null;
    return written(name.endsWith("%") ? ratioOf(figure) : figure);
  };
  return jsonBody({
    Symbol: writeSymbol("alphavantage", { ...instrument, type }),
    AssetType: isShare(type) && type !== "etf" ? "Common Stock" : TYPES[type],
    Name: instrument.name,
    Description: textOf(business.business_summary) ?? NONE,
    Exchange: exchangeCode("twelvedata", instrument.country) ?? NONE,
    Currency: instrument.currency ?? NONE,
    Country: COUNTRIES[instrument.country].name,
    Sector: textOf(business.sector) ?? NONE,
    Industry: textOf(business.industry) ?? NONE,
    LatestQuarter: written(latest?.get("period_end")),
    ...Object.fromEntries(Object.entries(OVERVIEW).map(([name, ours]) => [name, valueOf(ours)])),
  });
}

const written = (value: Cell | undefined) => cellText(value ?? null) || NONE;

/** Alpha Vantage's lines and our columns; null for lines that statements do not have here. */
type Lines = Readonly<Record<string, string | null>>;

/** Lines without a figure of ours. */
const none = (names: string): Lines =>
  Object.fromEntries(names.split(" ").map((name) => [name, null]));

const INCOME: Lines = {
  grossProfit: "gross_profit",
  totalRevenue: "revenue",
  costOfRevenue: "cost_of_revenue",
  operatingIncome: "operating_income",
  sellingGeneralAndAdministrative: "selling_general_administrative",
  researchAndDevelopment: "research_and_development",
  interestExpense: "interest_expense",
  depreciationAndAmortization: "depreciation_and_amortization",
  incomeBeforeTax: "pretax_income",
  incomeTaxExpense: "income_tax",
  ebitda: "ebitda",
  netIncome: "net_income",
  ...none(
    "costofGoodsAndServicesSold operatingExpenses investmentIncomeNet netInterestIncome interestIncome nonInterestIncome otherNonOperatingIncome depreciation interestAndDebtExpense netIncomeFromContinuingOperations comprehensiveIncomeNetOfTax ebit",
  ),
};
const BALANCE: Lines = {
  totalAssets: "total_assets",
  totalCurrentAssets: "current_assets",
  cashAndShortTermInvestments: "cash",
  inventory: "inventory",
  currentNetReceivables: "receivables",
  goodwill: "goodwill",
  totalLiabilities: "total_liabilities",
  totalCurrentLiabilities: "current_liabilities",
  currentAccountsPayable: "payables",
  shortLongTermDebtTotal: "total_debt",
  capitalLeaseObligations: "lease_liabilities",
  totalShareholderEquity: "common_equity",
  commonStockSharesOutstanding: "shares_outstanding",
  ...none(
    "cashAndCashEquivalentsAtCarryingValue totalNonCurrentAssets propertyPlantEquipment intangibleAssets intangibleAssetsExcludingGoodwill investments longTermInvestments shortTermInvestments otherCurrentAssets otherNonCurrentAssets deferredRevenue currentDebt shortTermDebt totalNonCurrentLiabilities longTermDebt currentLongTermDebt longTermDebtNoncurrent otherCurrentLiabilities otherNonCurrentLiabilities treasuryStock retainedEarnings commonStock",
  ),
};
const CASH_FLOW: Lines = {
  operatingCashflow: "operating_cash_flow",
  capitalExpenditures: "capital_expenditure",
  depreciationDepletionAndAmortization: "depreciation_and_amortization",
  cashflowFromInvestment: "investing_cash_flow",
  cashflowFromFinancing: "financing_cash_flow",
  paymentsForRepurchaseOfCommonStock: "share_repurchases",
  dividendPayout: "dividends_paid",
  netIncome: "net_income",
  ...none(
    "paymentsForOperatingActivities proceedsFromOperatingActivities changeInOperatingLiabilities changeInOperatingAssets changeInReceivables changeInInventory profitLoss proceedsFromRepaymentsOfShortTermDebt paymentsForRepurchaseOfEquity paymentsForRepurchaseOfPreferredStock dividendPayoutCommonStock dividendPayoutPreferredStock proceedsFromIssuanceOfCommonStock proceedsFromIssuanceOfLongTermDebtAndCapitalSecuritiesNet proceedsFromIssuanceOfPreferredStock proceedsFromRepurchaseOfEquity proceedsFromSaleOfTreasuryStock changeInCashAndCashEquivalents changeInExchangeRate",
  ),
};

/** Fiscal years and quarters, newest first; empty for an unknown symbol. */
async function answerStatements(
  { query, call }: FeedRequest,
  types: readonly StatementType[],
  lines: Lines,
): Promise<FeedBody> {
  const instrument = await orNone(getShare(call, getParameter(query, "symbol")));
  if (!instrument) return jsonBody({});
  const [annual, quarterly] = await Promise.all(
    (["annual", "quarterly"] as const).map((period) =>
      listPeriods(call, instrument, types, { period }),
    ),
  );
  const reportOf = (figures: Figures) => ({
    fiscalDateEnding: written(figures.get("period_end")),
    reportedCurrency: written(figures.get("currency")),
    ...Object.fromEntries(
      Object.entries(lines).map(([name, ours]) => [
        name,
        written(ours === null ? null : figures.get(ours)),
      ]),
    ),
  });
  return jsonBody({
    symbol: await writtenSymbol(call, instrument),
    annualReports: (annual ?? []).map(reportOf),
    quarterlyReports: (quarterly ?? []).map(reportOf),
  });
}

const writtenSymbol = async (call: FeedRequest["call"], instrument: FeedInstrument) =>
  writeSymbol("alphavantage", { ...instrument, type: await findType(call, instrument) });

/** Earnings per share of fiscal years, and of quarters beside their estimates. */
async function answerEarnings({ query, call }: FeedRequest): Promise<FeedBody> {
  const instrument = await orNone(getShare(call, getParameter(query, "symbol")));
  if (!instrument) return jsonBody({});
  const { country, symbol } = instrument;
  const years = await listPeriods(call, instrument, ["income"], { period: "annual" });
  const forecast = await orNone(call("get_stock_forecast", { country, symbol, limit: 40 }));
  const surprise = (actual: number | null, estimate: number | null) =>
    actual === null || estimate === null ? null : Math.round((actual - estimate) * 1e6) / 1e6;
  return jsonBody({
    symbol: await writtenSymbol(call, instrument),
    annualEarnings: years.map((year) => ({
      fiscalDateEnding: written(year.get("period_end")),
      reportedEPS: written(year.get("eps_diluted")),
    })),
    quarterlyEarnings: (forecast?.surprises ?? []).map((one) => ({
      fiscalDateEnding: lastDayOf(one.quarter_end),
      reportedDate: written(one.reported_on),
      reportedEPS: written(one.eps_actual),
      estimatedEPS: written(one.eps_estimate),
      surprise: written(surprise(one.eps_actual, one.eps_estimate)),
      surprisePercentage: written(one.surprise_percent),
    })),
  });
}

async function answerRate(request: FeedRequest): Promise<FeedBody> {
  const { query, call } = request;
  const from = getParameter(query, "from_currency").toUpperCase();
  const to = getParameter(query, "to_currency").toUpperCase();
  const instrument = await getShare(call, `${from}/${to}`);
  const names = new Intl.DisplayNames("en", { type: "currency", fallback: "none" });
  const nameOf = (code: string) => (/^[A-Z]{3}$/.test(code) ? (names.of(code) ?? null) : null);
  return jsonBody({
    "Realtime Currency Exchange Rate": numbered({
      "From_Currency Code": from,
      "From_Currency Name": nameOf(from),
      "To_Currency Code": to,
      "To_Currency Name": nameOf(to),
      "Exchange Rate": written(instrument.price),
      "Last Refreshed": instrument.session ?? NONE,
      "Time Zone": "UTC",
    }),
  });
}
