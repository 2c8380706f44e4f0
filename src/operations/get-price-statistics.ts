import { type Static, Type } from "@sinclair/typebox";
import {
  beta,
  type Closes,
  commonSessions,
  correlations,
  maxDrawdownPercent,
  NO_CLOSES,
  sessionsPerYear,
  volatilityPercent,
} from "#analytics/price-statistics.ts";
import { changePercent } from "#analytics/performance.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { DateOutput, DateText, Nullable, TableOutput } from "#domain/schema.ts";
import { addDays, dateOf, isDate } from "#lib/date.ts";
import type { Cell } from "#lib/table.ts";
import { round2, roundPrice } from "#panels/format.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { InputKeywords } from "./decode.ts";
import { DateInput, SymbolListInput } from "./inputs.ts";
import { symbolListNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";
import { checkRange, RangeInput, rangeStart } from "./price-range.ts";
import { formatKey, requireSymbols, UnknownSymbolsOutput } from "./symbols.ts";

const MAX_SYMBOLS = 10;
const MAX_DATES = 20;
/** A limit above the number of sessions of any history. */
const ALL_BARS = 100_000;

const COLUMNS = [
  "country",
  "symbol",
  "name",
  "currency",
  "first_session",
  "first_close",
  "last_session",
  "last_close",
  "sessions",
  "return",
  "volatility",
  "max_drawdown",
  "beta",
  "index",
];
const DATE_COLUMNS = ["country", "symbol", "date", "session", "close", "change_since"];

const input = Type.Object({
  symbols: SymbolListInput(MAX_SYMBOLS, "US:AAPL,JP:7203,^GSPC,^N225,VNINDEX"),
  range: Type.Optional(RangeInput("Period up to the newest close, 1y by default.")),
  from: Type.Optional(DateInput("First date, instead of range")),
  to: Type.Optional(DateInput("Last date")),
  dates: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: MAX_DATES * 12,
      maxItems: MAX_DATES,
      each: DateText,
      accepts: (text: string) => text.split(",").every(isDate),
      description: `Up to ${MAX_DATES} dates, comma-separated, whose closes are returned.`,
      example: "2026-03-02,2026-06-01",
      expected: `1 to ${MAX_DATES} dates that exist, YYYY-MM-DD, separated by commas`,
    } satisfies InputKeywords & Parameters<typeof Type.String>[0]),
  ),
});

export const getPriceStatistics = defineOperation({
  name: "get_price_statistics",
  title: "Price statistics",
  description:
    "Returns what past prices of up to 10 symbols say: return, annual volatility, maximum drawdown and beta over a period, correlations, closes on given dates. For the prices themselves use get_stock_price_history, for current figures compare_stocks.",
  path: "/data/prices/statistics",
  input,
  output: Type.Object({
    ...TableOutput,
    columns: {
      ...TableOutput.columns,
      description:
        "Names of the columns. return (last / first close), volatility (standard deviation of daily returns × √252, of cryptocurrencies × √365) and max_drawdown are in percent; beta is to the index of the country.",
    },
    session: Nullable(
      DateOutput("Newest session of all rows, YYYY-MM-DD; null without prices in the period."),
    ),
    correlation: Nullable(
      Type.Object(
        {
          symbols: Type.Array(Type.String({ description: "Symbol with its country: US:AAPL." }), {
            description: "The symbols of the rows and columns of `matrix`.",
          }),
          sessions: Type.Integer({ description: "Sessions on which all symbols have a close." }),
          matrix: Type.Array(
            Type.Array(Nullable(Type.Number({ description: "−1 to 1; null if undefined." }))),
          ),
        },
        {
          description:
            "Correlations of the daily returns over the common sessions; null for one symbol.",
        },
      ),
    ),
    closes: Nullable(
      Type.Object(TableOutput, {
        description:
          "For `dates`: the newest session on or before each date, its close, and the change from it to the newest close in percent. Null without dates.",
      }),
    ),
    unknown: UnknownSymbolsOutput,
  }),
  table: ({ columns, rows }) => ({ columns, rows }),
  needs: ({ symbols }) => symbolListNeeds(symbols, ["bars"]),
  handle(args, { market, now }) {
    checkRange(args.range, args.from, args.to);
    const { found, unknown } = requireSymbols(market, args.symbols);
    const { start, end } = periodOf(market, found, args, dateOf(now));
    const histories = found.map((instrument) => ({
      instrument,
      closes: market.bars.closes(instrument.id, ALL_BARS, { from: start, before: end }),
    }));
    if (histories.every(({ closes }) => closes.dates.length === 0))
      refuseEmpty(market, found, args);
    const indexes = new Map<Country, Closes>();
    for (const { country } of found) {
      if (!indexes.has(country)) indexes.set(country, indexCloses(market, country, start, end));
    }
    const newest = histories.flatMap(({ closes }) => closes.dates.at(-1) ?? []).toSorted();
    return {
      data: {
        columns: COLUMNS,
        rows: histories.map(({ instrument, closes }) =>
          statisticsRow(instrument, closes, indexes.get(instrument.country) ?? NO_CLOSES),
        ),
        session: newest.at(-1) ?? null,
        correlation: found.length > 1 ? correlationsOf(histories) : null,
        closes: args.dates === undefined ? null : closesOn(market, found, args.dates),
        unknown: [...unknown],
      },
      from: found.map((instrument) => market.bars.findProvenance(instrument.id) ?? instrument),
    };
  },
});

/** The first date, and the date after the last one; undefined without `to`. */
function periodOf(
  market: MarketStore,
  instruments: readonly StoredInstrument[],
  { range, from, to }: Static<typeof input>,
  today: string,
): { start: string; end: string | undefined } {
  const newest = instruments
    .flatMap(({ id }) => market.bars.listNewest(id, 1).map(({ date }) => date))
    .toSorted()
    .at(-1);
  // With `to` alone, the year before it.
  const last = to !== undefined && to < (newest ?? today) ? to : (newest ?? today);
  return {
    start: from ?? rangeStart(range ?? "1y", last, today),
    end: to === undefined ? undefined : addDays(to, 1),
  };
}

/** @throws BourseError if the first symbol has prices, but none of that period */
function refuseEmpty(
  market: MarketStore,
  [instrument]: readonly StoredInstrument[],
  { from, to }: Static<typeof input>,
): void {
  const [newest] = instrument ? market.bars.listNewest(instrument.id, 1) : [];
  if (!instrument || !newest) return;
  const oldest = market.bars.findOnOrAfter(instrument.id, "0000-01-01");
  throw new BourseError(
    "invalid_argument",
    `There is no session in this period. The prices of ${formatKey(instrument)} begin on ${oldest?.date} and end on ${newest.date}.`,
    { param: from === undefined && to !== undefined ? "to" : "from" },
  );
}

function indexCloses(
  market: MarketStore,
  country: Country,
  from: string,
  before: string | undefined,
): Closes {
  const index = market.instruments.find({ country, symbol: COUNTRIES[country].indexSymbol });
  return index ? market.bars.closes(index.id, ALL_BARS, { from, before }) : NO_CLOSES;
}

function statisticsRow(
  { country, symbol, name, currency, assetType }: StoredInstrument,
  { dates, close }: Closes,
  index: Closes,
): Cell[] {
  const [first = null, last = null] = [close[0], close.at(-1)];
  const [own, market] = commonSessions([{ dates, close }, index]).closes;
  return [
    country,
    symbol,
    name,
    assetType === "index" ? null : currency,
    dates[0] ?? null,
    first === null ? null : roundPrice(first),
    dates.at(-1) ?? null,
    last === null ? null : roundPrice(last),
    dates.length,
    round2(changePercent(last, first)),
    round2(volatilityPercent(close, sessionsPerYear(assetType))),
    round2(maxDrawdownPercent(close)),
    round2(own && market ? beta(own, market) : null),
    COUNTRIES[country].indexSymbol,
  ];
}

function correlationsOf(
  histories: readonly { readonly instrument: StoredInstrument; readonly closes: Closes }[],
) {
  const { dates, closes } = commonSessions(histories.map((one) => one.closes));
  return {
    symbols: histories.map(({ instrument }) => formatKey(instrument)),
    sessions: dates.length,
    matrix: correlations(closes).map((row) => row.map(round2)),
  };
}

function closesOn(market: MarketStore, instruments: readonly StoredInstrument[], dates: string) {
  return {
    columns: DATE_COLUMNS,
    rows: instruments.flatMap(({ id, country, symbol }) => {
      const [newest] = market.bars.listNewest(id, 1);
      return dates.split(",").map((date): Cell[] => {
        const bar = market.bars.findAtOrBefore(id, date);
        const change = changePercent(newest?.close ?? null, bar?.close ?? null);
        return [
          country,
          symbol,
          date,
          bar?.date ?? null,
          bar ? roundPrice(bar.close) : null,
          round2(change),
        ];
      });
    }),
  };
}
