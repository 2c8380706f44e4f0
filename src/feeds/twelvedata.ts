import { COUNTRIES, type Country } from "#domain/country.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { exchangeCode } from "#domain/exchanges.ts";
import { type AssetType, isShare } from "#domain/instrument.ts";
import { formatCsv } from "#lib/csv.ts";
import { mapInTurns } from "#lib/next-turn.ts";
import { numberText } from "#lib/number-text.ts";
import { tableOf } from "#lib/table.ts";
import {
  type CallOperation,
  csvBody,
  type FeedBody,
  type FeedLayer,
  type FeedRequest,
  type FeedRoute,
  jsonBody,
} from "./layer.ts";
import { findOpen, isOnExchange, timesOf } from "./market-hours.ts";
import { type ListedSymbol, writeSymbol } from "./notation.ts";
import {
  changeOf,
  type FeedInstrument,
  findType,
  fixedText,
  type FullBar,
  getComparison,
  getParameter,
  getShare,
  getSymbols,
  listFullBars,
  readDate,
  readLimit,
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
/** Sessions of an average volume. */
const VOLUME_PERIODS = 9;
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
    "/price": ofEach(toPrice),
    "/quote": ofEach(toQuote),
    "/eod": ofEach(toEndOfDay),
    "/symbol_search": answerSearch,
    "/exchange_rate": ofEach(toRate),
    "/currency_conversion": ofEach(toConversion),
    "/profile": answerProfile,
    "/api_usage": answerUsage,
  },
  names: { symbols: ["symbol"], query: ["symbol"], from: ["start_date"], to: ["end_date"] },
  // Its clients read the status from the body.
  fail: ({ message }, status) => jsonBody(errorOf(message, status)),
};

const errorOf = (message: string, code: number) => ({ code, message, status: "error" });

/** What answers one symbol of a request. */
type ToAnswer = (request: FeedRequest, symbol: string) => Promise<object>;

/**
 * Answers the only symbol of a request, or an object by the symbols as they were written. There, an unknown symbol has
 * an error, and the others their answers.
 */
function ofEach(toAnswer: ToAnswer): FeedRoute {
  return async (request) => {
    const symbols = getSymbols(request.query, "symbol");
    const [only = "", ...others] = symbols;
    if (others.length === 0) return jsonBody(await toAnswer(request, only));
    const answers = await mapInTurns([...new Set(symbols)], async (symbol) => {
      try {
        return [symbol, await toAnswer(request, symbol)] as const;
      } catch (error) {
        if (!(error instanceof BourseError)) throw error;
        if (error.code === "not_found") return [symbol, errorOf(error.message, 404)] as const;
        // Its prices begin later, or it had no session.
        if (error.details.noData) return [symbol, errorOf(error.message, 400)] as const;
        throw error;
      }
    });
    return jsonBody(Object.fromEntries(answers));
  };
}

/** A figure as text; null if it is unknown. */
function text(figure: number | null | undefined): string | null {
  return numberText(figure) || null;
}

/** The instrument of a symbol, whose exchange or country may be beside it. */
function getAsked({ query, call }: FeedRequest, symbol: string): Promise<FeedInstrument> {
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

/** The time zone of a session, which is a day in UTC without an exchange. */
const zoneOf = (country: Country, type: AssetType) =>
  isOnExchange(type) ? COUNTRIES[country].timeZone : "UTC";

function metaOf({ symbol, country, currency }: FeedInstrument, type: AssetType, interval: string) {
  return {
    symbol: writeSymbol("twelvedata", { country, symbol, type }),
    interval,
    currency: currency ?? undefined,
    exchange_timezone: zoneOf(country, type),
    ...placeOf({ country, symbol, type }),
    type: TYPES[type],
  };
}

const SERIES_COLUMNS = ["datetime", "open", "high", "low", "close", "volume"];

/** The bars of each symbol. CSV has the bars of one symbol. */
async function answerSeries(request: FeedRequest): Promise<FeedBody> {
  const { query } = request;
  if (query.get("format")?.toUpperCase() !== "CSV") return ofEach(toSeries)(request);
  const [symbol = "", ...others] = getSymbols(query, "symbol");
  if (others.length > 0) {
    const text = "format must be JSON for several symbols; CSV has the bars of one symbol.";
    throw invalidArgument(text);
  }
  const { values } = await toSeries(request, symbol);
  return csvBody(formatCsv(tableOf(SERIES_COLUMNS, values)));
}

/** Bars, adjusted for splits as Twelve Data's are by default; `adjust=all` adds dividends, `none` nothing. */
async function toSeries(request: FeedRequest, symbol: string) {
  const { query, call } = request;
  const interval = query.get("interval") || "1day";
  const ours = INTERVALS.get(interval);
  if (ours === undefined) {
    throw invalidArgument(
      `interval must be one of ${[...INTERVALS.keys()].join(", ")}; there are no intraday bars.`,
    );
  }
  const instrument = await getAsked(request, symbol);
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
  return { meta: metaOf(instrument, type, interval), values, status: "ok" };
}

function readSize(query: URLSearchParams, fallback: number): number {
  const written = query.get("outputsize");
  if (!written) return fallback;
  const size = Number(written);
  if (Number.isInteger(size) && size >= 1 && size <= MAX_SIZE) return size;
  throw invalidArgument(`outputsize must be 1 to ${MAX_SIZE}.`);
}

async function toPrice(request: FeedRequest, symbol: string) {
  const instrument = await getAsked(request, symbol);
  const { price } = instrument;
  if (price === null) {
    throw notFound(`There is no price of ${instrument.symbol}.`);
  }
  return { price: text(price) };
}

/** The newest session of a symbol. */
async function toQuote(request: FeedRequest, symbol: string) {
  const { query, call } = request;
  const instrument = await getAsked(request, symbol);
  const type = await findType(call, instrument);
  const periods = readLimit(query, "volume_time_period", VOLUME_PERIODS, MAX_SIZE);
  const bars = await listFullBars(call, instrument, { limit: Math.max(2, periods) });
  const [bar, previous] = bars.toReversed();
  const before = previous?.split.close ?? null;
  const close = bar?.split.close ?? null;
  const change = changeOf(close, before);
  const { interval: _, type: __, ...meta } = metaOf(instrument, type, "1day");
  return {
    ...meta,
    name: instrument.name,
    datetime: bar?.date ?? null,
    timestamp: bar ? timesOf(instrument.country, type, bar.date).opensAt / 1000 : null,
    open: text(bar?.split.open),
    high: text(bar?.split.high),
    low: text(bar?.split.low),
    close: text(close),
    volume: text(bar?.split.volume),
    previous_close: text(before),
    change: change === null ? null : fixedText(change, 5),
    percent_change: fixed(change === null || !before ? null : (change / before) * 100),
    average_volume: averageVolume(bars.slice(-periods)),
    is_market_open: await findOpen(request, instrument.country, type),
    fifty_two_week: await findYear(call, instrument, close),
  };
}

const fixed = (figure: number | null) => (figure === null ? null : figure.toFixed(5));

/** The mean volume of the bars, whole; null if one is unknown. */
function averageVolume(bars: readonly FullBar[]): string | null {
  const volumes = bars.flatMap(({ split }) => split.volume ?? []);
  if (volumes.length === 0 || volumes.length < bars.length) return null;
  return String(Math.round(volumes.reduce((sum, one) => sum + one, 0) / volumes.length));
}

/** The range of the prices of a year, and where the close is in it; null without prices. */
async function findYear(call: CallOperation, { country, symbol }: FeedInstrument, close: unknown) {
  const figures = await getComparison(call, `${country}:${symbol}`, ["low_52w", "high_52w"]);
  const [low, high] = [figures.get("low_52w"), figures.get("high_52w")];
  if (typeof low !== "number" || typeof high !== "number" || typeof close !== "number") return null;
  return {
    low: text(low),
    high: text(high),
    low_change: fixed(changeOf(close, low)),
    high_change: fixed(changeOf(close, high)),
    low_change_percent: fixed((close / low - 1) * 100),
    high_change_percent: fixed((close / high - 1) * 100),
    range: `${text(low)} - ${text(high)}`,
  };
}

/** The newest close, or the one of `date`. */
async function toEndOfDay(request: FeedRequest, symbol: string) {
  const { query, call } = request;
  const instrument = await getAsked(request, symbol);
  const type = await findType(call, instrument);
  const date = readDate(query, "date");
  const period = date === null ? { limit: 1 } : { from: date, to: date };
  const bar = (await listFullBars(call, instrument, period)).at(-1);
  if (!bar) throw notFound(`There is no close of ${symbol}.`);
  const { interval: _, type: __, ...meta } = metaOf(instrument, type, "1day");
  return { ...meta, datetime: bar.date, close: text(bar.split.close) };
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
    exchange_timezone: zoneOf(country, type),
    instrument_type: TYPES[type],
    country: COUNTRIES[country].name,
    currency,
  }));
  return jsonBody({ data, status: "ok" });
}

/** The newest rate of `USD/JPY`, or the one of `date`. */
async function toRate(request: FeedRequest, symbol: string) {
  const { query, call } = request;
  const instrument = await getAsked(request, symbol);
  const to = readDate(query, "date");
  const bars = await listFullBars(call, instrument, to ? { from: "1900-01-01", to } : { limit: 1 });
  const bar = bars.at(-1);
  if (!bar) throw notFound(`There is no rate of ${symbol}.`);
  return { symbol, rate: bar.split.close, timestamp: Date.parse(bar.date) / 1000 };
}

/** An amount of the first currency in the second one. */
async function toConversion(request: FeedRequest, symbol: string) {
  const amount = Number(request.query.get("amount") || 1);
  if (!Number.isFinite(amount) || amount < 0) {
    throw invalidArgument("amount must be a number of at least 0.");
  }
  const { rate, timestamp } = await toRate(request, symbol);
  return {
    symbol,
    rate,
    amount: rate === null ? null : Number((rate * amount).toPrecision(12)),
    timestamp,
  };
}

/** What is known of a company. The rest of Twelve Data's profile is null. */
async function answerProfile(request: FeedRequest): Promise<FeedBody> {
  const { query, call } = request;
  const instrument = await getAsked(request, getParameter(query, "symbol"));
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
