import type { MacroForecast, MacroSeries } from "#domain/macro.ts";
import { addMonths } from "#lib/date.ts";
import {
  ECONOMIC_FIGURES,
  type EconomicFigure,
  expectedValue,
  listReleases,
  publishedValues,
} from "./economy.ts";

const OBSERVATIONS = 24;
/** Months between two publications, at most. */
const MONTHS_APART = { week: 0.25, month: 1, meeting: 2, quarter: 3 } as const;
const FORECAST_QUARTERS = 6;

/** What had been published of every figure by the date, its last 24 observations. */
export function macroSeries(today: string): MacroSeries[] {
  return ECONOMIC_FIGURES.map((figure) => ({
    country: figure.country,
    category: figure.category,
    id: figure.name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, ""),
    name: figure.name,
    unit: figure.unit,
    decimals: figure.decimals,
    observations: observations(figure, today, OBSERVATIONS),
  }));
}

/** What is forecast on the date: from where the figure stands back to its level, this quarter first. */
export function macroForecasts(today: string): MacroForecast[] {
  const year = Number(today.slice(0, 4));
  const quarter = Math.floor((Number(today.slice(5, 7)) - 1) / 3);
  return ECONOMIC_FIGURES.filter(({ isForecast }) => isForecast).map((figure) => {
    const latest = observations(figure, today, 1)[0]?.value ?? figure.level;
    return {
      country: figure.country,
      category: figure.category,
      name: figure.name,
      unit: figure.unit,
      decimals: figure.decimals,
      origin: "sample market (generated, not real)",
      values: Array.from({ length: FORECAST_QUARTERS }, (_, ahead) => {
        const number = year * 4 + quarter + ahead;
        return {
          year: Math.floor(number / 4),
          quarter: (number % 4) + 1,
          value: expectedValue(figure, latest, number, ahead),
        };
      }),
    };
  });
}

function observations(figure: EconomicFigure, today: string, count: number) {
  // A month more: a holiday may move a publication out of the time in which it was due.
  const monthsBack = Math.ceil(count * MONTHS_APART[figure.every]) + 1;
  const releases = listReleases(figure, addMonths(today, -monthsBack), today).slice(-count);
  const valueOf = publishedValues(figure, releases);
  return releases.map(({ period, number }) => ({ period, value: valueOf(number) }));
}
