import { COUNTRIES } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { exchangeCode } from "#domain/exchanges.ts";
import type { AssetType } from "#domain/instrument.ts";
import { formatCsv } from "#lib/csv.ts";
import { type Cell, tableOf } from "#lib/table.ts";
import { instantIn } from "#lib/zone.ts";
import {
  csvBody,
  type FeedBody,
  type FeedLayer,
  type FeedRequest,
  jsonBody,
  textBody,
} from "./layer.ts";
import { type ListedSymbol, writeSymbol } from "./notation.ts";
import { findType, getShare, listFullBars, orEmpty } from "./request.ts";

const INTERVALS: ReadonlyMap<string, string> = new Map([
  ["d", "1d"],
  ["w", "1wk"],
  ["m", "1mo"],
]);
/** EODHD's names of our asset types. */
const TYPES: Readonly<Record<AssetType, string>> = {
  commodity: "Commodity",
  cryptocurrency: "Currency",
  currency: "Currency",
  etf: "ETF",
  index: "INDEX",
  reit: "Common Stock",
  stock: "Common Stock",
};
const MAX_FOUND = 100;

/** EODHD's end-of-day prices, dividends, splits and search. */
export const eodhd: FeedLayer = {
  name: "eodhd",
  title: "programs that read EODHD's end-of-day prices",
  routes: {
    "/api/eod/:symbol": answerPrices,
    "/api/div/:symbol": answerDividends,
    "/api/splits/:symbol": answerSplits,
    "/api/real-time/:symbol": answerQuote,
    "/api/search/:query": answerSearch,
  },
  names: { symbols: ["symbol"] },
  fail: ({ message }) => textBody(message),
};

/** The bars of a period, a year by default: as traded, with the close adjusted for splits and dividends. */
async function answerPrices(request: FeedRequest): Promise<FeedBody> {
  const { query } = request;
  const period = query.get("period") || "d";
  const interval = INTERVALS.get(period);
  if (interval === undefined) {
    throw new BourseError(
      "invalid_argument",
      `period must be d, w or m, not ${JSON.stringify(period)}.`,
    );
  }
  const bars = await listPeriod(request, interval);
  const rows = bars.map(({ date, raw, total }) => ({
    date,
    open: raw.open,
    high: raw.high,
    low: raw.low,
    close: raw.close,
    adjusted_close: total?.close ?? null,
    volume: raw.volume,
  }));
  return answerRows(query, rows, [
    "date",
    "open",
    "high",
    "low",
    "close",
    "adjusted_close",
    "volume",
  ]);
}

async function answerDividends(request: FeedRequest): Promise<FeedBody> {
  const { query, call, path } = request;
  const { currency } = await getShare(call, path["symbol"] ?? "");
  const bars = await listPeriod(request, "1d");
  const rows = bars
    .filter(({ dividend }) => dividend !== null && dividend !== 0)
    .map(({ date, dividend, raw, split }) => {
      const factor = (split.close ?? 0) / (raw.close ?? 1);
      const value = Math.round((dividend ?? 0) * factor * 1e6) / 1e6;
      return { date, value, unadjustedValue: dividend, currency };
    });
  return answerRows(query, rows, ["date", "value", "unadjustedValue", "currency"]);
}

async function answerSplits(request: FeedRequest): Promise<FeedBody> {
  const bars = await listPeriod(request, "1d");
  const rows = bars
    .filter(({ splitFactor }) => splitFactor !== null && splitFactor !== 1)
    .map(({ date, splitFactor }) => ({ date, split: `${splitFactor?.toFixed(6)}/1.000000` }));
  return answerRows(request.query, rows, ["date", "split"]);
}

async function listPeriod({ path, query, call }: FeedRequest, interval: string) {
  const instrument = await getShare(call, path["symbol"] ?? "");
  const from = query.get("from") || undefined;
  const to = query.get("to") || undefined;
  const period = from || to ? { from: from ?? "1900-01-01", to } : { range: "max" };
  return orEmpty(listFullBars(call, instrument, { ...period, interval }));
}

/** Rows in the format and order of the request; EODHD's default is CSV. */
function answerRows(
  query: URLSearchParams,
  rows: readonly Readonly<Record<string, Cell>>[],
  columns: readonly string[],
): FeedBody {
  const ordered = query.get("order") === "d" ? rows.toReversed() : rows;
  if (query.get("fmt") === "json") return jsonBody(ordered);
  const head = columns.map((name) => name.charAt(0).toUpperCase() + name.slice(1));
  const { rows: cells } = tableOf([...columns], ordered);
  return csvBody(formatCsv({ columns: head, rows: cells }));
}

/** The newest session of one symbol, or with `s` of several. */
async function answerQuote({ path, query, call }: FeedRequest): Promise<FeedBody> {
  const more = query.get("s")?.split(",") ?? [];
  const symbols = [path["symbol"] ?? "", ...more].filter(Boolean);
  const quotes = await Promise.all(
    symbols.map(async (symbol) => {
      const instrument = await getShare(call, symbol);
      const { country } = instrument;
      const [bars, type] = await Promise.all([
        listFullBars(call, instrument, { limit: 2 }),
        findType(call, instrument),
      ]);
      const [newest, previous] = [bars.at(-1), bars.at(-2)];
      const [close, before] = [newest?.split.close ?? null, previous?.split.close ?? null];
      const change = close === null || before === null ? null : close - before;
      const closes = COUNTRIES[country].tradingHours.at(-1)?.closes ?? "16:00";
      const at = newest && instantIn(COUNTRIES[country].timeZone, newest.date, closes);
      return {
        code: writeSymbol("eodhd", { ...instrument, type }),
        timestamp: at === undefined ? null : at / 1000,
        gmtoffset: 0,
        open: newest?.split.open ?? null,
        high: newest?.split.high ?? null,
        low: newest?.split.low ?? null,
        close,
        volume: newest?.split.volume ?? null,
        previousClose: before,
        change: change === null ? null : Math.round(change * 1e6) / 1e6,
        change_p: change === null || !before ? null : Math.round((change / before) * 1e6) / 1e4,
      };
    }),
  );
  return jsonBody(more.length > 0 ? quotes : quotes[0]);
}

async function answerSearch({ path, query, call }: FeedRequest): Promise<FeedBody> {
  const limit = Number(query.get("limit") ?? 15);
  const { symbols, sessions } = await call("list_symbols", {
    query: path["query"] ?? "",
    limit: Math.min(Math.max(1, Number.isInteger(limit) ? limit : 15), MAX_FOUND),
  });
  const dates = new Map(Object.entries(sessions));
  return jsonBody(
    symbols.map(({ country, symbol, name, type, currency, price }) => ({
      ...codeOf({ country, symbol, type }),
      Name: name,
      Type: TYPES[type],
      Country: COUNTRIES[country].name,
      Currency: currency,
      ISIN: null,
      previousClose: price,
      previousCloseDate: dates.get(country) ?? null,
    })),
  );
}

/** The symbol in the two parts in which lists have it: `7203` and `TSE`, `GSPC` and `INDX`. */
function codeOf(listed: ListedSymbol) {
  const [, code = listed.symbol, exchange] =
    /^(.+)\.([A-Z]+)$/.exec(writeSymbol("eodhd", listed)) ?? [];
  return { Code: code, Exchange: exchange ?? exchangeCode("eodhd", listed.country) };
}
