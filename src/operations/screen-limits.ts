import {
  isOfHistory,
  isOfPrices,
  type MetricName,
  METRICS,
  type MetricUnit,
} from "#analytics/metrics.ts";
import { formatMetric } from "#panels/metrics.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import type { ConvertedCompanies } from "#rollups/converted-companies.ts";
import { conditionTest } from "./metric-values.ts";
import type { Condition } from "./reading/screen-language.ts";

/** Among fewer companies, all can meet a condition by chance. */
const MIN_COMPANIES = 10;

/** The units of figures in a sentence; those that are left out are in a currency. */
const UNITS: Partial<Record<MetricUnit, string>> = {
  percent: "in %",
  change: "in %",
  multiple: "a multiple",
  index: "from 0 to 100",
  percentile: "from 0 to 100",
  rating: "from 1 (strong buy) to 5 (strong sell)",
  count: "a number",
  "calendar date": "a date",
  "fiscal quarter": "a fiscal quarter",
};

/**
 * A sentence on a condition that all companies with the figure meet, or none: probably another unit or direction was
 * meant. It names the unit and the range of the figure. Null for other conditions, and for figures that take long.
 */
export function describeLimit(
  condition: Condition,
  companies: readonly CompanyMetrics[],
  figures: ConvertedCompanies,
): string | null {
  const { metric, right, text } = condition;
  if (right.kind === "median") return null;
  const names = right.kind === "metric" ? [metric, right.metric] : [metric];
  if (names.some((name) => takesLong(name, companies, figures))) return null;
  const accepts = conditionTest(condition, figures, () => null);
  const known: CompanyMetrics[] = [];
  let isMet = false;
  for (const company of companies) {
    if (names.some((name) => figures.read(METRICS[name], company) === null)) continue;
    const meets = accepts(company);
    if (known.length === 0) isMet = meets;
    if (meets !== isMet) return null;
    known.push(company);
  }
  if (known.length < MIN_COMPANIES) return null;
  const ranges = names.map((name) => describeRange(name, known, figures));
  return `${text} ${isMet ? "removes" : "leaves"} none of the ${known.length} companies with the figure: ${ranges.join("; ")}.`;
}

/** True for a figure of several years, and for one of prices in another currency: each company takes up to 0.3 ms. */
function takesLong(
  name: MetricName,
  companies: readonly CompanyMetrics[],
  figures: ConvertedCompanies,
): boolean {
  const metric = METRICS[name];
  if (isOfHistory(metric)) return true;
  return (
    isOfPrices(metric) &&
    companies.some(({ instrument }) => figures.currencyOf(instrument) !== instrument.currency)
  );
}

/** `market_cap is in USD, here from 1.20 B USD to 5.64 T USD`. */
function describeRange(
  name: MetricName,
  companies: readonly CompanyMetrics[],
  figures: ConvertedCompanies,
): string {
  const metric = METRICS[name];
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const company of companies) {
    const value = figures.read(metric, company);
    if (value === null) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  // A label such as Buy does not say which number it is.
  const written = metric.unit === "rating" ? ({ unit: "multiple" } as const) : metric;
  const [{ instrument } = { instrument: null }] = companies;
  const currency = instrument && figures.currencyOf(instrument);
  const [least, most] = [low, high].map((value) => formatMetric(written, value, currency));
  return `${name} is ${UNITS[metric.unit] ?? `in ${currency}`}, here from ${least} to ${most}`;
}
