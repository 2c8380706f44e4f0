import type { MacroForecast, MacroSeries } from "#domain/macro.ts";
import { addMonths } from "#lib/date.ts";
import {
  expectedInQuarter,
  growthOverYear,
  publishedValues,
  quarterlyGrowthOf,
  quarterNumber,
} from "./economic-values.ts";
import { type EconomicFigure, listEconomicFigures } from "./economy.ts";
import type { SampleMarket } from "./market.ts";
import { listReleases, type Release } from "./releases.ts";

const OBSERVATIONS = 24;
/** Months between two publications, an upper bound. */
const MONTHS_APART = { week: 0.25, month: 1, meeting: 2, quarter: 3 } as const;
const FORECAST_QUARTERS = 6;

/** The last 24 observations of every figure that are published at the market's instant. */
export function macroSeries(market: SampleMarket): MacroSeries[] {
  return listEconomicFigures().map((figure) => ({
    country: figure.country,
    category: figure.category,
    id: figure.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, ""),
    name: figure.name,
    unit: figure.unit,
    decimals: figure.decimals,
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
      return {
        country: figure.country,
        category: figure.category,
        name: figure.name,
        unit: figure.unit,
        decimals: figure.decimals,
        origin: "sample market (generated, not real)",
        values: Array.from({ length: FORECAST_QUARTERS }, (_, ahead) => {
          const quarter = current + ahead;
          return {
            year: Math.floor(quarter / 4),
            quarter: (quarter % 4) + 1,
            value: expectedIn(quarter),
          };
        }),
      };
    });
}

/** The forecast of a figure by the number of the quarter. */
function forecaster(figure: EconomicFigure, market: SampleMarket): (quarter: number) => number {
  const quarterly = quarterlyGrowthOf(figure);
  if (quarterly === null) {
    const latest = observations(figure, market, 1)[0]?.value ?? figure.level;
    return (quarter) => expectedInQuarter(figure, latest, quarter, market);
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
  // Four months more: the last print of a quarter is late, a holiday may move a publication, and
  // today's may not be published yet.
  const monthsBack = Math.ceil(count * MONTHS_APART[figure.every]) + 4;
  const released = listReleases(figure, addMonths(today, -monthsBack), today).filter(
    ({ at }) => at <= now,
  );
  // The newest print of a period replaces the earlier ones.
  const newest = new Map<string, Release>(released.map((release) => [release.period, release]));
  const valueOf = publishedValues(figure, released, prices);
  return [...newest.values()]
    .sort((a, b) => a.number - b.number)
    .slice(-count)
    .map(({ period, number }) => ({ period, value: valueOf(number) }));
}
