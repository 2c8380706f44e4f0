import { ASSET_TYPES } from "#domain/instrument.ts";
import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { dateOf } from "#lib/date.ts";
import { mapInTurns } from "#lib/next-turn.ts";
import { numberText } from "#lib/number-text.ts";
import type { Cell } from "#lib/table.ts";
import { CurrencyInput } from "#operations/conversion.ts";
import type { PayloadOf } from "#operations/index.ts";
import { sessionOf } from "#operations/session-of.ts";
import {
  type CallOperation,
  type FeedBody,
  type FeedLayer,
  type FeedRequest,
  jsonBody,
  textBody,
} from "./layer.ts";
import { isOnExchange } from "./market-hours.ts";
import {
  amountsByDate,
  amountsText,
  type FeedInstrument,
  findFigures,
  findType,
  getInstrument,
  getParameter,
  getSymbols,
  listBars,
  ratioText,
  startOf,
} from "./request.ts";

const RESOLUTIONS = ["1D", "1W", "1M"];
const INTERVALS: ReadonlyMap<string, string> = new Map([
  ["D", "1d"],
  ["1D", "1d"],
  ["W", "1wk"],
  ["1W", "1wk"],
  ["M", "1mo"],
  ["1M", "1mo"],
]);
const MAX_FOUND = 30;
/** A report as `get_stock_forecast` has it. */
type Report = NonNullable<PayloadOf<"get_stock_forecast">["surprises"]>[number];
/** Figures of a quote and TradingView's names of them. */
const QUOTE = { price: "lp", change_percent: "chp", volume: "volume" } as const;

/** The Universal Data Feed, which TradingView's charting library and others with its datafeed read. */
export const udf: FeedLayer = {
  name: "udf",
  title: "TradingView's charting library (UDF)",
  routes: {
    "/config": answerConfig,
    "/time": ({ now }) => Promise.resolve(textBody(String(Math.floor(now / 1000)))),
    "/symbols": answerSymbol,
    "/search": answerSearch,
    "/history": answerHistory,
    "/quotes": answerQuotes,
    "/marks": answerReports,
    "/timescale_marks": answerMarks,
  },
  names: { symbols: ["symbol"], currency: ["currencyCode"], country: ["exchange"] },
  fail: ({ message }) => jsonBody({ s: "error", errmsg: message }),
};

function answerConfig(): Promise<FeedBody> {
  const value = (name: string) => ({ value: name, name });
  return Promise.resolve(
    jsonBody({
      supported_resolutions: RESOLUTIONS,
      supports_search: true,
      supports_group_request: false,
      supports_marks: true,
      supports_timescale_marks: true,
      supports_time: true,
      currency_codes: CurrencyInput("").enum,
      exchanges: [
        { value: "", name: "All countries", desc: "" },
        ...COUNTRY_CODES.map((code) => ({ value: code, name: code, desc: COUNTRIES[code].name })),
      ],
      symbols_types: [{ value: "", name: "All types" }, ...ASSET_TYPES.map(value)],
    }),
  );
}

/** What the library must know of a symbol. It has no field `s`, which would mean an error. */
async function answerSymbol({ query, call }: FeedRequest): Promise<FeedBody> {
  const instrument = await getInstrument(call, getParameter(query, "symbol"));
  const { country, symbol, name, currency, price } = instrument;
  const type = await findType(call, instrument);
  const wanted = query.get("currencyCode") || undefined;
  const converted = wanted && (await listBars(call, instrument, { limit: 1, currency: wanted }));
  const hours = isOnExchange(type) ? await listHours(call, country) : null;
  return jsonBody({
    name: symbol,
    ticker: `${country}:${symbol}`,
    description: name,
    type,
    exchange: country,
    listed_exchange: country,
    session: "24x7",
    timezone: "Etc/UTC",
    ...hours,
    currency_code: (converted ? converted.currency : currency) ?? undefined,
    original_currency_code: currency ?? undefined,
    minmov: 1,
    pricescale: 10 ** decimalsOf(price),
    format: "price",
    has_intraday: false,
    has_daily: true,
    has_weekly_and_monthly: true,
    supported_resolutions: RESOLUTIONS,
    volume_precision: 0,
    data_status: "endofday",
  });
}

/** The hours of a country's exchanges, and the days of the next months that are closed or end early. */
async function listHours(call: CallOperation, country: Country) {
  const { countries } = await call("get_markets", {});
  const market = countries.find(({ code }) => code === country);
  const compact = (parts: readonly string[]) => parts.join(",").replaceAll(":", "");
  const days = (list: readonly { readonly date: string }[] = []) =>
    list.map(({ date }) => date.replaceAll("-", ""));
  const early = Map.groupBy(market?.upcoming_half_days ?? [], ({ date }) =>
    compact(sessionOf(country, date).parts.map(({ opens, closes }) => `${opens}-${closes}`)),
  );
  return {
    session: compact(market?.exchange.hours ?? []),
    timezone: COUNTRIES[country].timeZone,
    session_holidays: days(market?.upcoming_holidays).join(",") || undefined,
    corrections:
      [...early].map(([parts, dates]) => `${parts}:${days(dates).join(",")}`).join(";") ||
      undefined,
  };
}

/** Enough for four digits of the smallest price that a record can have. */
const MOST_DECIMALS = 15;

/** The decimals that a chart of such a price needs. */
function decimalsOf(price: number | null): number {
  if (price === null || price >= 1_000) return 2;
  if (price >= 1) return 3;
  // Four digits of a coin's price: ten decimals for 0.00000043.
  return Math.min(Math.max(6, 3 - Math.floor(Math.log10(price))), MOST_DECIMALS);
}

async function answerSearch({ query, call }: FeedRequest): Promise<FeedBody> {
  const text = query.get("query") ?? "";
  const limit = Number(query.get("limit") ?? MAX_FOUND);
  const { symbols } = await call("list_symbols", {
    query: text === "" ? undefined : text,
    country: query.get("exchange") || undefined,
    type: query.get("type") || undefined,
    limit: Math.min(Math.max(1, Number.isInteger(limit) ? limit : MAX_FOUND), MAX_FOUND),
  });
  return jsonBody(
    symbols.map(({ country, symbol, name, type }) => ({
      symbol,
      full_name: `${country}:${symbol}`,
      ticker: `${country}:${symbol}`,
      description: name,
      exchange: country,
      type,
    })),
  );
}

/** Bars as lists of one figure each. A session, week or month is at midnight UTC of its first day. */
async function answerHistory({ query, call }: FeedRequest): Promise<FeedBody> {
  const instrument = await getInstrument(call, getParameter(query, "symbol"));
  const resolution = query.get("resolution") ?? "1D";
  const interval = INTERVALS.get(resolution.toUpperCase());
  if (interval === undefined) {
    throw invalidArgument(
      `resolution must be one of ${RESOLUTIONS.join(", ")}; there are no intraday bars.`,
    );
  }
  const to = readSeconds(query, "to") ?? Number.MAX_SAFE_INTEGER;
  const count = Number(query.get("countback") ?? 0);
  const from = readSeconds(query, "from") ?? 0;
  const { columns, rows } = await listUpTo(call, instrument, {
    to: to < 4e9 ? dateOf(to * 1000) : undefined,
    interval,
    currency: query.get("currencyCode") || undefined,
  });
  const bars = rows
    .map((row) => ({ at: Date.parse(startOf(interval, String(row[0]))) / 1000, row }))
    .filter(({ at }) => at < to);
  const asked = count > 0 ? bars.slice(-count) : bars.filter(({ at }) => at >= from);
  if (asked.length === 0) {
    const earlier = bars.findLast(({ at }) => at < from);
    return jsonBody({ s: "no_data", ...(earlier && { nextTime: earlier.at }) });
  }
  const list = (name: string) => asked.map(({ row }) => row[columns.indexOf(name)] ?? null);
  return jsonBody({
    s: "ok",
    t: asked.map(({ at }) => at),
    o: list("open"),
    h: list("high"),
    l: list("low"),
    c: list("close"),
    v: list("volume"),
  });
}

/** All bars up to a date; none if the prices begin later. @throws BourseError */
async function listUpTo(
  call: CallOperation,
  instrument: { readonly country: Country; readonly symbol: string },
  args: Readonly<Record<string, unknown>>,
): Promise<{ columns: readonly string[]; rows: readonly (readonly Cell[])[] }> {
  try {
    const { bars } = await listBars(call, instrument, { from: "1900-01-01", ...args });
    return bars ?? { columns: [], rows: [] };
  } catch (error) {
    // The prices begin later.
    if (error instanceof BourseError && error.details.noData) return { columns: [], rows: [] };
    throw error;
  }
}

function readSeconds(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === "") return null;
  if (/^-?\d{1,12}(?:\.\d+)?$/.test(text)) return Number(text);
  throw invalidArgument(`${name} must be in seconds since 1970.`);
}

async function answerQuotes({ query, call }: FeedRequest): Promise<FeedBody> {
  const symbols = getSymbols(query);
  const found = await mapInTurns(symbols, (symbol) =>
    findFigures(call, symbol, Object.keys(QUOTE)),
  );
  const d = found.map((figures, i) => {
    const n = symbols[i];
    if (!figures) return { s: "error", n, errmsg: `The symbol ${n} is unknown.` };
    const values = Object.entries(QUOTE).map(([ours, theirs]) => [theirs, figures.get(ours)]);
    const names = {
      short_name: figures.get("symbol"),
      exchange: figures.get("country"),
      description: figures.get("name"),
    };
    return { s: "ok", n, v: { ...names, ...Object.fromEntries(values) } };
  });
  return jsonBody({ s: "ok", d });
}

/** Marks of dividends and splits below the bars. */
async function answerMarks({ query, call }: FeedRequest): Promise<FeedBody> {
  const instrument = await getInstrument(call, getParameter(query, "symbol"));
  const from = readSeconds(query, "from") ?? 0;
  const to = readSeconds(query, "to") ?? Number.MAX_SAFE_INTEGER;
  const { dividends, splits, currency } = await listBars(call, instrument, {
    range: "max",
    dividends: true,
    splits: true,
  });
  const marks = [
    ...[...amountsByDate(dividends)].map(([date, amounts]) => ({
      date,
      color: "blue",
      label: "D",
      text: `Dividend ${amountsText(amounts)} ${currency}`,
    })),
    ...(splits?.rows ?? []).map(([date, numerator, denominator]) => ({
      date,
      color: "red",
      label: "S",
      text: `Split ${ratioText(numerator, denominator)}`,
    })),
  ];
  return jsonBody(
    marks
      .map(({ date, color, label, text }) => ({
        id: `${label}-${date}`,
        time: Date.parse(String(date)) / 1000,
        color,
        label,
        tooltip: [text, String(date)],
      }))
      .filter(({ time }) => time >= from && time < to),
  );
}

/** The reports of a company; none of another instrument, or without a source. */
async function listReports(
  call: CallOperation,
  { country, symbol }: FeedInstrument,
): Promise<readonly Report[]> {
  try {
    const args = { country, symbol, sections: "surprises", limit: 100 };
    return (await call("get_stock_forecast", args)).surprises ?? [];
  } catch (error) {
    if (error instanceof BourseError && error.code === "not_found") return [];
    throw error;
  }
}

/** Marks of quarterly reports on the bars. */
async function answerReports({ query, call }: FeedRequest): Promise<FeedBody> {
  const instrument = await getInstrument(call, getParameter(query, "symbol"));
  const from = readSeconds(query, "from") ?? 0;
  const to = readSeconds(query, "to") ?? Number.MAX_SAFE_INTEGER;
  const reports = await listReports(call, instrument);
  return jsonBody(
    reports
      .filter(({ reported_on: date }) => date !== null)
      .map(
        ({ reported_on: date, quarter_end: quarter, eps_actual: eps, surprise_percent: beat }) => ({
          id: `E-${quarter}`,
          time: Date.parse(String(date)) / 1000,
          color: beat === null ? "yellow" : beat < 0 ? "red" : "green",
          text: `Report of the quarter to ${quarter}: EPS ${numberText(eps) || "unknown"}${beat === null ? "" : `, ${beat} % from the estimate`}`,
          label: "E",
          labelFontColor: "white",
          minSize: 14,
        }),
      )
      .filter(({ time }) => time >= from && time < to),
  );
}
