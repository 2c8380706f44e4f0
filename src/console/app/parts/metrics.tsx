import type { ComponentChildren } from "preact";
import { type Resource, useResource } from "#console/app/api.ts";
import {
  formatLabel,
  formatName,
  formatNumber,
  formatPrice,
  formatShort,
  MISSING,
} from "#console/app/format.ts";
import { Change } from "./change.tsx";

/** A metric of screens and comparisons, as the OpenAPI document describes it. */
export interface Metric {
  /** `market_cap` */
  readonly name: string;
  /** `Mkt cap` */
  readonly title: string;
  /** `money`, `multiple`, `percent`, … */
  readonly unit: string;
  readonly description: string;
}

/** What the OpenAPI document says about screens. */
export interface Vocabulary {
  readonly metrics: ReadonlyMap<string, Metric>;
  /** The slugs of the sectors. */
  readonly sectors: readonly string[];
  /** The currencies of comparisons. */
  readonly currencies: readonly string[];
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly schema?: { readonly enum?: readonly string[] };
}

/** The parts of the OpenAPI document that are read here. */
interface Document {
  readonly paths: Readonly<
    Record<string, { get?: { operationId: string; parameters?: readonly Parameter[] } }>
  >;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: {
      readonly Metrics: {
        readonly properties: Readonly<
          Record<string, { title?: string; description: string; "x-unit": string }>
        >;
      };
    };
  };
}

/** The metrics, sectors and currencies that the API knows. */
export function useVocabulary(): Resource<Vocabulary> {
  return useResource("vocabulary", async () => {
    const response = await fetch("/api/v1/svc/openapi.json");
    const document = (await response.json()) as Document;
    const { components, paths } = document;
    const choices = (operation: string, parameter: string) =>
      Object.values(paths)
        .find(({ get }) => get?.operationId === operation)
        ?.get?.parameters?.map(
          (one) => components.parameters[one.$ref?.split("/").at(-1) ?? ""] ?? one,
        )
        .find(({ name }) => name === parameter)?.schema?.enum ?? [];
    const { properties } = components.schemas.Metrics;
    return {
      metrics: new Map(
        Object.entries(properties).map(([name, { title, description, "x-unit": unit }]) => [
          name,
          { name, title: title ? formatLabel(title) : formatName(name), unit, description },
        ]),
      ),
      sectors: choices("screen_stocks", "sector"),
      currencies: choices("compare_stocks", "currency"),
    };
  });
}

/** The value of a metric in a table; a text, such as a sector, as it is. */
export function showMetric(
  metric: Metric | undefined,
  value: string | number | boolean | null | undefined,
): ComponentChildren {
  if (value === null || value === undefined) return <span class="muted">{MISSING}</span>;
  if (typeof value !== "number") return String(value);
  switch (metric?.unit) {
    case "change":
      return <Change value={value} />;
    case "percent":
      return `${formatNumber(value)}%`;
    case "money":
    case "reported":
    case "count":
      return formatShort(value);
    case "price":
    case "price difference":
    case "reported per share":
      return formatPrice(value);
    default:
      return formatNumber(value);
  }
}
