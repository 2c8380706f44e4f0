import { type Static, Type } from "@sinclair/typebox";
import {
  beta,
  commonSessions,
  correlations,
  maxDrawdown,
  NO_CLOSES,
  sessionsPerYear,
  volatilityPercent,
} from "#analytics/price-statistics.ts";
import { changePercent } from "#analytics/performance.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import type { Provenance } from "#domain/records.ts";
import { DateOutput, DateText, Nullable, TableOutput } from "#domain/schema.ts";
import type { Adjustment } from "#domain/split.ts";
import { dateOf, isDate } from "#lib/date.ts";
import type { Cell, Table } from "#lib/table.ts";
import { round2, roundPrice } from "#panels/format.ts";
import { type Prices, pricesOf } from "#rollups/prices.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { InputKeywords } from "./decode.ts";
import {
  AdjustInputs,
  type AdjusterInputs,
  AdjustmentOutput,
  adjustmentOf,
  findAdjuster,
  getAdjuster,
  type PriceAdjuster,
} from "./adjusted-prices.ts";
import { DateInput, SymbolListInput } from "./inputs.ts";
import { symbolListNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";
import { checkRange, FIRST_DATE, RangeInput, rangeStart } from "./price-range.ts";
import { readDate } from "./written-dates.ts";
import { formatKey, requireSymbols, unknownRows, UnknownSymbolsOutput } from "./symbols.ts";

const MAX_SYMBOLS = 10;
const MAX_DATES = 20;
const COLUMNS = [
  "country",
  "symbol",
  "name",
  "currency",
  "from_session",
  "from_close",
  "to_session",
  "to_close",
  "sessions",
  "return",
  "total_return",
  "volatility",
  "max_drawdown",
  "beta",
  "index",
];
const DATE_FIGURES = ["session", "close", "change_since"];
const DATE_COLUMNS = ["country", "symbol", "date", ...DATE_FIGURES];

const input = Type.Object({
  symbols: SymbolListInput(MAX_SYMBOLS, "US:AAPL,JP:7203,^GSPC,^N225,VNINDEX"),
  range: Type.Optional(RangeInput("Period up to each symbol's newest close, 1y by default.")),
  from: Type.Optional(DateInput("Start date, instead of range", "first")),
  to: Type.Optional(DateInput("Last date", "last")),
  dates: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: MAX_DATES * 12,
      maxItems: MAX_DATES,
      each: { ...DateText, understands: (text: string) => readDate(text) },
      accepts: (text: string) => text.split(",").every(isDate),
      description: `Up to ${MAX_DATES} dates, comma-separated, whose closes are returned.`,
      example: "2026-03-02,2026-06-01",
      expected: `1 to ${MAX_DATES} dates that exist, YYYY-MM-DD, separated by commas`,
    } satisfies InputKeywords & Parameters<typeof Type.String>[0]),
  ),
  ...AdjustInputs,
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
        "Names of the columns. return is to_close / from_close − 1, where from_close is the last close at or before the start date; null if the prices begin later. total_return has reinvested dividends; null if they are unknown. volatility (standard deviation of daily returns × √252, of cryptocurrencies × √365) and max_drawdown are in percent; beta is to the index of the country. With adjust=total all figures have dividends; with none only closes are as traded.",
    },
    adjustment: AdjustmentOutput,
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
    notes: Type.Optional(
      Type.Array(Type.String({ description: "Why figures of a symbol are null." })),
    ),
    unknown: UnknownSymbolsOutput,
  }),
  table(data) {
    const { columns, rows } = withParts(data);
    return { columns, rows: [...rows, ...unknownRows(data.unknown, columns)] };
  },
  needs: ({ symbols }) => symbolListNeeds(symbols, ["bars", "dividends"]),
  handle(args, { market, now }) {
    checkRange(args.range, args.from, args.to);
    const adjustment = adjustmentOf(args);
    const { found, unknown } = requireSymbols(market, args.symbols);
    const today = dateOf(now);
    const histories = found.map((instrument) =>
      readHistory(adjustment, { market, instrument, today }, args),
    );
    if (histories.every(({ closes }) => closes.dates.length === 0))
      refuseEmpty(market, found, args);
    const indexes = new Map<Country, Prices | null>();
    for (const { country } of found) {
      if (!indexes.has(country)) indexes.set(country, indexPrices(market, country));
    }
    const notes = histories.flatMap(({ reason }) => reason ?? []);
    const newest = histories.flatMap(({ closes }) => closes.dates.at(-1) ?? []).toSorted();
    return {
      data: {
        columns: COLUMNS,
        rows: histories.map((history) =>
          statisticsRow(history, indexes.get(history.instrument.country) ?? null),
        ),
        adjustment,
        session: newest.at(-1) ?? null,
        correlation: found.length > 1 ? correlationsOf(histories) : null,
        closes: args.dates === undefined ? null : closesOn(histories, args.dates),
        ...(notes.length > 0 && { notes }),
        unknown: [...unknown],
      },
      from: histories.flatMap(({ instrument, from }) => (from.length > 0 ? from : [instrument])),
    };
  },
});

/** The statistics with the correlations and closes of each row, for CSV. */
function withParts({
  columns,
  rows,
  correlation,
  closes,
}: Table & {
  readonly correlation: ReturnType<typeof correlationsOf> | null;
  readonly closes: Table | null;
}): Table {
  const { symbols = [], matrix = [] } = correlation ?? {};
  const dates = [...new Set(closes?.rows.map(([, , date]) => date))];
  const isOf = (row: readonly Cell[]) => (one: readonly Cell[]) =>
    one[0] === row[0] && one[1] === row[1];
  return {
    columns: [
      ...columns,
      ...symbols.map((symbol) => `correlation_${symbol}`),
      ...dates.flatMap((date) => DATE_FIGURES.map((name) => `${name}_${date}`)),
    ],
    rows: rows.map((row) => {
      const own = closes?.rows.filter(isOf(row)) ?? [];
      const coefficients = matrix[symbols.indexOf(row.slice(0, 2).join(":"))];
      return [
        ...row,
        ...symbols.map((_, i) => coefficients?.[i] ?? null),
        ...dates.flatMap((day) => {
          const found = own.find(([, , date]) => date === day);
          return DATE_FIGURES.map((_, i) => found?.[3 + i] ?? null);
        }),
      ];
    }),
  };
}

/** An instrument with its closes of the period. */
interface History extends ReturnType<typeof closesOf> {
  readonly instrument: StoredInstrument;
  /** The closes of the answer; null if they are unknown. */
  readonly shown: Prices | null;
  /** The closes behind the figures; null if they are unknown. */
  readonly figures: Prices | null;
  readonly totalReturnPercent: number | null;
  /** Why figures are null; null if they are known. */
  readonly reason: string | null;
  readonly from: readonly Provenance[];
}

/**
 * Reads the closes of an instrument in the period. Figures are computed from closes that are adjusted for
 * splits at least: a split is no loss.
 */
function readHistory(
  adjustment: Adjustment,
  inputs: Omit<AdjusterInputs, "allCloses">,
  args: Static<typeof input>,
): History {
  const { market, instrument } = inputs;
  const quote = market.documents.find("quotes", instrument.country, instrument.symbol);
  const prices = pricesOf(market, instrument, quote);
  const allCloses = () => prices.list(FIRST_DATE, prices.newest?.date ?? FIRST_DATE);
  const find = (one: Adjustment) => findAdjuster(one, { ...inputs, allCloses });
  const total = find("total");
  const totals = total.adjuster && adjustPrices(prices, total.adjuster);
  const raw = adjustment === "none" ? getAdjuster("none", { ...inputs, allCloses }) : null;
  const figures = adjustment === "total" ? totals : prices;
  return {
    instrument,
    ...closesOf(figures ?? prices, args),
    figures,
    shown: raw ? adjustPrices(prices, raw) : figures,
    totalReturnPercent: totals && closesOf(totals, args).returnPercent,
    reason: adjustment === "total" ? total.reason : null,
    from: [...prices.from, ...(raw ?? total.adjuster ?? { from: [] }).from],
  };
}

/** The prices after an adjustment. */
function adjustPrices(prices: Prices, { closes }: PriceAdjuster): Prices {
  return {
    ...prices,
    findClose(date) {
      const found = prices.findClose(date);
      if (!found) return null;
      const { close } = closes({ dates: [found.date], close: Float64Array.of(found.close) });
      return { date: found.date, close: close[0] ?? Number.NaN };
    },
    list: (from, to) => closes(prices.list(from, to)),
  };
}

/**
 * The closes of the period, and their return in percent. The first is the last close at or before the start
 * date. The last is the instrument's newest close, or the last close at or before `to`.
 */
function closesOf(prices: Prices, { range, from, to }: Static<typeof input>) {
  const end = to === undefined ? prices.newest : prices.findClose(to);
  if (end === null || (from !== undefined && from > end.date))
    return { closes: NO_CLOSES, returnPercent: null };
  const start = from ?? rangeStart(range ?? "1y", end.date);
  const before = prices.findClose(start);
  const closes = prices.list(before?.date ?? start, end.date);
  const first = start === FIRST_DATE ? closes.close[0] : before?.close;
  return { closes, returnPercent: changePercent(end.close, first ?? null) };
}

/** @throws BourseError if the first symbol has prices, but none of that period */
function refuseEmpty(
  market: MarketStore,
  [instrument]: readonly StoredInstrument[],
  { from, to }: Static<typeof input>,
): void {
  const [newest] = instrument ? market.bars.listNewest(instrument.id, 1) : [];
  if (!instrument || !newest) return;
  const oldest = market.bars.findOnOrAfter(instrument.id, FIRST_DATE);
  throw new BourseError(
    "invalid_argument",
    `There is no session in this period. The prices of ${formatKey(instrument)} begin on ${oldest?.date} and end on ${newest.date}.`,
    { param: from === undefined && to !== undefined ? "to" : "from" },
  );
}

function indexPrices(market: MarketStore, country: Country): Prices | null {
  const index = market.instruments.find({ country, symbol: COUNTRIES[country].indexSymbol });
  return index && pricesOf(market, index, market.documents.find("quotes", country, index.symbol));
}

function statisticsRow(
  { instrument, closes, shown, returnPercent, totalReturnPercent }: History,
  index: Prices | null,
): Cell[] {
  const { country, symbol, name, currency, assetType } = instrument;
  const { dates, close } = shown ? closes : NO_CLOSES;
  const [first = null, last = null] = [closes.dates[0], closes.dates.at(-1)];
  const closeAt = (date: string | null) => (date === null ? null : shown?.findClose(date)?.close);
  const benchmark = first === null || last === null ? NO_CLOSES : index?.list(first, last);
  const [own, market] = commonSessions([{ dates, close }, benchmark ?? NO_CLOSES]).closes;
  return [
    country,
    symbol,
    name,
    assetType === "index" ? null : currency,
    first,
    roundPriceOrNull(closeAt(first)),
    last,
    roundPriceOrNull(closeAt(last)),
    closes.dates.length,
    round2(shown && returnPercent),
    round2(totalReturnPercent),
    round2(volatilityPercent(close, sessionsPerYear(assetType))),
    round2(maxDrawdown({ dates, close })?.percent ?? null),
    round2(own && market ? beta(own, market) : null),
    COUNTRIES[country].indexSymbol,
  ];
}

const roundPriceOrNull = (price: number | null | undefined) =>
  price === null || price === undefined ? null : roundPrice(price);

/** The correlations of the instruments whose closes are known. */
function correlationsOf(all: readonly History[]) {
  const histories = all.filter(({ shown }) => shown !== null);
  const { dates, closes } = commonSessions(histories.map((one) => one.closes));
  return {
    symbols: histories.map(({ instrument }) => formatKey(instrument)),
    sessions: dates.length,
    matrix: correlations(closes).map((row) => row.map(round2)),
  };
}

function closesOn(histories: readonly History[], dates: string) {
  return {
    columns: DATE_COLUMNS,
    rows: histories.flatMap(({ instrument: { country, symbol }, shown, figures }) =>
      dates.split(",").map((date): Cell[] => {
        const found = figures?.findClose(date) ?? null;
        return [
          country,
          symbol,
          date,
          found?.date ?? null,
          roundPriceOrNull(shown?.findClose(date)?.close),
          round2(changePercent(figures?.newest?.close ?? null, found?.close ?? null)),
        ];
      }),
    ),
  };
}
