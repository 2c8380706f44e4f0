import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { type Resource, useConsole } from "#console/app/api.ts";
import {
  formatDate,
  formatNumber,
  formatPrice,
  formatPlainPercent,
  formatShort,
  MISSING,
} from "#console/app/format.ts";
import { Change } from "./change.tsx";
import { titleOfMetric } from "./metric-title.ts";
import { ratingWord } from "./rating-word.ts";
import { translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

type Words = AnswerTo<"GET vocabulary">;

/** A metric of screens and comparisons: its name `market_cap`, its title `Mkt cap`, its group `Valuation`, its unit. */
export interface Metric extends Omit<Words["metrics"][string], "title"> {
  readonly name: string;
  readonly title: string;
}

/** What arguments can name: metrics, the slugs of the sectors, and the currencies of comparisons. */
export interface Vocabulary extends Omit<Words, "metrics"> {
  readonly metrics: ReadonlyMap<string, Metric>;
}

/** The metrics, sectors and currencies that the API knows. */
export function useVocabulary(): Resource<Vocabulary> {
  const { value: words, ...state } = useConsole("GET vocabulary");
  return { ...state, value: useMemo(() => words && vocabularyOf(words), [words]) };
}

const vocabularyOf = ({ metrics, ...others }: Words): Vocabulary => ({
  ...others,
  metrics: new Map(
    Object.entries(metrics).map(([name, one]) => [
      name,
      { ...one, name, title: titleOfMetric(name, one.title) },
    ]),
  ),
});

const AMOUNTS = ["price", "price difference", "money", "reported", "reported per share"];

/** True for a unit of amounts, which are in a currency. */
export const isAmount = (unit: string): boolean => AMOUNTS.includes(unit);

/** True for a unit of large numbers, which read best in one unit. */
export const isLarge = (unit: string | undefined): boolean =>
  unit === "money" || unit === "reported" || unit === "count";

const isDate = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value);

/** The value of a metric in a table; a text, such as a sector, as it is. @param currency of prices, if known @param isConverted true for prices of another currency */
export function showMetric(
  metric: Metric | undefined,
  value: string | number | boolean | null | undefined,
  currency?: string,
  isConverted = false,
): ComponentChildren {
  if (value === null || value === undefined) return <span class="muted">{MISSING}</span>;
  if (typeof value !== "number") return isDate(value) ? formatDate(value) : String(value);
  if (isLarge(metric?.unit)) return formatShort(value);
  switch (metric?.unit) {
    case "change":
      return <Change value={value} isGrowth={metric.name.includes("growth")} />;
    case "percent":
      return formatPlainPercent(value);
    case "percentile":
      return formatPlainPercent(value, 0);
    case "rating":
      return `${translate(ratingWord(value))} (${formatNumber(value)})`;
    case "price":
    case "price difference":
    case "reported per share":
      return formatPrice(isConverted ? roundConverted(value) : value, currency);
    default:
      return formatNumber(value);
  }
}

/** A converted price has cents, or three digits if it is small: its exchange rate gives it no more. */
const roundConverted = (price: number) =>
  Number(Math.abs(price) < 1 ? price.toPrecision(3) : price.toFixed(2));
