import { COUNTRIES, sessionOpensAt } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { exchangeCode } from "#domain/exchanges.ts";
import type { AssetType } from "#domain/instrument.ts";
import { dateOf } from "#lib/date.ts";
import type { Table } from "#lib/table.ts";
import { dateIn, timeIn } from "#lib/zone.ts";
import { sessionOf } from "#operations/session-of.ts";
import {
  type CallOperation,
  type FeedBody,
  type FeedLayer,
  type FeedRequest,
  jsonBody,
  statusText,
} from "./layer.ts";
import { writeSymbol } from "./notation.ts";
import {
  type FeedInstrument,
  findAdjusted,
  findType,
  getShare,
  listBars,
  startOf,
} from "./request.ts";

const INTERVALS = ["1d", "1wk", "1mo"];
/** Yahoo's ranges and ours. A number of days is that many sessions. */
const RANGES: ReadonlyMap<string, string> = new Map([
  ["1mo", "1m"],
  ["3mo", "3m"],
  ["6mo", "6m"],
  ...["ytd", "1y", "2y", "5y", "10y", "max"].map((range) => [range, range] as const),
]);
/** Yahoo's names of our asset types. */
const TYPES: Readonly<Record<AssetType, string>> = {
  commodity: "FUTURE",
  cryptocurrency: "CRYPTOCURRENCY",
  currency: "CURRENCY",
  etf: "ETF",
  index: "INDEX",
  reit: "EQUITY",
  stock: "EQUITY",
};

/** Yahoo's chart API, as yahoo-finance2, yfinance and many portfolio programs call it. */
export const yahoo: FeedLayer = {
  name: "yahoo",
  title: "programs that read Yahoo's chart API",
  routes: { "/v8/finance/chart/:symbol": answerChart },
  names: { symbols: ["symbol"], from: ["period1"], to: ["period2"] },
  fail: ({ message }, status) =>
    jsonBody({
      chart: {
        result: null,
        error: { code: statusText(status), description: message },
      },
    }),
};

/** The chart of one symbol: bars with split and total return adjustment, and events. */
async function answerChart({ path, query, call, now }: FeedRequest): Promise<FeedBody> {
  const symbol = path["symbol"] ?? "";
  const interval = query.get("interval") ?? "1d";
  if (!INTERVALS.includes(interval)) {
    throw new BourseError(
      "invalid_argument",
      `interval must be one of ${INTERVALS.join(", ")}; there are no intraday bars.`,
    );
  }
  const instrument = await getShare(call, symbol);
  const { country } = instrument;
  const type = await findType(call, instrument);
  // Currencies and cryptocurrencies trade around the clock.
  const zone = type === "currency" || type === "cryptocurrency" ? null : country;
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
      ...metaOf({ instrument, type, zone, interval, range: query.get("range") ?? "", now }),
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

/** The country whose exchange trades an instrument; null if it trades around the clock, in UTC. */
type Zone = FeedInstrument["country"] | null;

/** Seconds since 1970 at which a session opens. */
function secondsOf(zone: Zone, date: string): number {
  if (zone === null) return Date.parse(date) / 1000;
  return sessionOpensAt(zone, date) / 1000;
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
    throw new BourseError(
      "invalid_argument",
      `range must be one of 1d, 5d, ${[...RANGES.keys()].join(", ")}.`,
    );
  }
  return { args: ours ? { range: ours } : { limit: Number(sessions) }, first: 0, end };
}

function readSeconds(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === "") return null;
  // A date is what people write by hand.
  const seconds = /^-?\d{1,11}$/.test(text) ? Number(text) : Date.parse(text) / 1000;
  if (Number.isFinite(seconds)) return seconds;
  throw new BourseError("invalid_argument", `${name} must be in seconds since 1970.`);
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
  const paid = bySecond(dividends, ([amount]) => ({ amount }));
  const split = bySecond(splits, ([numerator, denominator]) => ({
    numerator,
    denominator,
    splitRatio: `${numerator}:${denominator}`,
  }));
  const events = {
    ...(Object.keys(paid).length > 0 && { dividends: paid }),
    ...(Object.keys(split).length > 0 && { splits: split }),
  };
  return Object.keys(events).length > 0 ? { events } : {};
}

/** What the chart API says about the instrument and its newest session. */
function metaOf(chart: {
  readonly instrument: FeedInstrument;
  readonly type: AssetType;
  readonly zone: Zone;
  readonly interval: string;
  readonly range: string;
  readonly now: number;
}) {
  const { instrument, type, zone, interval, range, now } = chart;
  const { country, symbol, name, currency, price, session } = instrument;
  const date = session ?? "1970-01-01";
  const timeZone = zone === null ? "UTC" : COUNTRIES[zone].timeZone;
  const start = secondsOf(zone, date);
  const end = zone === null ? start + 86_400 : sessionOf(zone, date).closesAt / 1000;
  const gmtoffset = Date.parse(`${date}T${timeIn(timeZone, start * 1000)}Z`) / 1000 - start;
  const zoneName =
    new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "short" })
      .formatToParts(start * 1000)
      .find((part) => part.type === "timeZoneName")?.value ?? timeZone;
  const part = (from: number, to: number) => ({
    timezone: zoneName,
    start: from,
    end: to,
    gmtoffset,
  });
  return {
    currency: currency ?? COUNTRIES[country].currency,
    symbol: writeSymbol("yahoo", { country, symbol, type }),
    exchangeName: type === "currency" ? "CCY" : exchangeCode("yahooName", country),
    instrumentType: TYPES[type],
    // The price of a session that is still open is of now.
    regularMarketTime: Math.min(end, Math.floor(now / 1000)),
    gmtoffset,
    timezone: zoneName,
    exchangeTimezoneName: timeZone,
    regularMarketPrice: price,
    longName: name,
    shortName: name,
    priceHint: 2,
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
