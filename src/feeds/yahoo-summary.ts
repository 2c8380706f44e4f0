import { COUNTRIES } from "#domain/country.ts";
import { notFound } from "#domain/errors.ts";
import { addDays, addMonths } from "#lib/date.ts";
import { numberText } from "#lib/number-text.ts";
import { type Figures, getFigures, ratioOf } from "./company.ts";
import { type FeedBody, type FeedRequest, jsonBody } from "./layer.ts";
import { getParameter, listEvents, orNone, ratioText, textOf } from "./request.ts";
import { getListed, PRICE_HINT, type YahooInstrument } from "./yahoo-instrument.ts";
import {
  figuresOf,
  findNewest,
  known,
  marketStateOf,
  metricsOf,
  type Names,
  type NewestSession,
  sidesOf,
} from "./yahoo-quote.ts";

/** What a module is made of. */
interface Asked {
  readonly request: FeedRequest;
  readonly listed: YahooInstrument;
  readonly newest: NewestSession;
  readonly figures: Figures;
}

const DETAIL: Names = {
  marketCap: "market_cap",
  trailingPE: "pe",
  forwardPE: "forward_pe",
  priceToSalesTrailing12Months: "ps",
  trailingAnnualDividendRate: "dividend_per_share",
  trailingAnnualDividendYield: "dividend_yield%",
  payoutRatio: "payout_ratio%",
  fiftyTwoWeekLow: "low_52w",
  fiftyTwoWeekHigh: "high_52w",
};
const STATISTICS: Names = {
  enterpriseValue: "enterprise_value",
  forwardPE: "forward_pe",
  profitMargins: "net_margin%",
  sharesOutstanding: "shares_outstanding",
  priceToBook: "pb",
  netIncomeToCommon: "net_income",
  trailingEps: "eps",
  enterpriseToRevenue: "ev_revenue",
  enterpriseToEbitda: "ev_ebitda",
  "52WeekChange": "return_1y%",
};
/** Figures that Yahoo defines in another way, such as its levered free cash flow, are left out. */
const FINANCIALS: Names = {
  totalCash: "cash",
  totalDebt: "total_debt",
  totalRevenue: "revenue",
  ebitda: "ebitda",
  grossProfits: "gross_profit",
  operatingCashflow: "operating_cash_flow",
  currentRatio: "current_ratio",
  returnOnEquity: "roe%",
  grossMargins: "gross_margin%",
  operatingMargins: "operating_margin%",
  profitMargins: "net_margin%",
};

/** Yahoo's keys of our labels of a rating. */
const RATINGS: Readonly<Record<string, string>> = {
  "Strong buy": "strong_buy",
  Buy: "buy",
  Neutral: "hold",
  Sell: "underperform",
  "Strong sell": "sell",
};

const MODULES: Readonly<Record<string, (asked: Asked) => object | Promise<object>>> = {
  price: toPrice,
  summaryDetail: toDetail,
  quoteType: toQuoteType,
  assetProfile: toProfile,
  summaryProfile: toProfile,
  defaultKeyStatistics: toStatistics,
  financialData: toFinancials,
  calendarEvents: toEvents,
  earningsHistory: toHistory,
  recommendationTrend: toTrend,
};

/** The modules of a symbol that the service has; others are left out. */
export async function answerSummary(request: FeedRequest): Promise<FeedBody> {
  const { path, query, call } = request;
  const wanted = getParameter(query, "modules").split(",");
  const names = [...new Set(wanted)].filter((name) => Object.hasOwn(MODULES, name));
  if (names.length === 0) {
    const all = Object.keys(MODULES).join(", ");
    throw notFound(`None of these modules is here; there are ${all}.`);
  }
  const listed = await getListed(request, path["symbol"] ?? "");
  const metrics = [...metricsOf(DETAIL, STATISTICS, FINANCIALS), "rating", "debt_to_equity"];
  const figures = await getFigures(call, listed.instrument, metrics);
  const newest = await findNewest(call, listed, figures);
  const asked = { request, listed, newest, figures };
  const modules: [string, object | undefined][] = [];
  for (const name of names) modules.push([name, await MODULES[name]?.(asked)]);
  const result = Object.fromEntries(modules);
  const isRaw = query.get("formatted") === "false";
  const body = isRaw ? result : formatted(result);
  return jsonBody({ quoteSummary: { result: [body], error: null } });
}

/** Each number as Yahoo writes it by default, with a text for people. */
function formatted(value: unknown, name = ""): unknown {
  if (typeof value === "number" && name !== "maxAge") return { raw: value, fmt: numberText(value) };
  if (Array.isArray(value)) return value.map((one) => formatted(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, formatted(one, key)] as const),
  );
}

async function toPrice({ request, listed, newest, figures }: Asked) {
  const { instrument, session } = listed;
  const { prices, previousClose, change, changePercent } = newest;
  return {
    maxAge: 1,
    symbol: listed.symbol,
    underlyingSymbol: null,
    shortName: instrument.name,
    longName: instrument.name,
    lastMarket: null,
    quoteType: listed.quoteType,
    exchange: listed.exchange,
    exchangeName: listed.exchange,
    currency: listed.currency,
    fromCurrency: null,
    marketState: await marketStateOf(request, listed),
    priceHint: PRICE_HINT,
    ...known({
      ...sidesOf(listed),
      regularMarketPrice: instrument.price,
      regularMarketTime: instrument.session && session.pricedAt,
      regularMarketOpen: prices?.open ?? null,
      regularMarketDayHigh: prices?.high ?? null,
      regularMarketDayLow: prices?.low ?? null,
      regularMarketVolume: prices?.volume ?? null,
      regularMarketPreviousClose: previousClose,
      regularMarketChange: change,
      // A ratio here, and a percent number in a quote.
      regularMarketChangePercent: ratioOf(changePercent),
      marketCap: figures.get("market_cap") ?? null,
    }),
  };
}

function toDetail({ listed, newest, figures }: Asked) {
  const { prices, previousClose } = newest;
  return {
    maxAge: 1,
    priceHint: PRICE_HINT,
    currency: listed.currency,
    algorithm: null,
    tradeable: false,
    lastMarket: null,
    ...sidesOf(listed),
    ...known({
      previousClose,
      regularMarketPreviousClose: previousClose,
      open: prices?.open ?? null,
      regularMarketOpen: prices?.open ?? null,
      dayLow: prices?.low ?? null,
      regularMarketDayLow: prices?.low ?? null,
      dayHigh: prices?.high ?? null,
      regularMarketDayHigh: prices?.high ?? null,
      volume: prices?.volume ?? null,
      regularMarketVolume: prices?.volume ?? null,
    }),
    ...figuresOf(DETAIL, figures),
  };
}

function toQuoteType({ listed }: Asked) {
  const { instrument, session } = listed;
  return {
    maxAge: 1,
    exchange: listed.exchange,
    quoteType: listed.quoteType,
    symbol: listed.symbol,
    underlyingSymbol: listed.symbol,
    shortName: instrument.name,
    longName: instrument.name,
    timeZoneFullName: session.timeZone,
    timeZoneShortName: session.zoneName,
    uuid: "",
    messageBoardId: null,
    gmtOffSetMilliseconds: session.gmtoffset * 1000,
  };
}

async function toProfile({ request, listed }: Asked) {
  const { country, symbol } = listed.instrument;
  const { business_model: company } = await request.call("get_stock_overview", { country, symbol });
  const [sector, industry] = [textOf(company.sector), textOf(company.industry)];
  return {
    maxAge: 86_400,
    country: COUNTRIES[country].name,
    // No officers are known.
    companyOfficers: [],
    ...known({
      sector,
      sectorDisp: sector,
      industry,
      industryDisp: industry,
      longBusinessSummary: textOf(company.business_summary),
      fullTimeEmployees: company.employees ?? null,
    }),
  };
}

async function toStatistics({ request, listed, figures }: Asked) {
  const { dividends, splits } = await listEvents(request.call, listed.instrument);
  const [split, dividend] = [splits?.at(-1) ?? null, dividends?.at(-1) ?? null];
  return {
    maxAge: 1,
    priceHint: PRICE_HINT,
    category: null,
    fundFamily: null,
    legalType: null,
    lastSplitFactor: split && ratioText(split.to, split.from),
    ...known({
      lastSplitDate: split && secondsAt(split.date),
      lastDividendValue: dividend?.amount ?? null,
      lastDividendDate: dividend && secondsAt(dividend.date),
    }),
    ...figuresOf(STATISTICS, figures),
  };
}

const secondsAt = (date: string) => Date.parse(date) / 1000;

/** A part of the analysts' forecasts; null for an instrument without them. */
function findForecast({ request, listed }: Asked, sections: string, limit?: number) {
  const { country, symbol } = listed.instrument;
  return orNone(request.call("get_stock_forecast", { country, symbol, sections, limit }));
}

async function toFinancials(asked: Asked) {
  const forecast = await findForecast(asked, "price_target");
  const debt = asked.figures.get("debt_to_equity") ?? null;
  const { low, mean, median, high, analysts } = forecast?.price_target ?? {};
  return {
    maxAge: 86_400,
    recommendationKey: RATINGS[forecast?.rating ?? ""] ?? "none",
    financialCurrency: asked.listed.instrument.currency,
    ...known({
      currentPrice: asked.listed.instrument.price,
      targetLowPrice: low ?? null,
      targetMeanPrice: mean ?? null,
      targetMedianPrice: median ?? null,
      targetHighPrice: high ?? null,
      numberOfAnalystOpinions: analysts ?? null,
      recommendationMean: asked.figures.get("rating") ?? null,
      // Yahoo's is in percent.
      debtToEquity: typeof debt === "number" ? Number((debt * 100).toPrecision(12)) : null,
    }),
    ...figuresOf(FINANCIALS, asked.figures),
  };
}

/** The next report, of US companies only, and the newest ex-date. */
async function toEvents({ request, listed }: Asked) {
  const { country, symbol } = listed.instrument;
  const { dividends } = await listEvents(request.call, listed.instrument);
  const exDate = dividends?.at(-1)?.date ?? null;
  const calendar =
    country === "US"
      ? await orNone(request.call("get_earnings_calendar", { tickers: symbol }))
      : null;
  const report = calendar?.earnings[0];
  return {
    maxAge: 1,
    earnings: {
      earningsDate: report ? [secondsAt(report.date)] : [],
      earningsCallDate: [],
      ...known({
        earningsAverage: report?.eps_estimate ?? null,
        revenueAverage: report?.revenue_estimate ?? null,
      }),
    },
    ...known({ exDividendDate: exDate && secondsAt(exDate) }),
  };
}

/** The newest four reports, oldest first. */
async function toHistory(asked: Asked) {
  const { surprises = [] } = (await findForecast(asked, "surprises", 4)) ?? {};
  const history = surprises.map((one, i) => ({
    maxAge: 1,
    epsActual: one.eps_actual,
    epsEstimate: one.eps_estimate,
    epsDifference:
      one.eps_estimate === null ? null : Number((one.eps_actual - one.eps_estimate).toFixed(6)),
    surprisePercent: ratioOf(one.surprise_percent),
    // Yahoo names the last day of the month in which the quarter ends.
    quarter: secondsAt(addDays(addMonths(`${one.quarter_end}-01`, 1), -1)),
    period: `-${i + 1}q`,
  }));
  return { maxAge: 86_400, history: history.toReversed(), defaultMethodology: "nongaap" };
}

async function toTrend(asked: Asked) {
  const { rating_trend: months = [] } = (await findForecast(asked, "rating_trend")) ?? {};
  const [newest] = months;
  const trend = months.map(({ month, strong_buy, buy, hold, sell, strong_sell }) => ({
    period: `${monthsBetween(newest?.month ?? month, month)}m`,
    strongBuy: strong_buy,
    buy,
    hold,
    sell,
    strongSell: strong_sell,
  }));
  return { maxAge: 86_400, trend };
}

/** The months from one month to another, negative for an earlier one: -1. */
function monthsBetween(from: string, to: string): number {
  const count = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5));
  return count(to) - count(from);
}
