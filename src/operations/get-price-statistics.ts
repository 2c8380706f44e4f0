import { type Static, Type } from "@sinclair/typebox";
import { BAR_INTERVALS } from "#analytics/bar-intervals.ts";
import type { Country } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import { DateOutput, DateText, Nullable, StringEnum, TableOutput } from "#domain/schema.ts";
import { dateOf, isDate } from "#lib/date.ts";
import type { Cell } from "#lib/table.ts";
import { CurrencyRates, rateNeeds } from "#rollups/currency-rates.ts";
import type { Prices } from "#rollups/prices.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { AdjustInputs, AdjustmentOutput, adjustmentOf } from "./adjusted-prices.ts";
import {
  CalendarOutput,
  checkYears,
  listYears,
  MonthsInput,
  monthTable,
  YearsInput,
  yearTable,
} from "./calendar-returns.ts";
import { CurrencyInput, RatesOutput, ratesOf } from "./conversion.ts";
import { KnownToOutput, knownToOf } from "./horizon.ts";
import { DateInput, ListInput, SymbolListInput } from "./reading/inputs.ts";
import { inSlices } from "./metric-ranks.ts";
import { symbolListNeeds } from "./needs.ts";
import { PRICE_FACTS } from "./known-day.ts";
import { defineOperation } from "./operation.ts";
import { checkRange, type PriceRange, RangeInput, rangeStart } from "./reading/price-range.ts";
import {
  closesOn,
  COLUMNS,
  correlationsOf,
  DEFAULT_COLUMNS,
  extremeDays,
  indexPrices,
  type StatisticsColumn,
  statisticsOf,
} from "./statistics-figures.ts";
import { type History, readHistory, type StatisticsPeriod } from "./statistics-history.ts";
import { datesOf, reasonOf, whyNoPrice, whyOfStatistics } from "./price-reasons.ts";
import { withParts } from "./statistics-table.ts";
import { readDate } from "./reading/written-dates.ts";
import { formatKey, requireSymbols, unknownRows, UnknownSymbolsOutput } from "./reading/symbols.ts";

const MAX_SYMBOLS = 10;
const MAX_DATES = 20;
/** The most sessions of a kind in an answer. */
const MAX_DAYS = 100;
const DaysInput = (description: string) =>
  Type.Integer({ minimum: 1, maximum: MAX_DAYS, description });
const DaysOutput = (which: string) =>
  Type.Optional(
    Type.Object(TableOutput, {
      description: `With ${which}_days: the ${which} sessions of each symbol, with their return in percent and their close.`,
    }),
  );
const input = Type.Object({
  symbols: SymbolListInput(MAX_SYMBOLS, "US:AAPL,JP:7203,^GSPC,VNINDEX"),
  range: Type.Optional(RangeInput("1y by default.")),
  from: Type.Optional(DateInput("Start, instead of range", "first")),
  to: Type.Optional(DateInput("Last date", "last")),
  years: Type.Optional(YearsInput),
  months: Type.Optional(MonthsInput),
  interval: Type.Optional(
    StringEnum(BAR_INTERVALS, {
      default: "1d",
      description: "Of volatility, sharpe, beta and correlation.",
      aliases: { daily: "1d", "1w": "1wk", weekly: "1wk", monthly: "1mo" },
    }),
  ),
  currency: Type.Optional(CurrencyInput("USD or another, at each day's rate.")),
  columns: Type.Optional(
    ListInput(
      StringEnum(COLUMNS, { aliases: { drawdown: "max_drawdown", sharpe: "sharpe_without_rf" } }),
      "Columns instead of the usual ones: return,best_day,worst_day.",
    ),
  ),
  dates: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: MAX_DATES * 12,
      maxItems: MAX_DATES,
      each: { ...DateText, understands: (text: string) => readDate(text) },
      accepts: (text: string) => text.split(",").every(isDate),
      description: `Closes on up to ${MAX_DATES} dates.`,
      example: "2026-03-02,2026-06-01",
      expected: `1 to ${MAX_DATES} dates that exist, YYYY-MM-DD, separated by commas`,
    } satisfies InputKeywords & Parameters<typeof Type.String>[0]),
  ),
  worst_days: Type.Optional(DaysInput("Number of the worst sessions to list: 5.")),
  best_days: Type.Optional(DaysInput("As worst_days.")),
  ...AdjustInputs,
});

export const getPriceStatistics = defineOperation({
  name: "get_price_statistics",
  set: "prices",
  title: "Price statistics",
  description:
    "Returns statistics of past prices of up to 10 symbols: return, volatility, drawdown, best and worst day, beta and correlation over a period, by calendar year or month, closes on dates. For prices use get_stock_price_history, for current figures compare_stocks.",
  path: "/data/prices/statistics",
  notRewound: PRICE_FACTS,
  withoutExample: ["years"],
  input,
  output: Type.Object({
    ...TableOutput,
    columns: {
      ...TableOutput.columns,
      description:
        "Names of the columns. Figures are in percent, but sharpe_without_rf and beta. return is to_close / from_close − 1, where from_close is the last close at or before the start date (of years: before the first year); null if the prices begin later. total_return has reinvested dividends; null if they are unknown. volatility is the standard deviation of the returns of interval × √252 (1d; cryptocurrencies √365), √52 (1wk) or √12 (1mo). sharpe_without_rf is their mean / standard deviation × the same root, without a risk-free rate. beta is to the index of the country. max_drawdown is the deepest fall between closes, with the session of its peak, its trough, and the first close at the peak again, also after the period (null if none yet). best_day and worst_day, with columns, are returns of one session. With adjust=total all figures have dividends; with none only closes are as traded.",
    },
    rates: Type.Optional(RatesOutput),
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
          sessions: Type.Integer({
            description: "Sessions, weeks or months in which all symbols have a close.",
          }),
          matrix: Type.Array(
            Type.Array(Nullable(Type.Number({ description: "−1 to 1; null if undefined." }))),
          ),
        },
        {
          description:
            "Correlations of the returns of interval over the common sessions; null for one symbol.",
        },
      ),
    ),
    closes: Nullable(
      Type.Object(TableOutput, {
        description:
          "For `dates`: the newest session on or before each date, its close, and the change from it to the newest close in percent. Null without dates.",
      }),
    ),
    worst_days: DaysOutput("worst"),
    best_days: DaysOutput("best"),
    years: Type.Optional(
      Type.Object(CalendarOutput, {
        description:
          "With years: figures of each year, from the last close of the year before to its own. Null for a year in which prices begin.",
      }),
    ),
    months: Type.Optional(
      Type.Object(CalendarOutput, {
        description:
          "With months: mean return of the month, number of positive ones, number of all, and the return of each year, from the last close before the month to its own last close. Without years: of all stored years. mean, positive and count leave out the running month.",
      }),
    ),
    notes: Type.Optional(
      Type.Array(Type.String({ description: "Why figures of a symbol are null." })),
    ),
    begins: Type.Optional(
      Type.Record(Type.String(), DateOutput("First stored session, YYYY-MM-DD."), {
        description: "By symbol, if its prices begin after the asked start.",
      }),
    ),
    ...KnownToOutput,
    unknown: UnknownSymbolsOutput,
  }),
  table(data) {
    const { columns, rows } = withParts(data);
    return { columns, rows: [...rows, ...unknownRows(data.unknown, columns)] };
  },
  needs: ({ symbols, currency }) => [
    ...symbolListNeeds(symbols, ["bars", "dividends"]),
    ...(currency === undefined ? [] : rateNeeds(currency)),
  ],
  async handle(args, { market, now }) {
    const { currency, interval = "1d" } = args;
    const today = dateOf(now);
    const period = periodOf(args, today);
    const adjustment = adjustmentOf(args);
    const { found, unknown } = requireSymbols(market, args.symbols);
    const rates = new CurrencyRates(market);
    const histories: History[] = [];
    await inSlices(found, (instrument) => {
      const inputs = { market, instrument, today };
      histories.push(readHistory({ adjustment, currency, rates }, inputs, period));
    });
    if (histories.every(({ isEmpty }) => isEmpty)) refuseEmpty(market, found, args, today);
    const indexes = new Map<Country, Prices | null>();
    for (const { country } of found)
      if (!indexes.has(country))
        indexes.set(country, indexPrices(market, country, rates, currency));
    const notes = histories.flatMap(({ reason }) => reason ?? []);
    const newest = histories.flatMap(({ closes }) => closes.dates.at(-1) ?? []).toSorted();
    const columns = (args.columns?.split(",") ?? DEFAULT_COLUMNS) as StatisticsColumn[];
    const rows: Cell[][] = [];
    await inSlices(histories, (history) => {
      const { country, symbol } = history.instrument;
      const index = indexes.get(country) ?? null;
      const figures = statisticsOf(history, index, { interval, period });
      rows.push([country, symbol, ...columns.map((name) => figures[name]())]);
    });
    const correlation = found.length > 1 ? correlationsOf(histories, interval) : null;
    const calendar = calendarOf(histories, args, { period, today, newest: newest.at(-1) });
    const closes = args.dates === undefined ? null : closesOn(histories, args.dates);
    const used = ratesOf(rates);
    return {
      data: {
        columns: ["country", "symbol", ...columns],
        rows,
        adjustment,
        ...(used.length > 0 && { rates: used }),
        session: newest.at(-1) ?? null,
        correlation,
        closes,
        ...daysOf(histories, args),
        ...calendar,
        ...(notes.length > 0 && { notes }),
        ...firstSessions(market, found, args),
        ...knownToOf(newest.at(-1), args.to),
        unknown: [...unknown],
      },
      from: [
        ...histories.flatMap(({ instrument, from }) => {
          const read = from();
          return read.length > 0 ? read : [instrument];
        }),
        ...rates.from,
      ],
      why: whyOfStatistics(market, histories, { ...args, today }),
    };
  },
});

/** The best and the worst sessions that are asked for. @throws BourseError for more than an answer can list */
function daysOf(
  histories: readonly History[],
  { worst_days, best_days }: Pick<Static<typeof input>, "worst_days" | "best_days">,
) {
  const list = (which: "best" | "worst", count: number | undefined) => {
    if (count === undefined) return {};
    const most = Math.floor(MAX_DAYS / histories.length);
    if (count > most) {
      throw invalidArgument(
        `${which}_days must be at most ${most} for ${histories.length} symbols, not ${count}.`,
        { param: `${which}_days` },
      );
    }
    return { [`${which}_days`]: extremeDays(histories, which, count) };
  };
  return { ...list("worst", worst_days), ...list("best", best_days) };
}

/** The returns by calendar years and by calendar months, as far as the call asks for them. */
function calendarOf(
  histories: readonly History[],
  { interval = "1d", months, from, to, range, columns }: Static<typeof input>,
  asked: {
    readonly period: StatisticsPeriod;
    readonly today: string;
    readonly newest: string | undefined;
  },
) {
  const { today } = asked;
  const { years } = asked.period;
  return {
    ...(years && { years: yearTable(histories, years, { interval, today, columns }) }),
    ...(months !== undefined && {
      months: monthTable(histories, months.split(","), {
        years,
        start: from ?? startOf(range, asked.newest),
        end: to,
        today,
      }),
    }),
  };
}

const startOf = (range: PriceRange | undefined, newest: string | undefined) =>
  range === undefined || newest === undefined ? undefined : rangeStart(range, newest);

/** The first session of each instrument whose prices begin after the start that the arguments name. */
function firstSessions(
  market: MarketStore,
  found: readonly StoredInstrument[],
  { range, from, years, dates }: Static<typeof input>,
): { begins?: Record<string, string> } {
  const [year] = years === undefined ? [] : listYears(years);
  const named = [
    from,
    year === undefined ? undefined : `${year - 1}-12-31`,
    ...(dates?.split(",") ?? []),
  ];
  const entries = found.flatMap((instrument): [string, string][] => {
    const newest = market.bars.listNewest(instrument.id, 1)[0]?.date;
    const oldest = market.bars.findOnOrAfter(instrument.id)?.date;
    if (newest === undefined || oldest === undefined) return [];
    const start = range === undefined || range === "max" ? undefined : rangeStart(range, newest);
    const asked = [start, ...named].filter((one) => one !== undefined).toSorted()[0];
    return asked !== undefined && oldest > asked ? [[formatKey(instrument), oldest]] : [];
  });
  return entries.length > 0 ? { begins: Object.fromEntries(entries) } : {};
}

/** The period that the arguments ask for. @throws BourseError if they contradict each other, or for a close of the future */
function periodOf(args: Static<typeof input>, today: string): StatisticsPeriod {
  const { range, from, to } = args;
  checkRange(range, from, to);
  const future = args.dates?.split(",").find((date) => date > today);
  if (future !== undefined)
    throw invalidArgument(
      `dates must be today, ${today}, or earlier, not ${future}: closes of the future are not known.`,
      { param: "dates", hint: "For estimates call get_stock_forecast." },
    );
  if (args.years === undefined) return { range, from, to };
  if ((range ?? from ?? to) !== undefined)
    throw invalidArgument("Use years, or range, or from and to.", { param: "years" });
  const years = listYears(args.years);
  checkYears(years, today);
  return { years };
}

/** @throws BourseError if the first symbol has prices, but none of that period */
function refuseEmpty(
  market: MarketStore,
  [instrument]: readonly StoredInstrument[],
  { from, to, years }: Static<typeof input>,
  today: string,
): void {
  const [newest] = instrument ? market.bars.listNewest(instrument.id, 1) : [];
  if (!instrument || !newest) return;
  const oldest = market.bars.findOnOrAfter(instrument.id);
  throw invalidArgument(
    `There is no session in this period. The prices of ${formatKey(instrument)} begin on ${oldest?.date} and end on ${newest.date}.`,
    {
      param:
        years === undefined ? (from === undefined && to !== undefined ? "to" : "from") : "years",
      ...reasonOf(whyNoPrice(market, instrument, { ...datesOf({ from, to, years }), today })),
    },
  );
}
