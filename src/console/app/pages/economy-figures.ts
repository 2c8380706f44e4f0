import { place } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The newest figures of each series, oldest first. */
export type Trends = Readonly<Record<string, readonly number[]>>;
/** The indicators by category. */
export type Indicators = PayloadOf<"get_macro_indicators">;
/** An indicator. */
export type Indicator = Indicators[string][number];

/** The ten categories, in the order of the service. */
export const CATEGORIES: Readonly<Record<string, string>> = {
  gdp: "GDP",
  labor: "Labor",
  prices: "Prices",
  money: "Money and interest",
  consumer: "Consumers",
  housing: "Housing",
  business: "Business",
  trade: "Trade",
  government: "Government",
  energy: "Energy",
};

/** A figure without its unit, which stands beside it. */
export function withoutUnit(text: string, unit: string): string {
  return unit !== "" && text.endsWith(unit) ? text.slice(0, -unit.length).trim() : text;
}

/** The address of a series in this country. */
export function seriesPath(series: string): string {
  const query = new URLSearchParams(place.value.query);
  query.set("series", series);
  return `/console/economy?${query.toString()}`;
}
