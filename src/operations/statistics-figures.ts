import type { BarInterval } from "#analytics/bar-intervals.ts";
import { changePercent } from "#analytics/performance.ts";
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
import { COUNTRIES, type Country } from "#domain/country.ts";
import { lazy } from "#lib/lazy.ts";
import type { Cell } from "#lib/table.ts";
import { round2, roundPrice } from "#panels/format.ts";
import { convertPrices, type CurrencyRates } from "#rollups/currency-rates.ts";
import { type Prices, pricesOf } from "#rollups/prices.ts";
import type { MarketStore } from "#store/index.ts";
import { closesOf, type History, type StatisticsPeriod } from "./statistics-history.ts";
import { DATE_FIGURES } from "./statistics-table.ts";
import { formatKey } from "./reading/symbols.ts";

/** The usual columns of statistics. */
export const DEFAULT_COLUMNS = [
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
/** All columns of statistics. */
export const COLUMNS = [
  ...DEFAULT_COLUMNS,
  "best_day",
  "best_session",
  "worst_day",
  "worst_session",
] as const;
/** One of `COLUMNS`. */
export type StatisticsColumn = (typeof COLUMNS)[number];

const DATE_COLUMNS = ["country", "symbol", "date", ...DATE_FIGURES];

/** The prices of the index of a country, in another currency if that is given. */
export function indexPrices(
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
export function statisticsOf(
  { instrument, currency, closes, shown, figures, returnPercent, totals }: History,
  index: Prices | null,
  { interval, period }: { readonly interval: BarInterval; readonly period: StatisticsPeriod },
): Readonly<Record<StatisticsColumn, () => Cell>> {
  const { country, name, assetType } = instrument;
  const known = shown ? closes : NO_CLOSES;
  const [first = null, last = null] = [closes.dates[0], closes.dates.at(-1)];
  const closeAt = (date: string | null) =>
    roundPriceOrNull(date === null ? null : shown?.findClose(date)?.close);
  const perYear = intervalsPerYear(interval, assetType);
  const regular = lazy(() => closesOfIntervals(known, interval));
  const drawdown = lazy(() => maxDrawdown(known));
  const extremes = lazy(() => extremeReturns(known, 1));
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
    best_day: () => percentOf(extremes().best[0]),
    best_session: () => extremes().best[0]?.session ?? null,
    worst_day: () => percentOf(extremes().worst[0]),
    worst_session: () => extremes().worst[0]?.session ?? null,
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
export function correlationsOf(all: readonly History[], interval: BarInterval) {
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

/** The columns of `extremeDays`. */
const DAY_COLUMNS = ["country", "symbol", "session", "return", "close"];

/** The best or the worst sessions of each history in the period, the most extreme first. */
export function extremeDays(histories: readonly History[], which: "best" | "worst", count: number) {
  return {
    columns: DAY_COLUMNS,
    rows: histories.flatMap(({ instrument: { country, symbol }, closes, shown }) =>
      extremeReturns(shown ? closes : NO_CLOSES, count)[which].map((one): Cell[] => [
        country,
        symbol,
        one.session,
        percentOf(one),
        roundPriceOrNull(shown?.findClose(one.session)?.close),
      ]),
    ),
  };
}

/** The closes of each history on dates. */
export function closesOn(histories: readonly History[], dates: string) {
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
