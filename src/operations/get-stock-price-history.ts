import { type Static, type TSchema, Type } from "@sinclair/typebox";
import {
  BAR_INTERVALS,
  combineBars,
  type IntervalBars,
  intervalStart,
} from "#analytics/bar-intervals.ts";
import { multiplyPrices } from "#analytics/adjusted-prices.ts";
import { CountryCode } from "#domain/country.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { invalidArgument } from "#domain/errors.ts";
import { isShare } from "#domain/instrument.ts";
import { DateOutput, FigureOutput, Nullable, StringEnum, TableOutput } from "#domain/schema.ts";
import { addDays, dateOf } from "#lib/date.ts";
import type { Cell } from "#lib/table.ts";
import { roundPrice } from "#panels/format.ts";
import { CurrencyRates, rateNeeds } from "#rollups/currency-rates.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import {
  AdjustInputs,
  AdjustmentOutput,
  adjustmentOf,
  getAdjuster,
  recordsFor,
  whyNoSplits,
} from "./adjusted-prices.ts";
import { CurrencyInput, RatesOutput, ratesOf } from "./conversion.ts";
import type { DecodedArguments } from "./reading/decode.ts";
import { BeginsOutput, beginsOf, KnownToOutput, knownToOf } from "./horizon.ts";
import { DateInput, SymbolInput } from "./reading/inputs.ts";
import { getInstrument } from "./reading/instruments.ts";
import { instrumentNeeds } from "./needs.ts";
import { PRICE_FACTS } from "./known-day.ts";
import { defineOperation } from "./operation.ts";
import { dividendTable, splitTable, withEvents } from "./price-history-table.ts";
import {
  checkRange,
  FIRST_DATE,
  type PriceRange,
  RangeInput,
  rangeStart,
} from "./reading/price-range.ts";
import type { WhyMissing } from "./reasons.ts";
import { reasonOf, whyNoPrice } from "./price-reasons.ts";

const NAME = "get_stock_price_history";
const TITLE = "Price history";
const PATH = "/data/stocks/{symbol}/history";

/** Rows of a page, if a period is given without a limit, and at most over MCP. */
const MAX_ROWS = { close: 3_000, ohlcv: 600 } as const;
/** A limit above the number of sessions of any history. */
const ALL_BARS = 100_000;

const BAR_COLUMNS = ["date", "open", "high", "low", "close", "volume"] as const;

const inputWith = <T extends TSchema>(limit: T) =>
  Type.Object({
    country: CountryCode,
    symbol: SymbolInput,
    range: Type.Optional(RangeInput("Period up to the newest close.")),
    from: Type.Optional(DateInput("First date, instead of range", "first")),
    to: Type.Optional(DateInput("Last date", "last")),
    interval: Type.Optional({
      ...StringEnum(BAR_INTERVALS, {
        default: "1d",
        description: "Of a row.",
        aliases: {
          daily: "1d",
          日足: "1d",
          ngày: "1d",
          週足: "1wk",
          tuần: "1wk",
          月足: "1mo",
          tháng: "1mo",
          day: "1d",
          D: "1d",
          "1w": "1wk",
          "1week": "1wk",
          weekly: "1wk",
          week: "1wk",
          "1month": "1mo",
          monthly: "1mo",
          month: "1mo",
        },
      }),
      correction: correctInterval,
    }),
    fields: Type.Optional(
      StringEnum(["close", "ohlcv"], {
        default: "close",
        description: "ohlcv: bars instead of closes.",
      }),
    ),
    limit: Type.Optional(limit),
    before: Type.Optional(DateInput("next_before of the previous page")),
    ...AdjustInputs,
    currency: Type.Optional(CurrencyInput("USD or another, at each day's rate.")),
    row_rates: Type.Optional(Type.Boolean({ description: "Adds each row's rate." })),
    snapshot: Type.Optional(Type.Boolean({ description: "false leaves out month-ends." })),
    dividends: Type.Optional(Type.Boolean({ description: "Adds the period's." })),
    splits: Type.Optional(Type.Boolean({ description: "Adds the period's." })),
  });

const limitUpTo = (maximum: number, description: string) =>
  Type.Integer({ minimum: 1, maximum, description });

const input = inputWith(limitUpTo(MAX_ROWS.close, "Newest rows: up to 3000 closes or 600 bars."));
type Input = Static<typeof input>;

const restInput = inputWith(
  limitUpTo(
    ALL_BARS,
    "Newest rows. Without range, from and limit: all (US), or a year and month-ends (JP, VN). With a period: up to 3000 closes or 600 bars.",
  ),
);

/** What to use instead of bars of minutes or hours; `1m` is a minute. */
function correctInterval(text: string): string | undefined {
  return /^\d+ ?(?:m|mins?|minutes?|h|hrs?|hours?)$|^(?:hour|minute|intraday|tick)/i.test(text)
    ? "There are no intraday bars: use 1d, or 1mo for months."
    : undefined;
}

const Closes = {
  dates: Type.Array(DateOutput("Date of a session, YYYY-MM-DD.")),
  closes: Type.Array(
    FigureOutput("Close in `currency`: 177.39. Null on a day before the first stored rate."),
  ),
};

export const getStockPriceHistory = defineOperation({
  name: NAME,
  set: "prices",
  title: TITLE,
  description:
    "Returns a ticker's closes or bars, newest last, adjusted for splits unless adjust says otherwise: for range, or by default a year and the earlier month-ends in snapshot. For indicators use get_stock_technicals.",
  path: PATH,
  notRewound: PRICE_FACTS,
  input,
  complete: refuseManyBars,
  routes: [{ name: NAME, title: TITLE, path: PATH, input: restInput, complete: takeWholeSeries }],
  output: Type.Object({
    name: Type.String({ description: "Name of the instrument: Apple Inc." }),
    currency: Type.String({ description: "ISO code of the currency of prices: USD." }),
    adjustment: AdjustmentOutput,
    rates: Type.Optional(RatesOutput),
    row_rates: Type.Optional(
      Type.Object(TableOutput, {
        description: "With row_rates=true, and always in CSV: rate and rate_date of each row.",
      }),
    ),
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
    ...BeginsOutput,
    ...KnownToOutput,
    next_before: Nullable(
      Type.String({
        description: "Value of `before` for the next (older) page; null on the last page.",
      }),
    ),
    more: Type.Optional(
      Type.String({ description: "How to get the rest; left out on the last page." }),
    ),
    snapshot: Type.Optional(
      Type.Object(Closes, {
        description:
          "Without range, from, limit and before: last close of each earlier month. CSV leaves it out: its Link leads to all earlier rows.",
      }),
    ),
    dividends: Type.Optional(
      Nullable(
        Type.Object(TableOutput, {
          description:
            "Cash dividends of the period, oldest first: ex_date, amount per share, split-adjusted. Null if unknown. In CSV, the column dividend has them on the row of their session, week or month: 0 without one, empty if unknown.",
        }),
      ),
    ),
    splits: Type.Optional(
      Nullable(
        Type.Object(TableOutput, {
          description:
            "Splits of the period: ex_date, numerator (new shares), denominator (old shares). Null if unknown. In CSV, the column split has the number of new shares for one: 1 without a split, empty if unknown.",
        }),
      ),
    ),
    splits_unknown: Type.Optional(
      Type.String({ description: "Only if `splits` of a share is null: why, as a clause." }),
    ),
  }),
  table: (data) => ({
    ...withEvents(data),
    total: data.total,
    next: data.next_before === null ? null : { before: data.next_before },
  }),
  tableArguments: { row_rates: "true" },
  needs: (args) => [
    ...instrumentNeeds(
      args,
      ["bars"],
      [
        ...recordsFor(adjustmentOf(args)),
        ...(args.dividends ? ["dividends" as const] : []),
        ...(args.splits ? ["splits" as const] : []),
      ],
    ),
    ...(args.currency === undefined ? [] : rateNeeds(args.currency)),
  ],
  handle(args, { market, now }) {
    const { country, symbol, fields = "close" } = args;
    checkRange(args.range, args.from, args.to);
    const adjustment = adjustmentOf(args);
    const instrument = getInstrument(market, { country, symbol });
    const adjuster = getAdjuster(adjustment, {
      market,
      instrument,
      allCloses: () => market.bars.closes(instrument.id, ALL_BARS),
      today: dateOf(now),
    });
    const { currency: own } = instrument;
    const { currency = own } = args;
    const rates = new CurrencyRates(market);
    const subject: Subject = {
      market,
      instrument,
      toPrices: (stored) => {
        const bars = adjuster.bars(stored);
        if (currency === own) return bars;
        return multiplyPrices(bars, rates.list(own, currency, bars.dates));
      },
    };
    const period = periodOf(market, instrument, args);
    const { all, total, first, end, hasOlder } = readPage(subject, period, args);
    if (total === 0) refuseEmpty(market, instrument, args, dateOf(now));
    const dates = all.dates.slice(first, end);
    const nextBefore = hasOlder ? (all.firstDates[first] ?? null) : null;
    const paid = args.dividends ? market.documents.find("dividends", country, symbol) : null;
    const split = args.splits ? market.documents.find("splits", country, symbol) : null;
    const factorOn = (date: string) => rates.findOn(own, currency, date);
    const snapshot =
      isDefault(args) && args.snapshot !== false ? monthEnds(subject, period) : undefined;
    const tables = {
      ...(snapshot && { snapshot }),
      ...(args.dividends && { dividends: paid && dividendTable(paid, period, factorOn) }),
      ...(args.splits && { splits: split && splitTable(split, period) }),
      ...(args.splits &&
        split === null &&
        isShare(instrument.assetType) && { splits_unknown: whyNoSplits(country) }),
    };
    const used = ratesOf(rates);
    return {
      data: {
        name: instrument.name,
        currency,
        adjustment,
        ...(used.length > 0 && { rates: used }),
        ...(fields === "close"
          ? { dates, closes: Array.from(all.close.subarray(first, end), roundKnown) }
          : {
              bars: { columns: [...BAR_COLUMNS], rows: dates.map((_, i) => row(all, first + i)) },
            }),
        total,
        ...horizonOf(market, instrument, args),
        next_before: nextBefore,
        ...(nextBefore !== null && { more: howToGetMore(end - first, total, nextBefore, fields) }),
        ...tables,
        ...(currency !== own &&
          args.row_rates && { row_rates: rateTable(rates, own, currency, dates) }),
      },
      from: [
        market.bars.findProvenance(instrument.id) ?? instrument,
        ...adjuster.from,
        ...[paid, split].filter((one) => one !== null),
        ...rates.from,
      ],
      why: whyOfHistory(instrument),
    };
  },
});

/** Why prices, dividends or splits of an instrument are missing. */
const whyOfHistory =
  ({ country, symbol, assetType }: StoredInstrument): WhyMissing =>
  ({ figure, path, isList }) => {
    const isOfDividends = figure === "dividends" || path[0] === "dividends";
    const isOfSplits = figure === "splits" || path[0] === "splits";
    if (isOfDividends || isOfSplits) {
      if (isList) return "none";
      if (!isShare(assetType)) return "not_applicable";
      // An amount in another currency.
      if (path.length > 0) return "no_rate";
      return { kind: isOfDividends ? "dividends" : "splits", country, symbol };
    }
    if (isList) return path[0] === "snapshot" ? "none" : { kind: "bars", country, symbol };
    return figure === "volume" ? "not_published" : "no_rate";
  };

/** An instrument. */
interface Subject {
  readonly market: MarketStore;
  readonly instrument: StoredInstrument;
  /** Adjusts and converts stored bars. */
  readonly toPrices: (bars: BarSeries) => BarSeries;
}

function findNewest(market: MarketStore, { id }: StoredInstrument): string | undefined {
  return market.bars.listNewest(id, 1)[0]?.date;
}

/** True for a call of the newest year and of earlier month-ends. */
function isDefault({ range, from, limit, before }: Partial<Input>): boolean {
  return (range ?? from ?? limit ?? before) === undefined;
}

/** Over REST, a call for a US ticker without a period is one for all rows. */
function takeWholeSeries(args: Partial<Input>): DecodedArguments {
  return args.country === "US" && isDefault(args) ? { ...args, limit: ALL_BARS } : args;
}

/** @throws BourseError for a limit of bars that is allowed over REST only */
function refuseManyBars(args: Partial<Input>): DecodedArguments {
  if (args.fields !== "ohlcv" || (args.limit ?? 0) <= MAX_ROWS.ohlcv) return args;
  throw invalidArgument(
    `limit must be at most ${MAX_ROWS.ohlcv} with fields=ohlcv, not ${args.limit}. Get the older bars with before.`,
    { param: "limit" },
  );
}

/** All pages have the rows from `start` to before `end`; the newest year begins at `yearFrom`. Dates. */
interface Period {
  readonly start: string;
  readonly yearFrom: string;
  readonly end: string | undefined;
}

/**
 * A range begins with the last session at or before its start date, so that its first and its last close
 * give its return.
 */
function periodOf(
  market: MarketStore,
  instrument: StoredInstrument,
  { range = "max", from, to }: Input,
): Period {
  const newest = findNewest(market, instrument);
  const startOf = (one: PriceRange, last: string | undefined) => {
    const start = last === undefined ? FIRST_DATE : rangeStart(one, last);
    return market.bars.findAtOrBefore(instrument.id, start)?.date ?? start;
  };
  return {
    start: from ?? startOf(range, newest),
    yearFrom: startOf("1y", to !== undefined && newest !== undefined && to < newest ? to : newest),
    end: to === undefined ? undefined : addDays(to, 1),
  };
}

/** The rows of the page: `all` from `first` to before `end`. `total` counts the rows of all pages. */
function readPage(
  { market, instrument: { id }, toPrices }: Subject,
  { start, yearFrom, end: periodEnd }: Period,
  args: Input,
) {
  const { limit, before, interval = "1d", fields = "close" } = args;
  const isYear = isDefault(args);
  const rows = limit ?? (isYear ? ALL_BARS : MAX_ROWS[fields]);
  const isWithin = before !== undefined && (periodEnd === undefined || before < periodEnd);
  // Reading ten years takes a millisecond, so a page of sessions is read alone, with one more session if
  // there is an older page.
  const isPage = interval === "1d";
  // The oldest week or month is whole, so that its bar is the same for every period.
  const wholeFrom = () => {
    const oldest = market.bars.findOnOrAfter(id, start);
    return oldest ? intervalStart(oldest.date, interval) : start;
  };
  const read = isPage
    ? market.bars.series(id, Math.min(rows, ALL_BARS - 1) + 1, {
        from: isYear ? yearFrom : start,
        before: isWithin ? before : periodEnd,
      })
    : market.bars.series(id, ALL_BARS, { from: wholeFrom(), before: periodEnd });
  const all = combineBars(toPrices(read), interval);
  const { dates } = all;
  const end = before === undefined ? dates.length : dates.filter((date) => date < before).length;
  const total = isPage ? market.bars.count(id, start, periodEnd) : dates.length;
  const first = isYear
    ? Math.max(
        0,
        dates.findIndex((date) => date >= yearFrom),
      )
    : Math.max(0, end - rows);
  return { all, total, first, end, hasOlder: first > 0 || (isYear && total > dates.length) };
}

/** The first stored session, if the asked period starts earlier, and the newest one, if it ends later. */
function horizonOf(market: MarketStore, instrument: StoredInstrument, { range, from, to }: Input) {
  const newest = findNewest(market, instrument);
  const isOpen = range === undefined || range === "max" || newest === undefined;
  const asked = from ?? (isOpen ? undefined : rangeStart(range, newest));
  const isStored = asked === undefined || market.bars.findAtOrBefore(instrument.id, asked) !== null;
  const oldest = isStored ? undefined : market.bars.findOnOrAfter(instrument.id)?.date;
  return { ...beginsOf(oldest, asked), ...knownToOf(newest, to) };
}

/** @throws BourseError if the instrument has prices, but none from `from` to `to` */
function refuseEmpty(
  market: MarketStore,
  instrument: StoredInstrument,
  { from, to }: Input,
  today: string,
): void {
  const oldest = market.bars.findOnOrAfter(instrument.id, "0000-01-01")?.date;
  if (oldest === undefined || (from ?? to) === undefined) return;
  const period = [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(" ");
  throw invalidArgument(
    `${instrument.symbol} has no session ${period}: its prices begin on ${oldest} and end on ${findNewest(market, instrument)}.`,
    {
      param: from === undefined ? "to" : "from",
      noData: true,
      ...reasonOf(whyNoPrice(market, instrument, { from, to, today })),
    },
  );
}

function row({ dates, open, high, low, close, volume }: IntervalBars, i: number): Cell[] {
  const [date = null, traded = Number.NaN] = [dates[i], volume[i]];
  const prices = [open, high, low, close].map((column) => roundKnown(column[i] ?? Number.NaN));
  return [date, ...prices, Number.isNaN(traded) ? null : traded];
}

/** Null for a price of a day without a rate. */
const roundKnown = (price: number) => (Number.isNaN(price) ? null : roundPrice(price));

/** The rate of each date, and the date of that rate. */
function rateTable(rates: CurrencyRates, from: string, to: string, dates: readonly string[]) {
  const rows = dates.map((date): Cell[] => {
    const { rate = null, date: day = null } = rates.getOn(from, to, date) ?? {};
    return [rate && roundPrice(rate), day];
  });
  return { columns: ["rate", "rate_date"], rows };
}

function howToGetMore(
  shown: number,
  total: number,
  nextBefore: string,
  fields: keyof typeof MAX_ROWS,
): string {
  const where = total > MAX_ROWS[fields] ? ", over REST only" : "";
  return `${shown} of ${total} rows. A period: range=5y, or from and to. Older rows: before=${nextBefore} and limit. Fewer rows for a long period: interval=1wk or 1mo. All at once${where}: limit=${total}.`;
}

/** The last close of each month before the newest year. */
function monthEnds({ market, instrument: { id }, toPrices }: Subject, period: Period) {
  const { start, yearFrom, end } = period;
  const bars = market.bars.series(id, ALL_BARS, { from: start, before: end });
  const { dates, close } = combineBars(toPrices(bars), "1mo");
  const earlier = dates.filter((date) => date < yearFrom);
  return { dates: earlier, closes: Array.from(close.subarray(0, earlier.length), roundKnown) };
}
