import {
  currencyOf,
  isAmount,
  type Metric,
  type MetricInputs,
  type MetricName,
  METRICS,
} from "#analytics/metrics.ts";
import { roundMetric } from "#panels/metrics.ts";
import type { CurrencyRates } from "./currency-rates.ts";

/**
 * Reads a metric of companies, rounded for JSON. Amounts are converted to a currency; they are null
 * without a rate. With a null currency they are not converted: an index is in points.
 */
export function metricReader(
  name: MetricName,
  rates: CurrencyRates,
): (company: MetricInputs, currency: string | null) => number | null {
  const metric: Metric = METRICS[name];
  if (!isAmount(metric)) return (company) => roundMetric(metric, metric.valueOf(company));
  return (company, currency) => {
    const value = metric.valueOf(company);
    const native = currencyOf(metric, company);
    const rate =
      currency === null
        ? 1
        : value === null || native === null
          ? null
          : rates.find(native, currency);
    return value === null || rate === null ? null : roundMetric(metric, value * rate);
  };
}
