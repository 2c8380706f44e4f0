import { formatDate, formatMonth } from "#console/app/format.ts";
import { COUNTRY_NAMES } from "#console/app/parts/country.tsx";
import { reader } from "#console/app/reader.ts";
import { place } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";
import { type Sentence, t } from "#console/app/words.ts";

/** The newest figures of each series, oldest first. */
export type Trends = Readonly<Record<string, readonly number[]>>;
/** The indicators by category. */
export type Indicators = PayloadOf<"get_macro_indicators">;
/** An indicator. */
export type Indicator = Indicators[string][number];

/** The ten categories, in the order of the service. */
export const CATEGORIES: Readonly<Record<string, Sentence>> = {
  gdp: "GDP",
  labor: "Labour",
  prices: "Prices and inflation",
  money: "Money and interest",
  consumer: "Consumers",
  housing: "Housing",
  business: "Business",
  trade: "Trade",
  government: "Government",
  energy: "Energy",
};

/** The colour of a country's line, from 1. */
export const colourOf = (country: string) => Object.keys(COUNTRY_NAMES).indexOf(country) + 1;

/** A period in words: `Oct 2026` for `2026-10`, `Q3 2026` or `2026年7〜9月期` for `2026-Q3`, `20 Nov 2026` for a day; a year as it is. */
export function formatPeriod(period: string): string {
  const [year = "", part, day] = period.split("-");
  if (part === undefined) return year;
  if (part.startsWith("Q")) {
    const quarter = Number(part.slice(1));
    // Of a company, 第3四半期 is the third quarter of its fiscal year.
    const months = `${3 * quarter - 2}〜${3 * quarter}月期`;
    return reader.value.language === "ja"
      ? t("{quarter} {year}", { quarter: months, year })
      : t("Q{quarter} {year}", { quarter, year });
  }
  return day === undefined ? formatMonth(period) : formatDate(period);
}

/** A period below a plot, where a quarter has little room: `Q3 2026`, `2026年Q3`. */
export function formatPlotPeriod(period: string): string {
  const [, year = "", quarter] = /^(\d{4})-(Q\d)$/.exec(period) ?? [];
  return quarter === undefined ? formatPeriod(period) : t("{quarter} {year}", { quarter, year });
}

/** A quarter in a narrow place, as the service writes it: `Q3/26`; `26年Q3`. */
export function formatQuarter(text: string): string {
  const [, quarter, year = ""] = /^Q(\d)\/(\d\d)$/.exec(text) ?? [];
  return quarter === undefined ? text : t("Q{quarter}/{year}", { quarter, year });
}

/** The address of a series in this country. */
export function seriesPath(series: string): string {
  const query = new URLSearchParams(place.value.query);
  query.set("series", series);
  return `/console/economy?${query.toString()}`;
}
