import { meanRatingLabel } from "#analytics/analyst-rating.ts";
import {
  currencyOf,
  type Metric,
  type MetricInputs,
  type MetricName,
  METRICS,
} from "#analytics/metrics.ts";
import type { AssetType } from "#domain/instrument.ts";
import type { Panel } from "#domain/schema.ts";
import { dateOfDay } from "#lib/date.ts";
import {
  formatChange,
  formatLarge,
  formatPerShare,
  formatPrice,
  formatPriceDifference,
  formatRatio,
  formatShare,
  MISSING,
  round2,
  roundPrice,
} from "./format.ts";

/** Writes a value of a unit as text. `currency` is null if it is unknown. */
export function formatMetric(
  { unit }: Pick<Metric, "unit">,
  value: number | null,
  currency: string | null,
  assetType: AssetType = "stock",
): string {
  switch (unit) {
    case "price":
      return currency === null ? MISSING : formatPrice(value, currency, assetType);
    case "price difference":
      return formatPriceDifference(value, null, assetType);
    case "money":
    case "reported":
      return currency === null ? MISSING : formatLarge(value, currency);
    case "reported per share":
      return formatPerShare(value, currency);
    case "percent":
      return formatShare(value);
    case "change":
      return formatChange(value);
    case "count":
      return formatLarge(value);
    case "rating":
      return meanRatingLabel(value) ?? MISSING;
    case "multiple":
    case "index":
    case "percentile":
      return formatRatio(value);
    case "calendar date":
    case "fiscal quarter":
      return String(metricCell({ unit }, value) ?? MISSING);
  }
}

/**
 * Rounds a value of a metric for JSON: prices to seven significant digits, amounts and counts to whole
 * units, everything else to two decimals. Null if it is null or not finite.
 */
export function roundMetric({ unit }: Pick<Metric, "unit">, value: number | null): number | null {
  if (value === null || !Number.isFinite(value)) return null;
  switch (unit) {
    case "price":
    case "price difference":
    case "reported per share":
      return roundPrice(value);
    case "money":
    case "reported":
    case "count":
    case "calendar date":
    case "fiscal quarter":
      return Math.round(value);
    default:
      return round2(value);
  }
}

/** A rounded value as answers show it: a date as `2026-11-20`, a fiscal quarter as `2026-Q3`, else the number. */
export function metricCell(
  { unit }: Pick<Metric, "unit">,
  value: number | null,
): number | string | null {
  if (value === null) return null;
  if (unit === "calendar date") return dateOfDay(value);
  return unit === "fiscal quarter" ? String(value).replace(/\d$/, "-Q$&") : value;
}

/** The meaning of the display labels of some metrics, each with an example. */
export function labelsOf<Name extends MetricName>(
  names: readonly Name[],
): Record<NonNullable<(typeof METRICS)[Name]["label"]>, string> {
  const entries = names.map((name) => {
    const metric: Metric = METRICS[name];
    const { example: written } = metric;
    const example = typeof written === "number" ? formatMetric(metric, written, "USD") : written;
    return [metric.label ?? name, `${metric.description}: ${example}.`];
  });
  return Object.fromEntries(entries);
}

/** The panel of some metrics of an instrument, in their order. */
export function metricPanel(names: readonly MetricName[], inputs: MetricInputs): Panel {
  const { assetType } = inputs.instrument;
  return Object.fromEntries(
    names.map((name) => {
      const metric: Metric = METRICS[name];
      const text = formatMetric(
        metric,
        metric.valueOf(inputs),
        currencyOf(metric, inputs),
        assetType,
      );
      return [metric.label ?? name, text];
    }),
  );
}
