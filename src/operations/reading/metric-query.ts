import {
  GROUP_OF_METRIC,
  METRIC_NAMES,
  type Metric,
  type MetricName,
  METRICS,
  PERIODS,
} from "#analytics/metrics.ts";
import { type BourseError, type ErrorDetails, invalidArgument } from "#domain/errors.ts";
import type { JsonSchema } from "#domain/schema.ts";
import { asTyped } from "#lib/as-typed.ts";
import { closest } from "#lib/closest.ts";
import { adviceOn } from "./metric-advice.ts";
import { findMetric, metricsByName } from "./metric-names.ts";

/** The maximum number of suggested metrics. */
const MAX_SUGGESTIONS = 5;

/** The maximum number of conditions or metrics in one call, and of their characters. */
export const MAX_ITEMS = 20;
export const MAX_QUERY_LENGTH = 300;

/**
 * Every metric by name as a JSON Schema, for the OpenAPI document. `title` is its display label, or
 * its name in words if no panel shows it.
 */
export const METRICS_SCHEMA: JsonSchema = {
  type: "object",
  description:
    "The metrics of screens and comparisons by name. Units (`x-unit`): `price`, `price difference`, `money`, `reported` and `reported per share` are amounts of a currency, `percent` and `change` are percent, `rating` is 1 (strong buy) to 5 (strong sell). A figure covers `x-start` to `x-end`; `x-basis` is what it is computed from. `x-better` is which values a shareholder prefers, other things being equal: `low` or `high`; left out if neither. `x-group` is the group of similar metrics.",
  properties: Object.fromEntries(
    METRIC_NAMES.map((name) => {
      const {
        label,
        title = label,
        unit,
        period,
        example,
        description,
        better,
      }: Metric = METRICS[name];
      const schema: JsonSchema = {
        type: [typeof example as "number" | "string", "null"],
        ...(title !== undefined && { title }),
        description: `${description}.`,
        examples: [example],
        "x-group": GROUP_OF_METRIC.get(name),
        "x-unit": unit,
        "x-period": period,
        "x-start": PERIODS[period].start,
        "x-end": PERIODS[period].end,
        "x-basis": PERIODS[period].basis,
        ...(better !== undefined && { "x-better": better }),
      };
      return [name, schema];
    }),
  ),
};

/** An order of companies by a metric. Unknown values come last in either direction. */
export interface Sort {
  readonly metric: MetricName;
  readonly order: "ascending" | "descending" | "both";
}

/** `配当利回りが高い順`, `vốn hóa giảm dần`. */
const ORDER_WORDS =
  /^(.+?)[がの]? ?(?:(低い順|安い順|小さい順|少ない順|昇順|tăng dần|từ thấp đến cao)|(高い順|大きい順|多い順|降順|giảm dần|từ cao đến thấp))$/iu;

/**
 * Parses an order: `pe` is ascending, `-market_cap` descending, `both:change_percent` the top and the
 * bottom. `market_cap desc`, `pe:asc`, `highest roe` and `lowest pe` are accepted too.
 *
 * @throws BourseError `invalid_argument` with all metrics in `allowed`, and the closest ones as a hint
 */
export function parseSort(text: string): Sort {
  const written = asTyped(text).trim();
  const [, left = "", direction = ""] = /^([^-].*)[ :](asc|desc)(?:ending)?$/i.exec(written) ?? [];
  if (direction !== "") {
    const isAscending = direction.toLowerCase() === "asc";
    return { metric: parseMetric("sort", left), order: isAscending ? "ascending" : "descending" };
  }
  const [, ordered = "", rise, fall] = ORDER_WORDS.exec(written) ?? [];
  if (rise ?? fall)
    return { metric: parseMetric("sort", ordered), order: rise ? "ascending" : "descending" };
  const [, extreme = "", wanted = ""] =
    /^(highest|largest|lowest|smallest) (.+)$/i.exec(written) ?? [];
  if (extreme !== "") {
    const isAscending = /^(?:low|small)/i.test(extreme);
    return { metric: parseMetric("sort", wanted), order: isAscending ? "ascending" : "descending" };
  }
  const [, prefix = "", name = ""] = /^(-|both:)?(.*)$/is.exec(written) ?? [];
  const order = prefix === "" ? "ascending" : prefix === "-" ? "descending" : "both";
  return { metric: parseMetric("sort", name), order };
}

/** The text of an order in the form that `parseSort` reads first. */
export function formatSort({ metric, order }: Sort): string {
  return `${{ ascending: "", descending: "-", both: "both:" }[order]}${metric}`;
}

/**
 * Parses names of metrics that are separated by commas; each is returned once.
 *
 * @param among the metrics that an error can suggest
 * @throws BourseError `invalid_argument` with all metrics in `allowed`, and the closest ones as a hint
 */
export function parseMetrics(text: string, among = ALL): MetricName[] {
  return [...new Set(text.split(",").map((name) => parseMetric("metrics", name, among)))];
}

const ALL: ReadonlySet<MetricName> = new Set(METRIC_NAMES);

/** Filters of a screen that are arguments, not metrics. */
const FILTERS = ["country", "sector", "industry", "exchange"];

/** @throws BourseError `invalid_argument` about the argument `param` if the text names no metric */
export function parseMetric(param: string, text: string, among = ALL): MetricName {
  const written = text.trim().toLowerCase();
  const name = findMetric(written);
  if (name) return name;
  if (param === "where" && FILTERS.includes(written)) {
    throw refused(param, `where compares metrics: ${written} is an argument beside it.`, {
      hint: `Leave it out of where, and give ${written}.`,
    });
  }
  const [, figure] = /^((?:sector|industry)\.[a-z_]+)$/.exec(written) ?? [];
  if (figure !== undefined && param !== "where") {
    throw refused(
      param,
      `${param} names ${quote(figure)}, which is a median of a group, not a metric.`,
      {
        hint: "Compare with it in where, such as pe<industry.pe_median: the answer then has it as a column. get_sectors lists the medians of all groups.",
      },
    );
  }
  const suggestions = suggestMetrics(written).filter((one) => among.has(one));
  const metrics = suggestions.join(", ").replace(/, (?=\w+$)/, " or ");
  const form = param === "sort" ? "Write it as pe, -market_cap or both:change_percent." : undefined;
  const hint =
    adviceOn(text) ??
    (suggestions.length > 0 ? `Did you mean ${metrics}?` : (form ?? usualOf(among)));
  // The list of all metrics is in `allowed`, not in the message: an agent would pay 250 tokens for it.
  throw refused(param, `${param} names ${quote(text.trim())}, which is not a metric.`, {
    allowed: [...among],
    hint,
  });
}

/** What an error names if nothing is close. */
const USUAL: readonly MetricName[] = [
  "price",
  "market_cap",
  "pe",
  "pb",
  "ev_ebitda",
  "dividend_yield",
  "revenue_growth",
  "net_margin",
  "roe",
  "debt_to_equity",
  "return_1y",
  "beta",
  "rsi",
];

const usualOf = (among: ReadonlySet<MetricName>) => {
  const names = USUAL.filter((name) => among.has(name));
  return `Usual ones are ${names.join(", ").replace(/, (?=\w+$)/, " and ")}.`;
};

/** The closest metric, then those that share most words with the text; at most five. */
export function suggestMetrics(written: string): readonly MetricName[] {
  const near = metricsByName().get(closest(written, metricsByName().keys()) ?? "");
  const words = new Set(written.split(/[^a-z0-9]+/));
  const alike = METRIC_NAMES.map((name) => {
    const common = name.split("_").filter((word) => words.has(word)).length;
    return { name, common };
  })
    .filter(({ common }) => common > 0)
    .toSorted((a, b) => b.common - a.common)
    .map(({ name }) => name);
  return [...new Set(near ? [near, ...alike] : alike)].slice(0, MAX_SUGGESTIONS);
}

/** The error about an argument that cannot be read. */
export function refused(
  param: string,
  message: string,
  details: Pick<ErrorDetails, "hint" | "allowed"> = {},
): BourseError {
  return invalidArgument(message, { param, ...details });
}

/** At most 40 characters of a text, for a message. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
