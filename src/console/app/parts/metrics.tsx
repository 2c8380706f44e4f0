import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Resource } from "#console/app/api.ts";
import {
  formatDate,
  formatNumber,
  formatPrice,
  formatPlainPercent,
  formatShort,
  MISSING,
} from "#console/app/format.ts";
import { type ApiDocument, resolve, type Schema, useApiDocument } from "#console/app/openapi.ts";
import { Change } from "./change.tsx";
import { titleOfMetric } from "./metric-title.ts";
import { ratingWord } from "./rating-word.ts";
import { translate } from "#console/app/words.ts";

/** A metric of screens and comparisons, as the OpenAPI document describes it. */
export interface Metric {
  /** `market_cap` */
  readonly name: string;
  /** `Mkt cap` */
  readonly title: string;
  /** The group of similar metrics: `Valuation`. */
  readonly group: string;
  /** `money`, `multiple`, `percent`, … */
  readonly unit: string;
  readonly description: string;
  /** Which values a shareholder prefers; undefined if neither. */
  readonly better: "low" | "high" | undefined;
}

/** What the OpenAPI document says about screens. */
export interface Vocabulary {
  readonly metrics: ReadonlyMap<string, Metric>;
  /** The slugs of the sectors. */
  readonly sectors: readonly string[];
  /** The currencies of comparisons. */
  readonly currencies: readonly string[];
}

/** The metrics, sectors and currencies that the API knows. */
export function useVocabulary(): Resource<Vocabulary> {
  const { value: document, ...state } = useApiDocument();
  return { ...state, value: useMemo(() => document && vocabularyOf(document), [document]) };
}

function vocabularyOf(document: ApiDocument): Vocabulary {
  const choices = (name: string, parameter: string) =>
    Object.values(document.paths)
      .find(({ get }) => get?.operationId === name)
      ?.get?.parameters?.map((one) => resolve(document, one))
      .find((one) => one.name === parameter)
      ?.schema.enum?.map(String) ?? [];
  const { properties = {} } = resolve<Schema>(document, { $ref: "#/components/schemas/Metrics" });
  return {
    metrics: new Map(
      Object.entries(properties).map(([name, property]) => {
        const { title, description = "", "x-group": group = "" } = property;
        const { "x-unit": unit = "", "x-better": better } = property;
        return [
          name,
          { name, title: titleOfMetric(name, title), group, unit, description, better },
        ];
      }),
    ),
    sectors: choices("screen_stocks", "sector"),
    currencies: choices("compare_stocks", "currency"),
  };
}

const AMOUNTS = ["price", "price difference", "money", "reported", "reported per share"];

/** True for a unit of amounts, which are in a currency. */
export const isAmount = (unit: string): boolean => AMOUNTS.includes(unit);

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
  switch (metric?.unit) {
    case "change":
      return <Change value={value} />;
    case "percent":
      return formatPlainPercent(value);
    case "percentile":
      return formatPlainPercent(value, 0);
    case "rating":
      return `${translate(ratingWord(value))} (${formatNumber(value)})`;
    case "money":
    case "reported":
    case "count":
      return formatShort(value);
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
