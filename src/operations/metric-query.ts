import { METRIC_NAMES, type MetricName, METRICS } from "#analytics/metrics.ts";
import { BourseError, type ErrorDetails } from "#domain/errors.ts";
import { closest } from "#lib/closest.ts";

/** The maximum number of suggested metrics. */
const MAX_SUGGESTIONS = 5;

/** The maximum number of conditions or metrics in one call, and of their characters. */
export const MAX_ITEMS = 20;
export const MAX_QUERY_LENGTH = 300;

/** The comparison operators of conditions. */
const OPERATORS = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "=": (value, limit) => value === limit,
  "!=": (value, limit) => value !== limit,
} as const satisfies Record<string, (value: number, limit: number) => boolean>;

const SCALES: Readonly<Record<string, number>> = { "": 1, "%": 1, K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** A condition on a metric: `pe<20`. */
export interface Condition {
  readonly metric: MetricName;
  /** As it was written. */
  readonly text: string;
  /** True if the value meets the condition. An unknown value never does. */
  readonly accepts: (value: number | null) => boolean;
}

/**
 * Parses conditions that are separated by commas: `pe<20,revenue_growth>10,market_cap>=10B`. A number
 * can end with K, M, B, T or %.
 *
 * @throws BourseError `invalid_argument` with the part that cannot be read and what is allowed
 */
export function parseConditions(text: string): Condition[] {
  return text.split(",").map(parseCondition);
}

function parseCondition(text: string): Condition {
  const [, name = "", operator = "", number = ""] = /^([^<>=!]*)([<>=!]*)(.*)$/s.exec(text) ?? [];
  if (!Object.hasOwn(OPERATORS, operator)) {
    throw refused(
      "where",
      `where must be conditions such as pe<20, separated by commas; ${quote(text)} has none of the operators ${Object.keys(OPERATORS).join(" ")}.`,
      { hint: "Write numbers without thousands separators." },
    );
  }
  const metric = parseMetric("where", name);
  const [, digits, scale = ""] =
    /^([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)([KMBT%]?)$/i.exec(number.trim()) ?? [];
  if (digits === undefined) {
    throw refused(
      "where",
      `where must compare ${metric} with a number such as 20, -1.5 or 10B, not ${quote(number.trim())}.`,
      { hint: "Separate conditions with commas." },
    );
  }
  const limit = Number(digits) * (SCALES[scale.toUpperCase()] ?? 1);
  const meets = OPERATORS[operator as keyof typeof OPERATORS];
  return { metric, text, accepts: (value) => value !== null && meets(value, limit) };
}

/** An order of companies by a metric. Unknown values come last in either direction. */
export interface Sort {
  readonly metric: MetricName;
  readonly order: "ascending" | "descending" | "both";
}

/**
 * Parses an order: `pe` is ascending, `-market_cap` descending, `both:change_percent` the top and the
 * bottom. `market_cap desc` and `pe:asc` are accepted too.
 *
 * @throws BourseError `invalid_argument` with all metrics in `allowed`, and the closest ones as a hint
 */
export function parseSort(text: string): Sort {
  const written = text.trim();
  const [, left = "", direction = ""] = /^([^-].*)[ :](asc|desc)(?:ending)?$/i.exec(written) ?? [];
  if (direction !== "") {
    const isAscending = direction.toLowerCase() === "asc";
    return { metric: parseMetric("sort", left), order: isAscending ? "ascending" : "descending" };
  }
  const [, prefix = "", name = ""] = /^(-|both:)?(.*)$/is.exec(written) ?? [];
  const order = prefix === "" ? "ascending" : prefix === "-" ? "descending" : "both";
  return { metric: parseMetric("sort", name), order };
}

/**
 * Parses names of metrics that are separated by commas; each is returned once.
 *
 * @throws BourseError `invalid_argument` with all metrics in `allowed`, and the closest ones as a hint
 */
export function parseMetrics(text: string): MetricName[] {
  return [...new Set(text.split(",").map((name) => parseMetric("metrics", name)))];
}

/** Names and display labels of metrics in lower case. */
const KNOWN: ReadonlyMap<string, MetricName> = new Map(
  METRIC_NAMES.flatMap((name) => {
    const { label } = METRICS[name];
    return [
      [name, name] as const,
      ...(label === undefined ? [] : [[label.toLowerCase(), name] as const]),
    ];
  }),
);

function parseMetric(param: string, text: string): MetricName {
  const written = text.trim().toLowerCase();
  const name = KNOWN.get(written) ?? KNOWN.get(written.replaceAll(/[ -]+/g, "_"));
  if (name) return name;
  const suggestions = suggestMetrics(written);
  const metrics = suggestions.join(", ").replace(/, (?=\w+$)/, " or ");
  // The list of all metrics is in `allowed`, not in the message: an agent would pay 250 tokens for it.
  throw refused(
    param,
    `${param} names ${quote(text.trim())}, which is not a metric such as pe or market_cap; compare_stocks with metrics=all returns every metric.`,
    { allowed: METRIC_NAMES, ...(suggestions.length > 0 && { hint: `Did you mean ${metrics}?` }) },
  );
}

/** The closest metric, then those that share most words with the text; at most five. */
function suggestMetrics(written: string): readonly MetricName[] {
  const near = KNOWN.get(closest(written, KNOWN.keys()) ?? "");
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

function refused(
  param: string,
  message: string,
  details: Pick<ErrorDetails, "hint" | "allowed"> = {},
): BourseError {
  return new BourseError("invalid_argument", message, { param, ...details });
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
