import { COUNTRIES } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import { dateOf } from "#lib/date.ts";
import type { Cell, Table } from "#lib/table.ts";
import { dateIn } from "#lib/zone.ts";
import {
  type CallOperation,
  type FeedBody,
  type FeedLayer,
  type FeedRequest,
  jsonBody,
  statusText,
  textBody,
} from "./layer.ts";
import {
  amountsByDate,
  type FeedInstrument,
  findAdjusted,
  listBars,
  ratioText,
  startOf,
} from "./request.ts";
import {
  getListed,
  PRICE_HINT,
  secondsOf,
  type YahooInstrument,
  type Zone,
} from "./yahoo-instrument.ts";
import { answerQuotes, answerSearch } from "./yahoo-quote.ts";
import { answerSummary } from "./yahoo-summary.ts";

const INTERVALS = ["1d", "1wk", "1mo"];
/** Yahoo's ranges and ours. A number of days is that many sessions. */
const RANGES: ReadonlyMap<string, string> = new Map([
  ["1mo", "1m"],
  ["3mo", "3m"],
  ["6mo", "6m"],
  ...["ytd", "1y", "2y", "5y", "10y", "max"].map((range) => [range, range] as const),
]);
/** Yahoo's charts, quotes, summaries and search, as yahoo-finance2, quantmod and many portfolio programs call them. */
export const yahoo: FeedLayer = {
  name: "yahoo",
  title: "programs that read Yahoo's charts and quotes",
  routes: {
    "/v8/finance/chart/:symbol": answerChart,
    "/v7/finance/quote": answerQuotes,
    "/v10/finance/quoteSummary/:symbol": answerSummary,
    "/v1/finance/search": answerSearch,
    "/v1/test/getcrumb": () => Promise.resolve(textBody("bourse")),
    "/quote/:symbol": answerPage,
  },
  names: { symbols: ["symbols", "symbol"], query: ["q"], from: ["period1"], to: ["period2"] },
  fail: ({ message }, status, { path }) => {
    const [, name = ""] = /^v\d+\/finance\/(chart|quoteSummary)\b/.exec(path) ?? [];
    const error = { code: statusText(status), description: message };
    return jsonBody({ [name || "finance"]: { result: null, error } });
  },
};

/** The page from which clients take a cookie before they ask for a crumb. The feed link is what authenticates. */
function answerPage(): Promise<FeedBody> {
  return Promise.resolve({ ...textBody("bourse"), cookie: "A3=bourse; HttpOnly; SameSite=Strict" });
}

/** The chart of one symbol: bars with split and total return adjustment, and events. */
async function answerChart({ path, query, call, now }: FeedRequest): Promise<FeedBody> {
  const symbol = path["symbol"] ?? "";
  const interval = query.get("interval") ?? "1d";
  if (!INTERVALS.includes(interval)) {
    throw invalidArgument(
      `interval must be one of ${INTERVALS.join(", ")}; there are no intraday bars.`,
    );
  }
  const listed = await getListed({ call, now }, symbol);
  const { instrument, type, zone } = listed;
  const period = readPeriod(query, zone);
  const events = (query.get("events") ?? "").split(/[|,]/);
  const history = await listBars(call, instrument, {
    ...period.args,
    interval,
    dividends: events.some((one) => one.startsWith("div")),
    splits: events.some((one) => one.startsWith("split")),
  });
  const { bars = { columns: [], rows: [] } } = history;
  const rows = bars.rows.flatMap((row) => {
    const date = startOf(interval, String(row[0]));
    const at = secondsOf(zone, date);
    return at >= period.first && at < period.end ? [{ row, date: String(row[0]), at }] : [];
  });
  const begins = await findBeginning(call, instrument);
  const column = (name: string) => {
    const i = bars.columns.indexOf(name);
    return rows.map(({ row }) => row[i] ?? null);
  };
  // An index pays no dividends.
  const totals =
    type === "index"
      ? column("close")
      : await findTotals(call, instrument, { ...period.args, interval }).then((closes) =>
          rows.map(({ date }) => closes.get(date) ?? null),
        );
  const result = {
    meta: {
      ...metaOf(listed, { interval, range: query.get("range") ?? "" }),
      firstTradeDate: begins && secondsOf(zone, begins),
    },
    ...(rows.length > 0 && { timestamp: rows.map(({ at }) => at) }),
    ...eventsOf(history, zone, rows[0]?.at ?? Number.POSITIVE_INFINITY),
    indicators: {
      quote: [
        rows.length === 0
          ? {}
          : Object.fromEntries(bars.columns.slice(1).map((name) => [name, column(name)])),
      ],
      adjclose: [{ adjclose: totals }],
    },
  };
  return jsonBody({ chart: { result: [result], error: null } });
}

/**
 * The period of a request: `period1` and `period2` in seconds, the second one excluded, or a range. A period
 * begins with a whole week or month, so the bars before its first second are left out afterwards.
 */
function readPeriod(query: URLSearchParams, zone: Zone) {
  const dateAt = (seconds: number) =>
    zone === null ? dateOf(seconds * 1000) : dateIn(COUNTRIES[zone].timeZone, seconds * 1000);
  const first = readSeconds(query, "period1");
  const end = readSeconds(query, "period2") ?? Number.POSITIVE_INFINITY;
  if (first !== null) {
    const to = Number.isFinite(end) ? { to: dateAt(end) } : {};
    return { args: { from: dateAt(Math.max(first, 0)), ...to }, first, end };
  }
  const range = query.get("range") ?? "1d";
  const ours = RANGES.get(range);
  const sessions = /^(\d{1,4})d$/.exec(range)?.[1];
  if (ours === undefined && sessions === undefined) {
    throw invalidArgument(`range must be one of 1d, 5d, ${[...RANGES.keys()].join(", ")}.`);
  }
  return { args: ours ? { range: ours } : { limit: Number(sessions) }, first: 0, end };
}

function readSeconds(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === "") return null;
  // A date is what people write by hand.
  const seconds = /^-?\d{1,11}$/.test(text) ? Number(text) : Date.parse(text) / 1000;
  if (Number.isFinite(seconds)) return seconds;
  throw invalidArgument(`${name} must be in seconds since 1970.`);
}

/** The first stored session; null without prices. */
async function findBeginning(
  call: CallOperation,
  instrument: FeedInstrument,
): Promise<string | null> {
  const { begins } = await listBars(call, instrument, { from: "1900-01-01", limit: 1 });
  return begins ?? null;
}

/** The closes with reinvested dividends by date; empty if dividends are unknown. */
async function findTotals(
  call: CallOperation,
  instrument: FeedInstrument,
  args: Readonly<Record<string, unknown>>,
): Promise<ReadonlyMap<string, number>> {
  const { bars } = (await findAdjusted(call, instrument, { ...args, adjust: "total" })) ?? {};
  const close = bars?.columns.indexOf("close") ?? 0;
  return new Map(bars?.rows.map((row) => [String(row[0]), Number(row[close])]));
}

/** The dividends and splits from the first second on, by the second of their session. */
function eventsOf(
  { dividends, splits }: { readonly dividends?: Table | null; readonly splits?: Table | null },
  zone: Zone,
  first: number,
) {
  const bySecond = <T>(table: Table | null | undefined, event: (cells: number[]) => T) =>
    Object.fromEntries(
      (table?.rows ?? []).flatMap(([date, ...cells]) => {
        const at = secondsOf(zone, String(date));
        return at < first ? [] : [[at, { date: at, ...event(cells.map(Number)) }]];
      }),
    );
  // Yahoo has one entry a second.
  const sums = [...amountsByDate(dividends)].map(([date, amounts]): Cell[] => [
    date,
    Number(amounts.reduce((sum, amount) => sum + amount, 0).toPrecision(12)),
  ]);
  const paid = bySecond({ columns: [], rows: sums }, ([amount]) => ({ amount }));
  const split = bySecond(splits, ([numerator, denominator]) => ({
    numerator,
    denominator,
    splitRatio: ratioText(numerator, denominator),
  }));
  const events = {
    ...(Object.keys(paid).length > 0 && { dividends: paid }),
    ...(Object.keys(split).length > 0 && { splits: split }),
  };
  return Object.keys(events).length > 0 ? { events } : {};
}

/** What the chart API says about the instrument and its newest session. */
function metaOf(
  listed: YahooInstrument,
  { interval, range }: { readonly interval: string; readonly range: string },
) {
  const { instrument, exchange, session } = listed;
  const { zoneName, gmtoffset, start, end } = session;
  const part = (from: number, to: number) => ({
    timezone: zoneName,
    start: from,
    end: to,
    gmtoffset,
  });
  return {
    currency: listed.currency,
    symbol: listed.symbol,
    exchangeName: exchange,
    instrumentType: listed.quoteType,
    regularMarketTime: session.pricedAt,
    gmtoffset,
    timezone: zoneName,
    exchangeTimezoneName: session.timeZone,
    regularMarketPrice: instrument.price,
    longName: instrument.name,
    shortName: instrument.name,
    priceHint: PRICE_HINT,
    currentTradingPeriod: {
      pre: part(start, start),
      regular: part(start, end),
      post: part(end, end),
    },
    dataGranularity: interval,
    range,
    validRanges: ["1d", "5d", ...RANGES.keys()],
  };
}
