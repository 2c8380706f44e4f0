import { COUNTRIES } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { exchangeCode } from "#domain/exchanges.ts";
import { type AssetType, isShare } from "#domain/instrument.ts";
import { formatCsv } from "#lib/csv.ts";
import { numberText } from "#lib/number-text.ts";
import { tableOf } from "#lib/table.ts";
import { csvBody, type FeedBody, type FeedLayer, type FeedRequest, jsonBody } from "./layer.ts";
import { type ListedSymbol, writeSymbol } from "./notation.ts";
import {
  changeOf,
  type FeedInstrument,
  findType,
  fixedText,
  getParameter,
  getShare,
  listFullBars,
  startOf,
} from "./request.ts";

const INTERVALS: ReadonlyMap<string, string> = new Map([
  ["1day", "1d"],
  ["1week", "1wk"],
  ["1month", "1mo"],
]);
const DEFAULT_SIZE = 30;
const MAX_SIZE = 5_000;
const MAX_FOUND = 100;
/** Twelve Data's names of our asset types. */
const TYPES: Readonly<Record<AssetType, string>> = {
  commodity: "Commodity",
  cryptocurrency: "Digital Currency",
  currency: "Physical Currency",
  etf: "ETF",
  index: "Index",
  reit: "REIT",
  stock: "Common Stock",
};

/** Twelve Data's daily prices: figures as text, newest first. */
export const twelvedata: FeedLayer = {
  name: "twelvedata",
  title: "programs that read Twelve Data's daily prices",
  routes: {
    "/time_series": answerSeries,
    "/price": answerPrice,
    "/quote": answerQuote,
    "/symbol_search": answerSearch,
    "/exchange_rate": answerRate,
    "/profile": answerProfile,
    "/api_usage": answerUsage,
  },
  names: { symbols: ["symbol"], query: ["symbol"], from: ["start_date"], to: ["end_date"] },
  // Its clients read the status from the body.
  fail: ({ message }, status) => jsonBody({ code: status, message, status: "error" }),
};

/** A figure as text; null if it is unknown. */
function text(figure: number | null | undefined): string | null {
  return numberText(figure) || null;
}

/** The instrument of `symbol`, whose exchange or country may be beside it. */
function getAsked({ query, call }: FeedRequest): Promise<FeedInstrument> {
  const symbol = getParameter(query, "symbol");
  const place = query.get("mic_code") || query.get("exchange");
  return getShare(call, place && !/[:/]/.test(symbol) ? `${place}:${symbol}` : symbol);
}

/** The exchange of a share; the country where it has several, because the operations name the country only. */
function placeOf({ country, type }: ListedSymbol) {
  if (!isShare(type)) return { exchange: country };
  return {
    exchange: exchangeCode("twelvedata", country) ?? country,
    mic_code: exchangeCode("mic", country) ?? undefined,
  };
}

function metaOf({ symbol, country, currency }: FeedInstrument, type: AssetType, interval: string) {
  const isPair = type === "currency" || type === "cryptocurrency";
  return {
    symbol: writeSymbol("twelvedata", { country, symbol, type }),
    interval,
    currency: currency ?? undefined,
    exchange_timezone: isPair ? "UTC" : COUNTRIES[country].timeZone,
    ...placeOf({ country, symbol, type }),
    type: TYPES[type],
  };
}

/**
 * Bars, adjusted for splits as Twelve Data's are by default; `adjust=all` adds dividends, `none` nothing. A bar has the
 * first day of its week or month.
 */
async function answerSeries(request: FeedRequest): Promise<FeedBody> {
  const { query, call } = request;
  const interval = query.get("interval") || "1day";
  const ours = INTERVALS.get(interval);
  if (ours === undefined) {
    throw new BourseError(
      "invalid_argument",
      `interval must be one of ${[...INTERVALS.keys()].join(", ")}; there are no intraday bars.`,
    );
  }
  const instrument = await getAsked(request);
  const type = await findType(call, instrument);
  const from = query.get("start_date")?.slice(0, 10) || undefined;
  const to = query.get("end_date")?.slice(0, 10) || undefined;
  const isPeriod = from !== undefined || to !== undefined;
  const size = readSize(query, isPeriod ? MAX_SIZE : DEFAULT_SIZE);
  const period = isPeriod ? { from: from ?? "1900-01-01", to } : { limit: size };
  const bars = await listFullBars(call, instrument, { ...period, interval: ours });
  const adjust = query.get("adjust");
  const newest = bars
    .slice(-size)
    .toReversed()
    .map(({ date, raw, split, total }) => {
      const prices = adjust === "none" ? raw : adjust === "all" ? total : split;
      return {
        datetime: startOf(ours, date),
        open: text(prices?.open),
        high: text(prices?.high),
        low: text(prices?.low),
        close: text(prices?.close),
        volume: text(prices?.volume),
      };
    });
  const values = query.get("order")?.toUpperCase() === "ASC" ? newest.toReversed() : newest;
  if (query.get("format")?.toUpperCase() === "CSV") {
    const columns = ["datetime", "open", "high", "low", "close", "volume"];
    return csvBody(formatCsv(tableOf(columns, values)));
  }
  return jsonBody({ meta: metaOf(instrument, type, interval), values, status: "ok" });
}

function readSize(query: URLSearchParams, fallback: number): number {
  const written = query.get("outputsize");
  if (!written) return fallback;
  const size = Number(written);
  if (Number.isInteger(size) && size >= 1 && size <= MAX_SIZE) return size;
  throw new BourseError("invalid_argument", `outputsize must be 1 to ${MAX_SIZE}.`);
}

async function answerPrice(request: FeedRequest): Promise<FeedBody> {
  const { price, symbol } = await getAsked(request);
  if (price === null) throw new BourseError("not_found", `There is no price of ${symbol}.`);
  return jsonBody({ price: text(price) });
}

/** The newest session of a symbol. */
async function answerQuote(request: FeedRequest): Promise<FeedBody> {
  const { call } = request;
  const instrument = await getAsked(request);
  const type = await findType(call, instrument);
  const [previous, newest] = await listFullBars(call, instrument, { limit: 2 });
  const bar = newest ?? previous;
  const before = newest ? (previous?.split.close ?? null) : null;
  const close = bar?.split.close ?? null;
  const change = changeOf(close, before);
  const { interval: _, type: __, ...meta } = metaOf(instrument, type, "1day");
  return jsonBody({
    ...meta,
    name: instrument.name,
    datetime: bar?.date ?? null,
    open: text(bar?.split.open),
    high: text(bar?.split.high),
    low: text(bar?.split.low),
    close: text(close),
    volume: text(bar?.split.volume),
    previous_close: text(before),
    change: change === null ? null : fixedText(change, 5),
    percent_change: change === null || !before ? null : ((change / before) * 100).toFixed(5),
  });
}

async function answerSearch({ query, call }: FeedRequest): Promise<FeedBody> {
  const size = Math.min(readSize(query, DEFAULT_SIZE), MAX_FOUND);
  const { symbols } = await call("list_symbols", {
    query: getParameter(query, "symbol"),
    limit: size,
  });
  const data = symbols.map(({ country, symbol, name, type, currency }) => ({
    symbol: writeSymbol("twelvedata", { country, symbol, type }),
    instrument_name: name,
    ...placeOf({ country, symbol, type }),
    exchange_timezone: COUNTRIES[country].timeZone,
    instrument_type: TYPES[type],
    country: COUNTRIES[country].name,
    currency,
  }));
  return jsonBody({ data, status: "ok" });
}

/** The newest rate of `USD/JPY`, or the one of `date`. */
async function answerRate(request: FeedRequest): Promise<FeedBody> {
  const { query, call } = request;
  const instrument = await getAsked(request);
  const to = query.get("date")?.slice(0, 10) || undefined;
  const bars = await listFullBars(call, instrument, to ? { from: "1900-01-01", to } : { limit: 1 });
  const bar = bars.at(-1);
  if (!bar) throw new BourseError("not_found", `There is no rate of ${query.get("symbol")}.`);
  return jsonBody({
    symbol: query.get("symbol"),
    rate: bar.split.close,
    timestamp: Date.parse(bar.date) / 1000,
  });
}

/** What is known of a company. The rest of Twelve Data's profile is null. */
async function answerProfile(request: FeedRequest): Promise<FeedBody> {
  const { call } = request;
  const instrument = await getAsked(request);
  const { country, symbol, name } = instrument;
  const type = await findType(call, instrument);
  const { business_model: company } = await call("get_stock_overview", { country, symbol });
  const known = (words: string | undefined) => (words === "—" ? null : (words ?? null));
  return jsonBody({
    symbol: writeSymbol("twelvedata", { country, symbol, type }),
    name,
    ...placeOf({ country, symbol, type }),
    sector: known(company.sector),
    industry: known(company.industry),
    employees: company.employees ?? null,
    website: null,
    description: known(company.business_summary),
    type: TYPES[type],
    CEO: null,
    address: null,
    city: null,
    zip: null,
    state: null,
    country: COUNTRIES[country].name,
    phone: null,
  });
}

/** The calls of the link. Twelve Data's smaller window is a minute, ours an hour. */
function answerUsage({ usage: { plan, hour, day }, now }: FeedRequest): Promise<FeedBody> {
  return Promise.resolve(
    jsonBody({
      timestamp: new Date(now).toISOString().slice(0, 19).replace("T", " "),
      current_usage: hour.used,
      plan_limit: hour.limit,
      daily_usage: day.used,
      plan_daily_limit: day.limit,
      plan_category: plan,
    }),
  );
}
