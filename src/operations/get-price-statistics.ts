import { type Static, Type } from "@sinclair/typebox";
import { BAR_INTERVALS, type BarInterval } from "#analytics/bar-intervals.ts";
import {
  beta,
  type Closes,
  closesOfIntervals,
  commonSessions,
  correlations,
  type Drawdown,
  extremeReturns,
  intervalsPerYear,
  maxDrawdown,
  NO_CLOSES,
  type SessionReturn,
  sharpeWithoutRate,
  volatilityPercent,
} from "#analytics/price-statistics.ts";
import { changePercent } from "#analytics/performance.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { DateOutput, DateText, Nullable, StringEnum, TableOutput } from "#domain/schema.ts";
import { dateOf, isDate } from "#lib/date.ts";
import { lazy } from "#lib/lazy.ts";
import type { Cell } from "#lib/table.ts";
import { round2, roundPrice } from "#panels/format.ts";
import { convertPrices, CurrencyRates, rateNeeds } from "#rollups/currency-rates.ts";
import { type Prices, pricesOf } from "#rollups/prices.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { InputKeywords } from "./decode.ts";
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
import { DateInput, ListInput, SymbolListInput } from "./inputs.ts";
import { symbolListNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";
import { checkRange, FIRST_DATE, RangeInput, rangeStart } from "./price-range.ts";
import {
  closesOf,
  type History,
  readHistory,
  type StatisticsPeriod,
} from "./statistics-history.ts";
import { DATE_FIGURES, withParts } from "./statistics-table.ts";
import { readDate } from "./written-dates.ts";
import { formatKey, requireSymbols, unknownRows, UnknownSymbolsOutput } from "./symbols.ts";

const MAX_SYMBOLS = 10;
const MAX_DATES = 20;
const DEFAULT_COLUMNS = [
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
  "sharpe_without_rf",
  "max_drawdown",
  "peak_session",
  "trough_session",
  "recovered_session",
  "beta",
  "index",
] as const;
const COLUMNS = [
  ...DEFAULT_COLUMNS,
  "best_day",
  "best_session",
  "worst_day",
  "worst_session",
] as const;
const DATE_COLUMNS = ["country", "symbol", "date", ...DATE_FIGURES];

const input = Type.Object({
  symbols: SymbolListInput(MAX_SYMBOLS, "US:AAPL,JP:7203,^GSPC,VNINDEX"),
  range: Type.Optional(RangeInput("Period up to each symbol's newest close, 1y by default.")),
  from: Type.Optional(DateInput("Start date, instead of range", "first")),
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
  currency: Type.Optional(CurrencyInput("USD or another, at the rate of each day.")),
  columns: Type.Optional(
    ListInput(
      StringEnum(COLUMNS, {
        aliases: { drawdown: "max_drawdown", sharpe: "sharpe_without_rf" },
      }),
      "Columns instead of the usual ones: return,best_day,best_session,worst_day,worst_session.",
    ),
  ),
  dates: Type.Optional(
    Type.String({
      minLength: 8,
      maxLength: MAX_DATES * 12,
      maxItems: MAX_DATES,
      each: { ...DateText, understands: (text: string) => readDate(text) },
      accepts: (text: string) => text.split(",").every(isDate),
      description: `Up to ${MAX_DATES} dates, comma-separated: their closes.`,
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
    "Returns statistics of past prices of up to 10 symbols: return, volatility, drawdown with its dates, best and worst day, beta and correlation over a period, calendar years and months, closes on dates. For prices use get_stock_price_history, for current figures compare_stocks.",
  path: "/data/prices/statistics",
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
    years: Type.Optional(
      Type.Object(CalendarOutput, {
        description:
          "With years: figures of each year, from the last close of the year before to its own last close. Null for a year in which prices begin.",
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
  handle(args, { market, now }) {
    const { currency, interval = "1d", months } = args;
    const today = dateOf(now);
    const period = periodOf(args, today);
    const adjustment = adjustmentOf(args);
    const { found, unknown } = requireSymbols(market, args.symbols);
    const rates = new CurrencyRates(market);
    const histories = found.map((instrument) =>
      readHistory({ adjustment, currency, rates }, { market, instrument, today }, period),
    );
    if (histories.every(({ isEmpty }) => isEmpty)) refuseEmpty(market, found, args);
    const indexes = new Map<Country, Prices | null>();
    for (const { country } of found)
      if (!indexes.has(country))
        indexes.set(country, indexPrices(market, country, rates, currency));
    const notes = histories.flatMap(({ reason }) => reason ?? []);
    const newest = histories.flatMap(({ closes }) => closes.dates.at(-1) ?? []).toSorted();
    const columns = (args.columns?.split(",") ?? DEFAULT_COLUMNS) as (typeof COLUMNS)[number][];
    const rows = histories.map((history) => {
      const { country, symbol } = history.instrument;
      const index = indexes.get(country) ?? null;
      const figures = statisticsOf(history, index, { interval, period });
      return [country, symbol, ...columns.map((name) => figures[name]())];
    });
    const correlation = found.length > 1 ? correlationsOf(histories, interval) : null;
    const { years } = period;
    const calendar = {
      ...(years && {
        years: yearTable(histories, years, { interval, today, columns: args.columns }),
      }),
      ...(months !== undefined && {
        months: monthTable(histories, months.split(","), { years, today }),
      }),
    };
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
    };
  },
});

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
    const oldest = market.bars.findOnOrAfter(instrument.id, FIRST_DATE)?.date;
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
    throw new BourseError(
      "invalid_argument",
      `dates must be today, ${today}, or earlier, not ${future}: closes of the future are not known.`,
      { param: "dates", hint: "For estimates call get_stock_forecast." },
    );
  if (args.years === undefined) return { range, from, to };
  if ((range ?? from ?? to) !== undefined)
    throw new BourseError("invalid_argument", "Use years, or range, or from and to.", {
      param: "years",
    });
  const years = listYears(args.years);
  checkYears(years, today);
  return { years };
}

/** @throws BourseError if the first symbol has prices, but none of that period */
function refuseEmpty(
  market: MarketStore,
  [instrument]: readonly StoredInstrument[],
  { from, to, years }: Static<typeof input>,
): void {
  const [newest] = instrument ? market.bars.listNewest(instrument.id, 1) : [];
  if (!instrument || !newest) return;
  const oldest = market.bars.findOnOrAfter(instrument.id, FIRST_DATE);
  throw new BourseError(
    "invalid_argument",
    `There is no session in this period. The prices of ${formatKey(instrument)} begin on ${oldest?.date} and end on ${newest.date}.`,
    {
      param:
        years === undefined ? (from === undefined && to !== undefined ? "to" : "from") : "years",
    },
  );
}

/** The prices of the index of a country, in another currency if that is given. */
function indexPrices(
  market: MarketStore,
  country: Country,
  rates: CurrencyRates,
  currency: string | undefined,
): Prices | null {
  const index = market.instruments.find({ country, symbol: COUNTRIES[country].indexSymbol });
  if (!index) return null;
  const prices = pricesOf(market, index, market.documents.find("quotes", country, index.symbol));
  return convertPrices(prices, index, rates, currency ?? index.currency);
}

/** Functions for the figures of an instrument by column. */
function statisticsOf(
  { instrument, currency, closes, shown, figures, returnPercent, totals }: History,
  index: Prices | null,
  { interval, period }: { readonly interval: BarInterval; readonly period: StatisticsPeriod },
): Readonly<Record<(typeof COLUMNS)[number], () => Cell>> {
  const { country, name, assetType } = instrument;
  const known = shown ? closes : NO_CLOSES;
  const [first = null, last = null] = [closes.dates[0], closes.dates.at(-1)];
  const closeAt = (date: string | null) =>
    roundPriceOrNull(date === null ? null : shown?.findClose(date)?.close);
  const perYear = intervalsPerYear(interval, assetType);
  const regular = lazy(() => closesOfIntervals(known, interval));
  const drawdown = lazy(() => maxDrawdown(known));
  const extremes = lazy(() => extremeReturns(known));
  return {
    name: () => name,
    currency: () => currency,
    from_session: () => first,
    from_close: () => closeAt(first),
    to_session: () => last,
    to_close: () => closeAt(last),
    sessions: () => closes.dates.length,
    return: () => round2(shown && returnPercent),
    total_return: () => round2(totalReturnOf(totals(), period)),
    volatility: () => round2(volatilityPercent(regular().close, perYear)),
    sharpe_without_rf: () => round2(sharpeWithoutRate(regular().close, perYear)),
    max_drawdown: () => round2(drawdown()?.percent ?? null),
    peak_session: () => drawdown()?.peakSession ?? null,
    trough_session: () => drawdown()?.troughSession ?? null,
    recovered_session: () => recoveredSession(drawdown(), figures),
    best_day: () => percentOf(extremes()?.best),
    best_session: () => extremes()?.best.session ?? null,
    worst_day: () => percentOf(extremes()?.worst),
    worst_session: () => extremes()?.worst.session ?? null,
    beta: () => round2(betaOf(regular(), known, { index, interval })),
    index: () => COUNTRIES[country].indexSymbol,
  };
}

const totalReturnOf = (totals: Prices | null, period: StatisticsPeriod) =>
  totals && closesOf(totals, period).returnPercent;

/** The beta of closes to an index over the sessions of the period. */
function betaOf(
  regular: Closes,
  { dates }: Closes,
  { index, interval }: { readonly index: Prices | null; readonly interval: BarInterval },
): number | null {
  const [first, last] = [dates[0], dates.at(-1)];
  if (!index || first === undefined || last === undefined) return null;
  const benchmark = closesOfIntervals(index.list(first, last), interval);
  const [own, market] = commonSessions([regular, benchmark]).closes;
  return own && market ? beta(own, market) : null;
}

/** The first session with a close at the peak again, also after the period; null if there is none yet. */
function recoveredSession(drawdown: Drawdown | null, figures: Prices | null): string | null {
  if (!drawdown) return null;
  const { peakSession, troughSession, recoveredSession: found } = drawdown;
  if (found !== null || peakSession === null || troughSession === null) return found;
  const peak = figures?.findClose(peakSession)?.close ?? Number.NaN;
  const { dates, close } = figures?.list(troughSession, figures.newest?.date ?? "") ?? NO_CLOSES;
  return dates[close.findIndex((one) => one >= peak)] ?? null;
}

const percentOf = (one: SessionReturn | undefined) => round2(one ? 100 * one.value : null);
const roundPriceOrNull = (price: number | null | undefined) =>
  price === null || price === undefined ? null : roundPrice(price);

/** The correlations of the instruments whose closes are known. */
function correlationsOf(all: readonly History[], interval: BarInterval) {
  const histories = all.filter(({ shown }) => shown !== null);
  const { dates, closes } = commonSessions(
    histories.map((one) => closesOfIntervals(one.closes, interval)),
  );
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
