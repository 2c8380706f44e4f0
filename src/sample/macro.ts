import type { MacroForecast, MacroSeries } from "#domain/macro.ts";
import { addMonths } from "#lib/date.ts";
import {
  expectedNext,
  growthOverYear,
  modelForecast,
  publishedValues,
  quarterlyGrowthOf,
} from "./economic-values.ts";
import { type EconomicFigure, listEconomicFigures } from "./economy.ts";
import type { SampleMarket } from "./market.ts";
import { listReleases } from "./releases.ts";

const OBSERVATIONS = 24;
/** Months between two publications, an upper bound. */
const MONTHS_APART = { week: 0.25, month: 1, meeting: 2, quarter: 3 } as const;
const FORECAST_QUARTERS = 6;
/** Figures without an event, or with one of low importance, are forecast this far only. */
const SHORT_FORECAST_QUARTERS = 4;

/** The last 24 observations of every figure that are published at the market's instant. */
export function macroSeries(market: SampleMarket): MacroSeries[] {
  return listEconomicFigures().map((figure) => ({
    ...described(figure),
    id: seriesIdOf(figure),
    observations: observations(figure, market, OBSERVATIONS),
  }));
}

/**
 * The forecasts on the market's date, current quarter first: each figure reverts to its level, and a growth
 * over a year compounds its quarters, published or forecast.
 */
export function macroForecasts(market: SampleMarket): MacroForecast[] {
  const current = quarterNumber(market.today);
  return listEconomicFigures()
    .filter(({ isForecast }) => isForecast)
    .map((figure) => {
      const expectedIn = forecaster(figure, market);
      const quarters = figure.importance === "low" ? SHORT_FORECAST_QUARTERS : FORECAST_QUARTERS;
      return {
        ...described(figure),
        origin: "sample market (generated, not real)",
        values: Array.from({ length: FORECAST_QUARTERS }, (_, ahead) => {
          const quarter = current + ahead;
          return {
            year: Math.floor(quarter / 4),
            quarter: (quarter % 4) + 1,
            value: ahead < quarters ? expectedIn(quarter) : null,
          };
        }),
      };
    });
}

function described({ country, category, name, unit, decimals }: EconomicFigure) {
  return { country, category, name, unit, decimals };
}

/** The forecast of a figure by the number of the quarter. */
function forecaster(figure: EconomicFigure, market: SampleMarket): (quarter: number) => number {
  const quarterly = quarterlyGrowthOf(figure);
  if (quarterly === null) {
    const latest = observations(figure, market, 1)[0]?.value ?? figure.level;
    return (quarter) => {
      const ahead = quarter - quarterNumber(market.today);
      return modelForecast(figure, expectedNext(figure, latest, ahead + 1), quarter);
    };
  }
  const published = new Map(
    observations(quarterly, market, 4).map(({ period, value }) => [period, value]),
  );
  const expectedIn = forecaster(quarterly, market);
  const growthIn = (quarter: number) =>
    published.get(`${Math.floor(quarter / 4)}-Q${(quarter % 4) + 1}`) ?? expectedIn(quarter);
  return (quarter) => growthOverYear(figure, quarterly, (ago) => growthIn(quarter - ago));
}

function observations(figure: EconomicFigure, market: SampleMarket, count: number) {
  const { now, today, prices } = market;
  // Four months more: a quarter is published late, and today's figure may not be published yet.
  const monthsBack = Math.ceil(count * MONTHS_APART[figure.every]) + 4;
  const released = listReleases(figure, addMonths(today, -monthsBack), today)
    .filter(({ at }) => at <= now)
    .slice(-count);
  const valueOf = publishedValues(figure, released.at(-1)?.number ?? 0, prices);
  return released.map(({ period, number }) => ({ period, value: valueOf(number) }));
}

/** A number for the date's quarter. Consecutive quarters have consecutive numbers. */
function quarterNumber(date: string): number {
  return Number(date.slice(0, 4)) * 4 + Math.floor((Number(date.slice(5, 7)) - 1) / 3);
}

/** The id of a figure's series: `cpi-inflation-yoy`. */
export function seriesIdOf({ name }: EconomicFigure): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
