import {
  currencyOf,
  isAmount,
  type Metric,
  type MetricInputs,
  type MetricName,
  METRICS,
} from "#analytics/metrics.ts";
import { roundMetric } from "#panels/metrics.ts";
import type { CurrencyRates } from "#rollups/currency-rates.ts";
import type { Condition } from "./metric-query.ts";

type Reader = (company: MetricInputs, currency: string | null) => number | null;

/**
 * Reads a metric of companies, rounded for JSON. Amounts are converted to a currency; they are null
 * without a rate. With a null currency they are not converted: an index is in points.
 */
export function metricReader(name: MetricName, rates: CurrencyRates): Reader {
  const read = exactReader(name, rates);
  return (company, currency) => roundMetric(METRICS[name], read(company, currency));
}

/** Like `metricReader`, without rounding. */
function exactReader(name: MetricName, rates: CurrencyRates): Reader {
  const metric: Metric = METRICS[name];
  if (!isAmount(metric)) return (company) => metric.valueOf(company);
  return (company, currency) => {
    const value = metric.valueOf(company);
    if (value === null || currency === null) return value;
    const native = currencyOf(metric, company);
    const rate = native === null ? null : rates.find(native, currency);
    return rate === null ? null : value * rate;
  };
}

/**
 * True for companies whose rounded value in a currency meets a condition. Only values near the limit are
 * rounded, because rounding takes most of the time.
 */
export function conditionTest(
  { metric, limit, accepts }: Condition,
  rates: CurrencyRates,
  currency: string,
): (company: MetricInputs) => boolean {
  const read = exactReader(metric, rates);
  return (company) => {
    const value = read(company, currency);
    return accepts(isFar(value, limit) ? value : roundMetric(METRICS[metric], value));
  };
}

/** True if rounding a value by `roundMetric` cannot move it to the limit or beyond. */
function isFar(value: number | null, limit: number): boolean {
  if (value === null) return false;
  const size = Math.abs(value);
  return size < 1e21 && Math.abs(value - limit) > 1 + size * 1e-6;
}
