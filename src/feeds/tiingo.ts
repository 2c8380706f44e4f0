import { invalidArgument } from "#domain/errors.ts";
import { formatCsv } from "#lib/csv.ts";
import { mapInTurns } from "#lib/next-turn.ts";
import { tableOf } from "#lib/table.ts";
import {
  csvBody,
  type FeedBody,
  type FeedLayer,
  type FeedRequest,
  jsonBody,
  textBody,
} from "./layer.ts";
import { timesOf } from "./market-hours.ts";
import { writeSymbol } from "./notation.ts";
import {
  findType,
  getShare,
  getSymbols,
  listBars,
  listFullBars,
  orEmpty,
  orNone,
  pricesByDate,
} from "./request.ts";

const FREQUENCIES: ReadonlyMap<string, string> = new Map([
  ["daily", "1d"],
  ["weekly", "1wk"],
  ["monthly", "1mo"],
]);
const FIELDS = ["date", "close", "high", "low", "open", "volume"];
const ADJUSTED = [
  "adjClose",
  "adjHigh",
  "adjLow",
  "adjOpen",
  "adjVolume",
  "divCash",
  "splitFactor",
];
const MAX_FOUND = 100;

/** Tiingo's daily prices: as traded beside adjusted for splits and dividends. */
export const tiingo: FeedLayer = {
  name: "tiingo",
  title: "programs that read Tiingo's daily prices",
  routes: {
    "/tiingo/daily/:symbol": answerMeta,
    "/tiingo/daily/:symbol/prices": answerPrices,
    "/iex": answerQuotes,
    "/iex/:symbol": answerQuotes,
    "/tiingo/utilities/search": answerSearch,
    "/tiingo/utilities/search/:query": answerSearch,
  },
  names: { symbols: ["symbol", "tickers"], from: ["startDate"], to: ["endDate"] },
  fail: ({ message }, _, { query }) =>
    query.get("format") === "csv"
      ? textBody(`Error: ${message}`)
      : jsonBody({ detail: `Error: ${message}` }),
};

async function answerMeta({ path, call }: FeedRequest): Promise<FeedBody> {
  const instrument = await getShare(call, path["symbol"] ?? "");
  const { bars } = await listBars(call, instrument, { range: "max" });
  const { rows = [] } = bars ?? {};
  return jsonBody({
    ticker: instrument.symbol,
    name: instrument.name,
    description: null,
    exchangeCode: instrument.country,
    startDate: rows[0]?.[0] ?? null,
    endDate: rows.at(-1)?.[0] ?? null,
  });
}

/** Without `startDate`, the newest bar. */
async function answerPrices({ path, query, call }: FeedRequest): Promise<FeedBody> {
  const frequency = query.get("resampleFreq") || "daily";
  const interval = FREQUENCIES.get(frequency);
  if (interval === undefined) {
    throw invalidArgument(`resampleFreq must be one of ${[...FREQUENCIES.keys()].join(", ")}.`);
  }
  const instrument = await getShare(call, path["symbol"] ?? "");
  const from = query.get("startDate") || undefined;
  const to = query.get("endDate") || undefined;
  const period = from || to ? { from: from ?? "1900-01-01", to } : { limit: 1 };
  const bars = await orEmpty(listFullBars(call, instrument, { ...period, interval }));
  const rows = bars.map(({ date, raw, split, total, dividend, splitFactor }) => ({
    date: `${date}T00:00:00.000Z`,
    close: raw.close,
    high: raw.high,
    low: raw.low,
    open: raw.open,
    volume: raw.volume,
    adjClose: total?.close ?? null,
    adjHigh: total?.high ?? null,
    adjLow: total?.low ?? null,
    adjOpen: total?.open ?? null,
    adjVolume: split.volume,
    divCash: dividend,
    splitFactor,
  }));
  if (query.get("format") !== "csv") return jsonBody(rows);
  const plain = rows.map((row) => ({ ...row, date: row.date.slice(0, 10) }));
  return csvBody(formatCsv(tableOf([...FIELDS, ...ADJUSTED], plain)));
}

/** The newest sessions of several symbols. Unknown ones are left out, as Tiingo leaves them out. */
async function answerQuotes(request: FeedRequest): Promise<FeedBody> {
  const { path, query } = request;
  const symbols = path["symbol"] === undefined ? getSymbols(query, "tickers") : [path["symbol"]];
  const quotes = await mapInTurns([...new Set(symbols)], (one) => orNone(toQuote(request, one)));
  return jsonBody(quotes.filter((quote) => quote !== null));
}

async function toQuote({ call, now }: FeedRequest, written: string) {
  const instrument = await getShare(call, written);
  const type = await findType(call, instrument);
  const bars = [...pricesByDate(await listBars(call, instrument, { limit: 2 }))].toReversed();
  const [[date, prices] = [], [, before] = []] = bars;
  const end = date === undefined ? null : timesOf(instrument.country, type, date).closesAt;
  const at = end === null ? null : new Date(Math.min(end, now)).toISOString();
  const unknown = { mid: null, bidPrice: null, bidSize: null, askPrice: null, askSize: null };
  return {
    ticker: writeSymbol("tiingo", { ...instrument, type }),
    timestamp: at,
    lastSaleTimestamp: at,
    quoteTimestamp: at,
    open: prices?.open ?? null,
    high: prices?.high ?? null,
    low: prices?.low ?? null,
    last: prices?.close ?? null,
    tngoLast: prices?.close ?? null,
    volume: prices?.volume ?? null,
    prevClose: before?.close ?? null,
    ...unknown,
  };
}

async function answerSearch({ path, query, call }: FeedRequest): Promise<FeedBody> {
  const limit = Number(query.get("limit") ?? 10);
  const { symbols } = await call("list_symbols", {
    query: path["query"] ?? query.get("query") ?? "",
    limit: Math.min(Math.max(1, Number.isInteger(limit) ? limit : 10), MAX_FOUND),
  });
  return jsonBody(
    symbols.map(({ country, symbol, name, type }) => ({
      ticker: writeSymbol("tiingo", { country, symbol, type }),
      name,
      assetType: type === "etf" ? "ETF" : "Stock",
      isActive: true,
      permaTicker: `${country}:${symbol}`,
      openFIGICode: null,
      countryCode: country,
    })),
  );
}
