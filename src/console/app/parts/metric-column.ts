import type { ComponentChildren } from "preact";
import { columnInOneUnit } from "#console/app/one-unit.ts";
import { type Caption, type Shown, translate } from "#console/app/words.ts";
import { isLarge, type Metric, showMetric } from "./metrics.tsx";
import type { Row } from "./rows.ts";

/** A column of a metric: its title, with a unit if its amounts are in one, and the form of its cells. */
interface MetricColumn {
  readonly title: Shown;
  /** @param currency of the value */
  readonly show: (value: Row[string] | undefined, currency: string) => ComponentChildren;
}

/**
 * A column of a metric. Large numbers are in one unit.
 *
 * @param currency of all values; null if they have several
 * @param isConverted true for prices of another currency
 */
export function metricColumn(
  metric: Metric | undefined,
  title: Caption,
  values: readonly unknown[],
  currency: string | null,
  isConverted: boolean,
): MetricColumn {
  const unit = metric?.unit;
  const large =
    isLarge(unit) && currency !== null
      ? columnInOneUnit(title, values, unit === "count" ? "" : currency)
      : null;
  return {
    title: large?.title ?? translate(title),
    show: (value, own) =>
      large && typeof value === "number"
        ? large.format(value)
        : showMetric(metric, value, own, isConverted),
  };
}
