import { numberOfText } from "#console/app/parts/figure-text.ts";
import type { PayloadOf } from "#operations/index.ts";
import type { Point } from "./scale.ts";

/** The forecasts of a country. */
export type Forecasts = PayloadOf<"get_macro_forecast">;
/** A forecast, with one more key for each quarter. */
export type Forecast = Forecasts["categories"][string][number];

/** As the service matches them: the same name, apart from `Real`, and unit. */
export function isSameFigure(
  one: { readonly name: string; readonly unit: string },
  { name, unit }: Forecast,
): boolean {
  const nameOf = (text: string) => text.toLowerCase().replace(/^real /, "");
  return one.unit === unit && nameOf(one.name) === nameOf(name);
}

/** The figures of a forecast, as texts without their unit, by quarter (`Q4/26`), the soonest first. */
export function quartersOf(
  forecast: Forecast | undefined,
  { forecast_horizons: quarters }: Forecasts,
): (readonly [quarter: string, figure: string])[] {
  const figures = new Map(Object.entries(forecast ?? {}));
  return quarters.flatMap((quarter) => {
    const figure = figures.get(quarter);
    return figure === undefined ? [] : [[quarter, figure] as const];
  });
}

/** The forecast figures of a series, oldest first; none without a forecast. */
export function forecastOf(
  series: { readonly name: string; readonly unit: string },
  forecasts: Forecasts,
): Point[] {
  const found = Object.values(forecasts.categories)
    .flat()
    .find((one) => isSameFigure(series, one));
  return quartersOf(found, forecasts).flatMap(([quarter, figure]) => {
    const value = numberOfText(figure);
    const [, number, year] = /^Q(\d)\/(\d\d)$/.exec(quarter) ?? [];
    return value === null ? [] : [{ label: `20${year}-Q${number}`, value }];
  });
}
