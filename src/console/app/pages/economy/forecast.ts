import { numberOfText } from "#console/app/parts/figure-text.ts";
import type { PayloadOf } from "#operations/index.ts";
import type { Point } from "./scale.ts";

/** A forecast, with one more key for each quarter. */
export type Forecast = PayloadOf<"get_macro_forecast">["categories"][string][number];

/** As the service matches them: the same name, apart from `Real`, and unit. */
export function isSameFigure(
  one: { readonly name: string; readonly unit: string },
  { name, unit }: Forecast,
): boolean {
  const nameOf = (text: string) => text.toLowerCase().replace(/^real /, "");
  return one.unit === unit && nameOf(one.name) === nameOf(name);
}

/** The forecast figures of a series, oldest first; none without a forecast. */
export function forecastOf(
  series: { readonly name: string; readonly unit: string },
  { categories, forecast_horizons: quarters }: PayloadOf<"get_macro_forecast">,
): Point[] {
  const found = Object.values(categories)
    .flat()
    .find((one) => isSameFigure(series, one));
  const figures = new Map(Object.entries(found ?? {}));
  return quarters.flatMap((quarter) => {
    const value = numberOfText(figures.get(quarter));
    const [, number, year] = /^Q(\d)\/(\d\d)$/.exec(quarter) ?? [];
    return value === null ? [] : [{ label: `20${year}-Q${number}`, value }];
  });
}
