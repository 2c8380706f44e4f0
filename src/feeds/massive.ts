import { COUNTRIES } from "#domain/country.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { exchangeCode } from "#domain/exchanges.ts";
import { type AssetType, isShare } from "#domain/instrument.ts";
import { addDays, dateOf, isDate } from "#lib/date.ts";
import { instantIn } from "#lib/zone.ts";
import { sessionOf } from "#operations/session-of.ts";
import { type FeedBody, type FeedLayer, type FeedRequest, jsonBody } from "./layer.ts";
import { findOpen, isOnExchange } from "./market-hours.ts";
import { writeSymbol } from "./notation.ts";
import {
  type FeedInstrument,
  findAdjusted,
  findFigures,
  findType,
  getParameter,
  getShare,
  getEvents,
  listBars,
  listFound,
  orEmpty,
  type Prices,
  pricesByDate,
  readDate,
  readLimit,
  startOf,
  textOf,
} from "./request.ts";

const INTERVALS: ReadonlyMap<string, string> = new Map([
  ["day", "1d"],
  ["week", "1wk"],
  ["month", "1mo"],
]);
const MAX_BARS = 50_000;
const MAX_ROWS = 1_000;
/** Massive's markets and types of our asset types. */
const KINDS: Readonly<Record<AssetType, { readonly market: string; readonly type?: string }>> = {
  commodity: { market: "indices" },
  cryptocurrency: { market: "crypto" },
  currency: { market: "fx" },
  etf: { market: "stocks", type: "ETF" },
  index: { market: "indices", type: "INDEX" },
  reit: { market: "stocks", type: "CS" },
  stock: { market: "stocks", type: "CS" },
};
/** Massive numbers its requests. Our answers are shared. */
const REQUEST_ID = "bourse";

/** Massive's (formerly Polygon's) bars and reference data. */
export const massive: FeedLayer = {
  name: "massive",
  title: "programs that read Massive (Polygon)",
  routes: {
    "/v2/aggs/ticker/:ticker/range/:multiplier/:timespan/:from/:to": answerBars,
    "/v2/aggs/ticker/:ticker/prev": answerPrevious,
    "/v1/open-close/:ticker/:date": answerDay,
    "/v1/marketstatus/now": answerStatus,
    "/v1/marketstatus/upcoming": answerHolidays,
    "/v3/reference/tickers": answerTickers,
    "/v3/reference/tickers/types": answerTypes,
    "/v3/reference/tickers/:ticker": answerTicker,
    "/v3/reference/dividends": answerDividends,
    "/v3/reference/splits": answerSplits,
    "/stocks/v1/dividends": answerDividends,
    "/stocks/v1/splits": answerSplits,
  },
  names: { query: ["search"], symbols: ["ticker"], symbol: ["ticker"] },
  fail: ({ message }, status) =>
    jsonBody(
      status === 404
        ? { status: "NOT_FOUND", request_id: REQUEST_ID, message }
        : { status: "ERROR", request_id: REQUEST_ID, error: message },
    ),
};

const ok = (body: object) => jsonBody({ ...body, status: "OK", request_id: REQUEST_ID });

/** The instrument of a ticker, or null: lists of an unknown ticker are empty, as Massive's are. */
async function findTicker(call: FeedRequest["call"], ticker: string) {
  try {
    const instrument = await getShare(call, ticker);
    const type = await findType(call, instrument);
    return { instrument, type, written: writeSymbol("massive", { ...instrument, type }) };
  } catch (error) {
    if (error instanceof BourseError && error.code === "not_found") return null;
    throw error;
  }
}

/** Bars, adjusted for splits or with `adjusted=false` as traded. A bar is at the local midnight that begins it. */
async function answerBars(request: FeedRequest): Promise<FeedBody> {
  const { path, query, call } = request;
  const { timespan = "", multiplier = "" } = path;
  const interval = INTERVALS.get(timespan);
  if (interval === undefined || multiplier !== "1") {
    throw invalidArgument(
      `There are bars of 1 day, 1 week and 1 month, not of ${multiplier} ${timespan}.`,
    );
  }
  const from = readDay(path["from"], "from");
  const to = readDay(path["to"], "to");
  const limit = readLimit(query, "limit", 5_000, MAX_BARS);
  const found = await findTicker(call, path["ticker"] ?? "");
  if (!found) return noBars(path["ticker"] ?? "", query);
  const { instrument, type, written } = found;
  const { bars, adjusted } = await listAdjusted(request, instrument, { from, to, interval });
  const all = bars.map(([date, prices]) => barOf(instrument, type, date, interval, prices));
  const results = (query.get("sort") === "desc" ? all.toReversed() : all).slice(0, limit);
  return ok({
    ticker: written,
    adjusted,
    queryCount: results.length,
    resultsCount: results.length,
    ...(results.length > 0 && { results }),
  });
}

/** The newest session. */
async function answerPrevious(request: FeedRequest): Promise<FeedBody> {
  const { path, query, call } = request;
  const found = await findTicker(call, path["ticker"] ?? "");
  if (!found) return noBars(path["ticker"] ?? "", query);
  const { instrument, type, written } = found;
  const { bars, adjusted } = await listAdjusted(request, instrument, { limit: 1 });
  const results = bars.map(([date, prices]) => ({
    T: written,
    ...barOf(instrument, type, date, "1d", prices),
  }));
  const count = results.length;
  return ok({ ticker: written, adjusted, queryCount: count, resultsCount: count, results });
}

/** One session. */
async function answerDay(request: FeedRequest): Promise<FeedBody> {
  const { path, call } = request;
  const date = readDay(path["date"], "date");
  const found = await findTicker(call, path["ticker"] ?? "");
  const period = { from: date, to: date };
  const { bars } = found ? await listAdjusted(request, found.instrument, period) : { bars: [] };
  const [[, prices] = []] = bars;
  if (!prices) throw notFound("Data not found.");
  const { volume, ...others } = prices;
  return jsonBody({
    status: "OK",
    from: date,
    symbol: found?.written,
    ...others,
    ...(volume !== null && { volume }),
  });
}

/** The exchanges of the US, which Massive names one by one. They have the same hours. */
const EXCHANGES = ["nyse", "nasdaq", "otc"];

/** Whether the US exchanges trade now, in their regular session, and currencies. */
async function answerStatus(request: FeedRequest): Promise<FeedBody> {
  const stateOf = async (type: AssetType) =>
    (await findOpen(request, "US", type)) ? "open" : "closed";
  const market = await stateOf("stock");
  return jsonBody({
    market,
    exchanges: Object.fromEntries(EXCHANGES.map((name) => [name, market])),
    currencies: { fx: await stateOf("currency"), crypto: await stateOf("cryptocurrency") },
    serverTime: new Date(request.now).toISOString(),
  });
}

/** The next days on which the US exchanges are closed or close early, soonest first. */
async function answerHolidays({ call }: FeedRequest): Promise<FeedBody> {
  const { countries } = await call("get_markets", {});
  const us = countries.find(({ code }) => code === "US");
  const days = [
    ...(us?.upcoming_holidays ?? []).map(({ date, name }) => ({ date, name, status: "closed" })),
    ...(us?.upcoming_half_days ?? []).map(({ date, name }) => {
      const { opensAt, closesAt } = sessionOf("US", date);
      const [open, close] = [opensAt, closesAt].map((at) => new Date(at).toISOString());
      return { date, name, status: "early-close", open, close };
    }),
  ].toSorted((a, b) => (a.date < b.date ? -1 : 1));
  const named = EXCHANGES.slice(0, 2).map((name) => name.toUpperCase());
  return jsonBody(days.flatMap((day) => named.map((exchange) => ({ exchange, ...day }))));
}

const isAdjusted = (query: URLSearchParams) => query.get("adjusted") !== "false";

const noBars = (ticker: string, query: URLSearchParams) =>
  ok({ ticker, adjusted: isAdjusted(query), queryCount: 0, resultsCount: 0 });

/** The bars as they are asked for; adjusted for splits where splits are unknown, and `adjusted` says so. */
async function listAdjusted(
  { query, call }: FeedRequest,
  instrument: FeedInstrument,
  args: Readonly<Record<string, unknown>>,
) {
  let adjusted = isAdjusted(query);
  const list = async () => {
    const raw = adjusted ? null : await findAdjusted(call, instrument, { ...args, adjust: "none" });
    adjusted = raw === null;
    return [...pricesByDate(raw ?? (await listBars(call, instrument, args)))];
  };
  return { bars: await orEmpty(list()), adjusted };
}

function barOf(
  { country }: FeedInstrument,
  type: AssetType,
  date: string,
  interval: string,
  { open, high, low, close, volume }: Prices,
) {
  const start = startOf(interval, date);
  // Massive's weeks begin on Sunday.
  const day = interval === "1wk" ? addDays(start, -1) : start;
  return {
    ...(volume !== null && { v: volume }),
    o: open,
    c: close,
    h: high,
    l: low,
    t: isOnExchange(type) ? instantIn(COUNTRIES[country].timeZone, day, "00:00") : Date.parse(day),
  };
}

/** A date, or milliseconds since 1970. */
function readDay(text = "", name: string): string {
  if (isDate(text)) return text;
  if (/^\d{9,14}$/.test(text)) return dateOf(Number(text));
  throw invalidArgument(`${name} must be a date, YYYY-MM-DD, or milliseconds since 1970.`);
}

/** Tickers by name or symbol. All are active. */
async function answerTickers({ query, call }: FeedRequest): Promise<FeedBody> {
  const limit = readLimit(query, "limit", 100, MAX_ROWS);
  const market = query.get("market");
  const type = query.get("type");
  const ticker = query.get("ticker");
  const exact = ticker === null ? null : await findTicker(call, ticker);
  const isNone = query.get("active") === "false" || (ticker !== null && !exact);
  const found = isNone
    ? []
    : await listFound(
        call,
        exact
          ? { country: exact.instrument.country, query: exact.instrument.symbol }
          : { query: query.get("search") || undefined, ...typeArgument(market, type) },
        limit,
      );
  const results = found
    .filter((one) => !exact || one.symbol === exact.instrument.symbol)
    .filter((one) => !market || KINDS[one.type].market === market)
    .filter((one) => !type || KINDS[one.type].type === type)
    .map(({ country, symbol, name, type: ours, currency }) => ({
      ...tickerOf({ country, symbol, name, currency }, ours),
      primary_exchange: isShare(ours) ? (exchangeCode("mic", country) ?? undefined) : undefined,
    }));
  return ok({ results, count: results.length });
}

/** Our type if there is only one for the market or type that is asked for. */
function typeArgument(market: string | null, type: string | null) {
  const ours = Object.entries(KINDS).filter(
    ([, kind]) => (!market || kind.market === market) && (!type || kind.type === type),
  );
  return ours.length === 1 ? { type: ours[0]?.[0] } : {};
}

function tickerOf(
  one: Pick<FeedInstrument, "country" | "symbol" | "name" | "currency">,
  type: AssetType,
) {
  return {
    ticker: writeSymbol("massive", { ...one, type }),
    name: one.name,
    market: KINDS[type].market,
    locale: one.country === "US" && isShare(type) ? "us" : "global",
    ...(KINDS[type].type && { type: KINDS[type].type }),
    active: true,
    currency_name: (one.currency ?? COUNTRIES[one.country].currency).toLowerCase(),
  };
}

/** The types that tickers can have. */
function answerTypes(): Promise<FeedBody> {
  const results = Object.entries({
    CS: "Common Stock",
    ETF: "Exchange Traded Fund",
    INDEX: "Index",
  })
    .map(([code, description]) => ({ code, description }))
    .map((one) => ({ ...one, asset_class: one.code === "INDEX" ? "indices" : "stocks" }));
  return Promise.resolve(ok({ results, count: results.length }));
}

/** A ticker with what is known of the company. */
async function answerTicker({ path, call }: FeedRequest): Promise<FeedBody> {
  const found = await findTicker(call, path["ticker"] ?? "");
  if (!found) throw notFound("Ticker not found.");
  const { instrument, type } = found;
  const { country, symbol } = instrument;
  const figures = await findFigures(call, `${country}:${symbol}`, [
    "market_cap",
    "shares_outstanding",
  ]);
  const { business_model: business } = await call("get_stock_overview", { country, symbol });
  const known = {
    primary_exchange: isShare(type) ? exchangeCode("mic", country) : null,
    market_cap: figures?.get("market_cap"),
    weighted_shares_outstanding: figures?.get("shares_outstanding"),
    total_employees: business.employees,
    description: textOf(business.business_summary),
  };
  return ok({
    results: {
      ...tickerOf(instrument, type),
      ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)),
    },
  });
}

async function answerDividends({ query, call }: FeedRequest): Promise<FeedBody> {
  const found = await findTicker(call, getParameter(query, "ticker"));
  const dividends = found ? await getEvents(call, found.instrument, "dividends") : [];
  const rows = dividends.map(({ date, amount, paid }, i, all) => ({
    // Two dividends of one day have different ids.
    id: `${found?.written}-${date}${all[i - 1]?.date === date ? `-${i}` : ""}`,
    ticker: found?.written,
    ex_dividend_date: date,
    cash_amount: paid,
    split_adjusted_cash_amount: amount,
    currency: found?.instrument.currency ?? undefined,
  }));
  return ok({ results: select(query, rows, "ex_dividend_date") });
}

async function answerSplits({ query, call }: FeedRequest): Promise<FeedBody> {
  const found = await findTicker(call, getParameter(query, "ticker"));
  const splits = found ? await getEvents(call, found.instrument, "splits") : [];
  const rows = splits.map(({ date, to, from }) => ({
    id: `${found?.written}-${date}`,
    ticker: found?.written,
    execution_date: date,
    split_to: to,
    split_from: from,
  }));
  return ok({ results: select(query, rows, "execution_date") });
}

/** The rows within the dates of the request, newest first. */
function select<Row extends object>(
  query: URLSearchParams,
  rows: readonly Row[],
  column: keyof Row & string,
): Row[] {
  const is = (operator: string, holds: (date: string, bound: string) => boolean) => (row: Row) => {
    const bound = readDate(query, `${column}${operator}`);
    return bound === null || holds(String(row[column]), bound);
  };
  const within = rows
    .filter(is("", (date, bound) => date === bound))
    .filter(is(".gte", (date, bound) => date >= bound))
    .filter(is(".gt", (date, bound) => date > bound))
    .filter(is(".lte", (date, bound) => date <= bound))
    .filter(is(".lt", (date, bound) => date < bound));
  const isAscending = query.get("order") === "asc" || query.get("sort")?.endsWith(".asc");
  const ordered = isAscending ? within : within.toReversed();
  return ordered.slice(0, readLimit(query, "limit", 10, MAX_ROWS));
}
