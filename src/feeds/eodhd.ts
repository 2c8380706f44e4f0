import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import { exchangeCode } from "#domain/exchanges.ts";
import type { AssetType } from "#domain/instrument.ts";
import { formatCsv } from "#lib/csv.ts";
import { dateOf } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { type Cell, tableOf } from "#lib/table.ts";
import type { PayloadOf } from "#operations/index.ts";
import {
  csvBody,
  type FeedBody,
  type FeedLayer,
  type FeedRequest,
  jsonBody,
  textBody,
} from "./layer.ts";
import { timesOf } from "./market-hours.ts";
import { type ListedSymbol, writeSymbol } from "./notation.ts";
import {
  changeOf,
  findType,
  fixedText,
  type FullBar,
  getShare,
  getSymbols,
  getEvents,
  listFullBars,
  mapFound,
  orEmpty,
  readDate,
} from "./request.ts";

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

/** An instrument as `list_symbols` has it. */
type Listed = PayloadOf<"list_symbols">["symbols"][number];

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
    "/api/exchanges-list": answerExchanges,
    "/api/exchange-symbol-list/:exchange": answerSymbols,
    "/api/eod-bulk-last-day/:exchange": answerBulk,
    "/api/user": answerUser,
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
    throw invalidArgument(`period must be d, w or m, not ${JSON.stringify(period)}.`);
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

/** True for an event in the period of the request; without a period for every event. */
function periodOf({ query }: FeedRequest): (event: { readonly date: string }) => boolean {
  const [from, to] = [readDate(query, "from") ?? "", readDate(query, "to") ?? "9999-12-31"];
  return ({ date }) => date >= from && date <= to;
}

async function answerDividends(request: FeedRequest): Promise<FeedBody> {
  const instrument = await getShare(request.call, request.path["symbol"] ?? "");
  const { currency } = instrument;
  const dividends = await getEvents(request.call, instrument, "dividends");
  const rows = dividends.filter(periodOf(request)).map(({ date, amount, paid }) => ({
    date,
    value: amount,
    unadjustedValue: paid,
    currency,
  }));
  return answerRows(request.query, rows, ["date", "value", "unadjustedValue", "currency"]);
}

async function answerSplits(request: FeedRequest): Promise<FeedBody> {
  const instrument = await getShare(request.call, request.path["symbol"] ?? "");
  const splits = await getEvents(request.call, instrument, "splits");
  const rows = splits.filter(periodOf(request)).map(({ date, to, from }) => ({
    date,
    split: splitText(to, from),
  }));
  return answerRows(request.query, rows, ["date", "split"]);
}

/** `4.000000/1.000000` */
const splitText = (to: number, from: number) => `${fixedText(to, 6)}/${fixedText(from, 6)}`;

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

/** The newest session of one symbol, or with `s` of several, where an unknown one has no figures. */
async function answerQuote(request: FeedRequest): Promise<FeedBody> {
  const { path, query } = request;
  const first = path["symbol"] ?? "";
  if (!query.get("s")) return jsonBody(await toQuote(request, first));
  const symbols = [first, ...getSymbols(query, "s")];
  const quotes = await mapFound(symbols, (symbol) => toQuote(request, symbol));
  return jsonBody(quotes.map((quote, i) => quote ?? quoteOf(symbols[i] ?? "", null, null)));
}

async function toQuote({ call, now }: FeedRequest, symbol: string) {
  const instrument = await getShare(call, symbol);
  const { country } = instrument;
  const [bars, type] = await Promise.all([
    listFullBars(call, instrument, { limit: 2 }),
    findType(call, instrument),
  ]);
  const newest = bars.at(-1) ?? null;
  // The price of a session that is still open is of now.
  const at = newest && Math.min(timesOf(country, type, newest.date).closesAt, now);
  const code = writeSymbol("eodhd", { ...instrument, type });
  return { ...quoteOf(code, newest, bars.at(-2) ?? null), timestamp: at && Math.floor(at / 1000) };
}

/** A session and its change since the one before; null where a figure is unknown. */
function quoteOf(code: string, newest: FullBar | null, previous: FullBar | null) {
  const { open = null, high = null, low = null, close = null, volume = null } = newest?.split ?? {};
  const before = previous?.split.close ?? null;
  const change = changeOf(close, before);
  return {
    code,
    timestamp: null,
    gmtoffset: 0,
    open,
    high,
    low,
    close,
    volume,
    previousClose: before,
    change,
    change_p: change === null || !before ? null : Math.round((change / before) * 1e6) / 1e4,
  };
}

async function answerSearch({ path, query, call }: FeedRequest): Promise<FeedBody> {
  const limit = Number(query.get("limit") ?? 15);
  const { symbols, sessions } = await call("list_symbols", {
    query: path["query"] ?? "",
    limit: Math.min(Math.max(1, Number.isInteger(limit) ? limit : 15), MAX_FOUND),
  });
  const dates = new Map(Object.entries(sessions));
  return jsonBody(
    symbols.map(({ price, session, ...listed }) => ({
      ...entryOf(listed),
      ISIN: null,
      previousClose: price,
      previousCloseDate: session ?? dates.get(listed.country) ?? null,
    })),
  );
}

/** The symbol in the two parts in which lists have it: `7203` and `TSE`, `GSPC` and `INDX`. */
function codeOf(listed: ListedSymbol) {
  const [, code = listed.symbol, exchange] =
    /^(.+)\.([A-Z]+)$/.exec(writeSymbol("eodhd", listed)) ?? [];
  return { Code: code, Exchange: exchange ?? exchangeCode("eodhd", listed.country) };
}

/** An entry of a list of symbols. */
const entryOf = ({ country, symbol, name, type, currency }: Omit<Listed, "price">) => ({
  ...codeOf({ country, symbol, type }),
  Name: name,
  Type: TYPES[type],
  Country: COUNTRIES[country].name,
  Currency: currency,
});

/** What the operations list of an exchange. */
interface Part {
  readonly country?: Country;
  readonly type?: AssetType;
}

/** EODHD's codes of exchanges. */
const EXCHANGES: ReadonlyMap<string, Part> = new Map([
  ...COUNTRY_CODES.map((country): [string, Part] => [
    exchangeCode("eodhd", country) ?? country,
    { country },
  ]),
  ...(["index", "currency", "cryptocurrency", "commodity"] as const).map((type): [string, Part] => [
    { index: "INDX", currency: "FOREX", cryptocurrency: "CC", commodity: "COMM" }[type],
    { type },
  ]),
]);

function answerExchanges(): Promise<FeedBody> {
  const rows = [...EXCHANGES].map(([Code, { country, type }]) => ({
    Name: country ? COUNTRIES[country].name : TYPES[type ?? "stock"],
    Code,
    OperatingMIC: country ? exchangeCode("mic", country) : null,
    Country: country ? COUNTRIES[country].name : "Unknown",
    Currency: country ? COUNTRIES[country].currency : "Unknown",
    CountryISO2: country ?? "",
    CountryISO3: "",
  }));
  return Promise.resolve(jsonBody(rows));
}

/** All instruments of an exchange, page by page. @throws BourseError `not_found` for another exchange */
async function listExchange({
  path,
  query,
  call,
}: FeedRequest): Promise<[Listed, string | null][]> {
  const code = (path["exchange"] ?? "").toUpperCase();
  const part = EXCHANGES.get(code);
  if (!part) {
    const codes = [...EXCHANGES.keys()].join(", ");
    throw notFound(`There is no such exchange; there are ${codes}.`);
  }
  const listed: [Listed, string | null][] = [];
  // Delisted shares are not listed by the operations.
  let cursor: string | null | undefined = query.get("delisted") === "1" ? null : undefined;
  while (cursor !== null) {
    const page: PayloadOf<"list_symbols"> = await call("list_symbols", {
      ...part,
      limit: MAX_FOUND,
      cursor,
    });
    const dates = new Map(Object.entries(page.sessions));
    for (const one of page.symbols) {
      if (codeOf(one).Exchange === code)
        listed.push([one, one.session ?? dates.get(one.country) ?? null]);
    }
    cursor = page.next_cursor;
    await nextTurn();
  }
  return listed;
}

async function answerSymbols(request: FeedRequest): Promise<FeedBody> {
  const wanted = request.query.get("type")?.toLowerCase().replace("_", " ") || null;
  const rows = (await listExchange(request))
    .map(([listed]) => ({ ...entryOf(listed), Isin: null }))
    .filter(({ Type }) => wanted === null || Type.toLowerCase().includes(wanted));
  return answerRows(request.query, rows, [
    "Code",
    "Name",
    "Country",
    "Exchange",
    "Currency",
    "Type",
    "Isin",
  ]);
}

const BULK = ["eod", "splits", "dividends"];

/** The newest session of the given symbols, unknown ones left out, or the newest closes of a whole exchange. */
async function answerBulk(request: FeedRequest): Promise<FeedBody> {
  const { query, call } = request;
  const exchange = (request.path["exchange"] ?? "").toUpperCase();
  const kind = query.get("type") || "eod";
  if (!BULK.includes(kind)) {
    throw invalidArgument(`type must be one of ${BULK.join(", ")}.`);
  }
  const date = query.get("date") || undefined;
  if (query.get("symbols")) {
    const rows = await mapFound(getSymbols(query), async (written) => {
      const isPlaced = written.toUpperCase().endsWith(`.${exchange}`);
      const code = isPlaced ? written.slice(0, -exchange.length - 1) : written;
      const symbol = written.includes(".") ? written : `${written}.${exchange}`;
      const period = date === undefined ? { limit: 1 } : { from: date, to: date };
      const instrument = await getShare(call, symbol);
      const bars = await orEmpty(listFullBars(call, instrument, period));
      return bars.flatMap((bar) => bulkRow(kind, { code, exchange, date: bar.date }, bar));
    });
    return answerBulkRows(
      query,
      kind,
      rows.flatMap((one) => one ?? []),
    );
  }
  if (kind !== "eod" || date !== undefined) {
    const text =
      "date and type need symbols: the service has the newest close of a whole exchange.";
    throw invalidArgument(text);
  }
  const rows = (await listExchange(request)).flatMap(([listed, session]) => {
    const { price } = listed;
    if (price === null) return [];
    const close = { close: price, adjusted_close: price, volume: null };
    const { Code: code } = codeOf(listed);
    const unknown = { open: null, high: null, low: null };
    return { code, exchange_short_name: exchange, date: session, ...unknown, ...close };
  });
  return answerBulkRows(query, kind, rows);
}

function bulkRow(
  kind: string,
  { code = "", exchange, date }: { code?: string | undefined; exchange: string; date: string },
  { raw, total, dividend, splitFactor }: FullBar,
): Readonly<Record<string, Cell>>[] {
  if (kind === "splits") {
    const has = splitFactor !== null && splitFactor !== 1;
    return has ? [{ code, exchange, date, split: splitText(splitFactor, 1) }] : [];
  }
  if (kind === "dividends") {
    return dividend ? [{ code, exchange, date, dividend: fixedText(dividend, 5) }] : [];
  }
  const { open, high, low, close, volume } = raw;
  const prices = { open, high, low, close, adjusted_close: total?.close ?? null, volume };
  return [{ code, exchange_short_name: exchange, date, ...prices }];
}

function answerBulkRows(
  query: URLSearchParams,
  kind: string,
  rows: readonly Readonly<Record<string, Cell>>[],
): FeedBody {
  const prices = ["exchange_short_name", "date", "open", "high", "low", "close"];
  const columns = {
    eod: ["code", ...prices, "adjusted_close", "volume"],
    splits: ["code", "exchange", "date", "split"],
    dividends: ["code", "exchange", "date", "dividend"],
  }[kind];
  return answerRows(query, rows, columns ?? []);
}

/** The plan and calls of the link; of its user, nothing. */
function answerUser({ usage: { plan, day }, now }: FeedRequest): Promise<FeedBody> {
  return Promise.resolve(
    jsonBody({
      name: "",
      email: "",
      subscriptionType: plan,
      paymentMethod: "Not Available",
      apiRequests: day.used,
      apiRequestsDate: dateOf(now),
      dailyRateLimit: day.limit,
      extraLimit: 0,
    }),
  );
}
