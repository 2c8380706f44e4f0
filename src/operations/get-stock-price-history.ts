import { type Static, type TSchema, Type } from "@sinclair/typebox";
import {
  BAR_INTERVALS,
  combineBars,
  type IntervalBars,
  intervalStart,
} from "#analytics/bar-intervals.ts";
import { CountryCode } from "#domain/country.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { BourseError } from "#domain/errors.ts";
import { DateOutput, Nullable, StringEnum, TableOutput } from "#domain/schema.ts";
import { addDays } from "#lib/date.ts";
import { type Cell, tableOf } from "#lib/table.ts";
import { roundPrice } from "#panels/format.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { DateInput, SymbolInput } from "./inputs.ts";
import { getInstrument } from "./instruments.ts";
import { instrumentNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";
import { checkRange, FIRST_DATE, type PriceRange, RangeInput, rangeStart } from "./price-range.ts";

const NAME = "get_stock_price_history";
const TITLE = "Price history";
const PATH = "/data/stocks/{symbol}/history";

/** Without a period: about 1,200 tokens, and 1,400 more with the month-ends of ten years. */
const DEFAULT_ROWS = 100;
/** With a period, and at most over MCP: more bars with all prices would exceed 20,000 tokens. */
const PERIOD_ROWS = 600;
/** A limit above the number of sessions of any history. */
const ALL_BARS = 100_000;

const BAR_COLUMNS = ["date", "open", "high", "low", "close", "volume"] as const;

const inputWith = <T extends TSchema>(limit: T) =>
  Type.Object({
    country: CountryCode,
    symbol: SymbolInput,
    range: Type.Optional(RangeInput("Period up to the newest close.")),
    from: Type.Optional(DateInput("First date, instead of range")),
    to: Type.Optional(DateInput("Last date")),
    interval: Type.Optional(
      StringEnum(BAR_INTERVALS, {
        default: "1d",
        description: "Session, week or month.",
        aliases: { daily: "1d", "1w": "1wk", weekly: "1wk", monthly: "1mo" },
      }),
    ),
    fields: Type.Optional(
      StringEnum(["close", "ohlcv"], {
        default: "close",
        description: "ohlcv: bars instead of closes.",
      }),
    ),
    limit: Type.Optional(limit),
    before: Type.Optional(DateInput("next_before of the previous page")),
    adjusted: Type.Optional(Type.Boolean({ description: "true: raw prices are not stored." })),
    snapshot: Type.Optional(Type.Boolean({ description: "false leaves out month-ends." })),
    dividends: Type.Optional(Type.Boolean({ description: "Adds those of the period." })),
  });

const limitUpTo = (maximum: number) =>
  Type.Integer({
    minimum: 1,
    maximum,
    description: `Newest rows: ${DEFAULT_ROWS} by default, ${PERIOD_ROWS} with range or from.`,
  });

const input = inputWith(limitUpTo(PERIOD_ROWS));
type Input = Static<typeof input>;

const Closes = {
  dates: Type.Array(DateOutput("Date of a session, YYYY-MM-DD.")),
  closes: Type.Array(Type.Number({ description: "Close of the session in `currency`: 177.39." })),
};

export const getStockPriceHistory = defineOperation({
  name: NAME,
  title: TITLE,
  description:
    "Returns a ticker's closes or bars, newest last, adjusted for splits, not dividends. US: the full series in pages. JP and VN: a year, and earlier month-ends in snapshot, unless from or interval is given. For indicators use get_stock_technicals.",
  path: PATH,
  input,
  routes: [{ name: NAME, title: TITLE, path: PATH, input: inputWith(limitUpTo(ALL_BARS)) }],
  output: Type.Object({
    name: Type.String({ description: "Name of the instrument: Apple Inc." }),
    currency: Type.String({ description: "ISO code of the currency of prices: USD." }),
    dates: Type.Optional(
      Type.Array(DateOutput("Date of the session, or of the last one of a week or month.")),
    ),
    closes: Type.Optional(Closes.closes),
    bars: Type.Optional(
      Type.Object(TableOutput, {
        description:
          "With fields=ohlcv instead of dates and closes: date, open, high, low, close, volume.",
      }),
    ),
    total: Type.Integer({ description: "Number of rows in the period, on all pages." }),
    next_before: Nullable(
      Type.String({
        description: "Value of `before` for the next (older) page; null on the last page.",
      }),
    ),
    more: Type.Optional(
      Type.String({ description: "How to get the rest; left out on the last page." }),
    ),
    snapshot: Type.Optional(
      Type.Object(Closes, { description: "JP and VN: last close of each earlier month." }),
    ),
    dividends: Type.Optional(
      Nullable(
        Type.Object(TableOutput, {
          description:
            "Cash dividends of the period, oldest first: ex_date, amount per share, split-adjusted. Null if unknown.",
        }),
      ),
    ),
  }),
  table: ({ dates = [], closes = [], bars, total, next_before: before }) => ({
    ...(bars ??
      tableOf(
        ["date", "close"],
        dates.map((date, i) => ({ date, close: closes[i] })),
      )),
    total,
    next: before === null ? null : { before },
  }),
  needs: (args) => instrumentNeeds(args, ["bars"], args.dividends ? ["dividends"] : []),
  handle(args, { market }) {
    const { country, symbol, fields = "close" } = args;
    checkArguments(args);
    const instrument = getInstrument(market, { country, symbol });
    const period = periodOf(market, instrument, args);
    const { all, total, first, end } = readPage(market, instrument, period, args);
    if (total === 0) refuseEmpty(market, instrument, args);
    const dates = all.dates.slice(first, end);
    const nextBefore = first > 0 ? (all.firstDates[first] ?? null) : null;
    const paid = args.dividends ? market.documents.find("dividends", country, symbol) : null;
    return {
      data: {
        name: instrument.name,
        currency: instrument.currency,
        ...(fields === "close"
          ? { dates, closes: Array.from(all.close.subarray(first, end), roundPrice) }
          : {
              bars: { columns: [...BAR_COLUMNS], rows: dates.map((_, i) => row(all, first + i)) },
            }),
        total,
        next_before: nextBefore,
        ...(nextBefore !== null && { more: howToGetMore(end - first, total, nextBefore) }),
        ...(country !== "US" &&
          args.snapshot !== false && { snapshot: monthEnds(market, instrument, period) }),
        ...(args.dividends && { dividends: paid && dividendTable(paid, period) }),
      },
      from: [market.bars.findProvenance(instrument.id) ?? instrument, ...(paid ? [paid] : [])],
    };
  },
});

/** @throws BourseError if arguments contradict each other, or if raw prices are asked for */
function checkArguments({ range, from, to, adjusted }: Input): void {
  checkRange(range, from, to);
  if (adjusted === false) {
    throw new BourseError(
      "invalid_argument",
      "adjusted must be true: unadjusted prices are not stored. Prices are adjusted for splits, not for dividends.",
      { param: "adjusted" },
    );
  }
}

function findNewest(market: MarketStore, { id }: StoredInstrument): string | undefined {
  return market.bars.listNewest(id, 1)[0]?.date;
}

/** Dates: snapshot from `start`, rows from `rowsFrom`, both before `end`. */
interface Period {
  readonly start: string;
  readonly rowsFrom: string;
  readonly end: string | undefined;
}

/**
 * For JP and VN, rows by session begin a year before the newest, unless `from` is given. A range begins with
 * the last session at or before its start date, so that its first and last closes give its return.
 */
function periodOf(
  market: MarketStore,
  instrument: StoredInstrument,
  { country, range = "max", from, to, interval = "1d" }: Input,
): Period {
  const newest = findNewest(market, instrument) ?? FIRST_DATE;
  const end = to === undefined ? undefined : addDays(to, 1);
  const startOf = (one: PriceRange, last: string) => {
    const start = rangeStart(one, last);
    return market.bars.findAtOrBefore(instrument.id, start)?.date ?? start;
  };
  const start = from ?? startOf(range, newest);
  if (country === "US" || from !== undefined || interval !== "1d") {
    return { start, rowsFrom: start, end };
  }
  const yearAgo = startOf("1y", to !== undefined && to < newest ? to : newest);
  return { start, rowsFrom: start > yearAgo ? start : yearAgo, end };
}

/** The rows of the page, in `all` from `first` to `end`, exclusive. `total` counts those of all pages. */
function readPage(
  market: MarketStore,
  { id }: StoredInstrument,
  { rowsFrom, end: periodEnd }: Period,
  { range, from, to, limit, before, interval = "1d" }: Input,
) {
  const rows = limit ?? ((range ?? from ?? to) === undefined ? DEFAULT_ROWS : PERIOD_ROWS);
  const isWithin = before !== undefined && (periodEnd === undefined || before < periodEnd);
  // Reading ten years takes a millisecond, so a page of sessions is read alone, with one more session if
  // there is an older page.
  const isPage = interval === "1d";
  // The oldest week or month is whole, so that its bar is the same for every period.
  const wholeFrom = () => {
    const oldest = market.bars.findOnOrAfter(id, rowsFrom);
    return oldest ? intervalStart(oldest.date, interval) : rowsFrom;
  };
  const read = isPage
    ? market.bars.series(id, rows + 1, { from: rowsFrom, before: isWithin ? before : periodEnd })
    : market.bars.series(id, ALL_BARS, { from: wholeFrom(), before: periodEnd });
  const all = combineBars(read, interval);
  const { dates } = all;
  const end = before === undefined ? dates.length : dates.filter((date) => date < before).length;
  const total = isPage ? market.bars.count(id, rowsFrom, periodEnd) : dates.length;
  return { all, total, first: Math.max(0, end - rows), end };
}

/** @throws BourseError if the instrument has prices, but none from `from` to `to` */
function refuseEmpty(market: MarketStore, instrument: StoredInstrument, { from, to }: Input): void {
  const oldest = market.bars.findOnOrAfter(instrument.id, "0000-01-01")?.date;
  if (oldest === undefined || (from ?? to) === undefined) return;
  const period = [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(" ");
  throw new BourseError(
    "invalid_argument",
    `${instrument.symbol} has no session ${period}: its prices begin on ${oldest} and end on ${findNewest(market, instrument)}.`,
    { param: from === undefined ? "to" : "from" },
  );
}

function row({ dates, open, high, low, close, volume }: IntervalBars, i: number): Cell[] {
  const [date = null, traded = Number.NaN] = [dates[i], volume[i]];
  const prices = [open, high, low, close].map((column) => roundPrice(column[i] ?? 0));
  return [date, ...prices, Number.isNaN(traded) ? null : traded];
}

function howToGetMore(shown: number, total: number, nextBefore: string): string {
  const where = total > PERIOD_ROWS ? ", over REST only" : "";
  return `${shown} of ${total} rows. Older ones: before=${nextBefore}. Fewer rows for a long period: interval=1wk or 1mo. All at once${where}: limit=${total}.`;
}

function dividendTable({ dividends }: DividendHistory, { start, end }: Period) {
  const within = dividends.filter(
    ({ exDate }) => exDate >= start && (end === undefined || exDate < end),
  );
  return {
    columns: ["ex_date", "amount"],
    rows: within.map(({ exDate, amount }): Cell[] => [exDate, roundPrice(amount)]),
  };
}

/** The last close of each month before the rows. */
function monthEnds(market: MarketStore, { id }: StoredInstrument, period: Period) {
  const { start, rowsFrom, end } = period;
  const bars = market.bars.series(id, ALL_BARS, { from: start, before: end });
  const { dates, close } = combineBars(bars, "1mo");
  const earlier = dates.filter((date) => date < rowsFrom);
  return { dates: earlier, closes: Array.from(close.subarray(0, earlier.length), roundPrice) };
}
