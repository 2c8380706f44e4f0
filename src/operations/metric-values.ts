import { type MetricName, METRICS } from "#analytics/metrics.ts";
import { round2 } from "#panels/format.ts";
import { metricCell, roundMetric } from "#panels/metrics.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import type { ConvertedCompanies } from "#rollups/converted-companies.ts";
import type { Condition, GroupMedian } from "./reading/screen-language.ts";

/** Reads a metric of companies, rounded for JSON. */
export function metricReader(
  name: MetricName,
  figures: ConvertedCompanies,
): (company: CompanyMetrics) => number | null {
  return (company) => roundMetric(METRICS[name], figures.read(METRICS[name], company));
}

/** Reads a column of metrics: a rounded number, or the text of a date or a fiscal quarter. */
export function columnReader(
  name: MetricName,
  figures: ConvertedCompanies,
): (company: CompanyMetrics) => number | string | null {
  const read = metricReader(name, figures);
  return (company) => metricCell(METRICS[name], read(company));
}

/** Reads a median of the sector or the industry of a company; null if it is unknown. */
export type MedianOf = (company: CompanyMetrics, median: GroupMedian) => number | null;

/** Reads medians of groups, rounded for JSON. The roll-ups must be ready for the countries of the companies. */
export function medianReader(rollups: Pick<CompanyRollups, "get">): MedianOf {
  return ({ instrument }, { group, statistic }) => {
    const { country, [group]: slug } = instrument;
    const { statistics, industryStatistics } = rollups.get(country);
    const groups = group === "sector" ? statistics : industryStatistics;
    return round2(groups.get(slug ?? "")?.[statistic] ?? null);
  };
}

/**
 * True for companies whose rounded value meets a condition. Only values near a number are rounded,
 * because rounding takes most of the time.
 */
export function conditionTest(
  { metric, right, accepts }: Condition,
  figures: ConvertedCompanies,
  medianOf: MedianOf,
): (company: CompanyMetrics) => boolean {
  const read = metricReader(metric, figures);
  if (right.kind === "median") return (company) => accepts(read(company), medianOf(company, right));
  if (right.kind === "metric") {
    const readRight = metricReader(right.metric, figures);
    return (company) => accepts(read(company), readRight(company));
  }
  return (company) => {
    const value = figures.read(METRICS[metric], company);
    const near = isFar(value, right.value) ? value : roundMetric(METRICS[metric], value);
    return accepts(near, right.value);
  };
}

/** True if rounding a value by `roundMetric` cannot move it to the limit or beyond. */
function isFar(value: number | null, limit: number): boolean {
  if (value === null) return false;
  const size = Math.abs(value);
  return size < 1e21 && Math.abs(value - limit) > 1 + size * 1e-6;
}
