import { type Metric, type MetricName, METRICS } from "#analytics/metrics.ts";
import type { SectorStatistics } from "#analytics/sector-statistics.ts";
import { fiscalQuarterNumber } from "#domain/statement.ts";
import { dayNumberOf, isDate } from "#lib/date.ts";
import { adviceOn } from "./metric-advice.ts";
import { caveatOf, findMetric } from "./metric-names.ts";
import { parseMetric, quote, refused, suggestMetrics } from "./metric-query.ts";
import { hintOnPoints, LETTERS } from "./written-numbers.ts";

// The language of screens: `pe<pe_5y_median,roe>15 or pe<industry.pe_median`.

/** The comparison operators of conditions. */
const OPERATORS = {
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
  "=": (value, limit) => value === limit,
  "!=": (value, limit) => value !== limit,
} as const satisfies Record<string, (value: number, limit: number) => boolean>;

/** Other ways to write them. */
const OPERATOR_ALIASES: Readonly<Record<string, string>> = {
  "==": "=",
  "=<": "<=",
  "=>": ">=",
  "<>": "!=",
  "≤": "<=",
  "≥": ">=",
  "≠": "!=",
};

const SCALES: Readonly<Record<string, number>> = { "": 1, "%": 1, ...LETTERS };

/** The metrics that have a median in each sector and industry, and its name in their statistics. */
const MEDIANS = {
  pe: "peMedian",
  pb: "pbMedian",
  ps: "psMedian",
  ev_ebitda: "evEbitdaMedian",
  roe: "roeMedian",
  roic: "roicMedian",
  revenue_growth: "revenueGrowthMedian",
  eps_growth: "epsGrowthMedian",
  gross_margin: "grossMarginMedian",
  operating_margin: "operatingMarginMedian",
  net_margin: "netMarginMedian",
  fcf_margin: "fcfMarginMedian",
} as const satisfies Partial<Record<MetricName, keyof SectorStatistics>>;

/** A median of the companies of a sector or an industry in one country. */
export interface GroupMedian {
  readonly group: "sector" | "industry";
  readonly statistic: (typeof MEDIANS)[keyof typeof MEDIANS];
  /** As an answer names it: `industry.pe_median`. */
  readonly name: string;
}

/** What a condition compares with: a number, another metric of the company, or a median of its group. */
type Operand =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "metric"; readonly metric: MetricName }
  | ({ readonly kind: "median" } & GroupMedian);

/** A condition on a metric: `pe<20`. */
export interface Condition {
  readonly metric: MetricName;
  readonly operator: keyof typeof OPERATORS;
  readonly right: Operand;
  /** As it was written. */
  readonly text: string;
  /** What to know about it, if its number is probably not what was meant. */
  readonly note?: string;
  /** True if a value meets the condition with the right side's value. An unknown value never does. */
  readonly accepts: (value: number | null, limit: number | null) => boolean;
}

/**
 * Parses a screen: alternatives. One must hold. Each is a list of conditions that all must hold.
 *
 * Conditions are separated by commas or `and`, alternatives by `or`; commas and `and` bind tighter. There are no
 * parentheses. A number can end with K, M, B, T or %, or with million, billion or trillion.
 *
 * @throws BourseError `invalid_argument` with the part that cannot be read and what is allowed
 */
export function parseScreen(text: string): Condition[][] {
  if (/(?:\bnot|!) *\(/i.test(text)) {
    throw refused("where", "where has no parentheses.", {
      hint: "Write each condition with its opposite operator: not (pe>15 and roe<10) as pe<=15 or roe>=10.",
    });
  }
  if (/[()]/.test(text) && /\bor\b|\|\|/i.test(text)) {
    throw refused("where", "where has no parentheses.", {
      hint: "Commas and `and` bind tighter than or: write (pe<10 or pb<1),roe>15 as pe<10,roe>15 or pb<1,roe>15.",
    });
  }
  return text
    .split(/ or | *\|\| */i)
    .map((alternative) => alternative.split(/,| and | *&& */i).map(parseCondition));
}

function parseCondition(text: string): Condition {
  const [, name = "", written = "", right = ""] =
    /^([^<>=!≤≥≠]*)([<>=!≤≥≠]*)(.*)$/s.exec(text) ?? [];
  const operator = OPERATOR_ALIASES[written] ?? written;
  if (!Object.hasOwn(OPERATORS, operator)) {
    throw refused(
      "where",
      `where must be conditions such as pe<20, separated by commas; ${quote(text)} has none of the operators ${Object.keys(OPERATORS).join(" ")}.`,
      { hint: hintOnForm(text) },
    );
  }
  if (/^ *[\d.]+ *$/.test(name)) {
    throw refused(
      "where",
      `where must name a metric before each number, such as pe>5,pe<10, not ${quote(text)}.`,
    );
  }
  refuseExclusion(name, operator);
  const metric = parseMetric("where", name);
  const operand = parseOperand(metric, right.trim());
  const known = operator as keyof typeof OPERATORS;
  const meets = OPERATORS[known];
  const note = caveatOf(name) ?? noteOn(metric, operator, operand, right);
  return {
    metric,
    operator: known,
    right: operand,
    text: text.trim(),
    ...(note !== null && { note }),
    accepts: (value, limit) => value !== null && limit !== null && meets(value, limit),
  };
}

/** What to write instead of a condition without an operator. */
function hintOnForm(text: string): string {
  if (/^ *\d+ *$/.test(text))
    return "A comma separates conditions: write 12.5 with a point, and thousands without a separator.";
  const advice = adviceOn(text);
  if (advice !== null) return advice;
  if (/\b(?:is|not) +null\b/i.test(text))
    return "A company whose figure is unknown meets no condition, so a screen cannot ask for it.";
  if (/^ *(?:symbol|ticker|name|company)\b|[A-Z.]+\)?$/.test(text))
    return "Conditions compare figures. For named companies call compare_stocks, for a part of a name list_symbols.";
  return "Write a range as pe>=5,pe<=10, and numbers without thousands separators.";
}

/** @throws BourseError if a condition leaves out a sector or an industry: the argument beside where does the opposite */
function refuseExclusion(name: string, operator: string): void {
  const [group] = /\b(?:sector|industry)$/i.exec(name.trim()) ?? [];
  if (group === undefined || !(operator === "!=" || /^(?:not|!)/i.test(name.trim()))) return;
  const filter = group.toLowerCase();
  throw refused("where", `A screen cannot leave out a ${filter}: where compares metrics only.`, {
    hint: `Leave it out of where, add ${filter} to metrics, and drop the rows that you do not want.`,
  });
}

/** @throws BourseError if the text is nothing with which the metric can be compared */
function parseOperand(metric: MetricName, text: string): Operand {
  const [, group, figure = ""] = /^(sector|industry)\.(.+)$/i.exec(text) ?? [];
  if (group !== undefined) return parseMedian(metric, group.toLowerCase(), figure);
  const value = parseNumber(METRICS[metric], text);
  if (value !== null) return { kind: "number", value };
  const other = /\p{L}/u.test(text) ? findMetric(text) : null;
  if (other === null) throw notComparable(metric, text);
  const [left, right] = [measureOf(METRICS[metric]), measureOf(METRICS[other])];
  if (left === right) return { kind: "metric", metric: other };
  throw refused(
    "where",
    `where must compare metrics of one unit: ${metric} is ${left}, ${other} is ${right}.`,
    { hint: "Such as pe<pe_5y_median, return_1y>return_1m or cash>total_debt." },
  );
}

function parseMedian(metric: MetricName, group: string, figure: string): Operand {
  const written = figure.trim().toLowerCase();
  const name = findMetric(written.replace(/_median$/, ""));
  if (name !== metric || !Object.hasOwn(MEDIANS, metric)) {
    throw refused(
      "where",
      `where must compare a metric with its own median, such as pe<${group}.pe_median, not ${metric} with ${quote(`${group}.${figure}`)}.`,
      { hint: `Medians are known of ${Object.keys(MEDIANS).join(", ")}.` },
    );
  }
  return {
    kind: "median",
    group: group as GroupMedian["group"],
    statistic: MEDIANS[metric as keyof typeof MEDIANS],
    name: `${group}.${metric}_median`,
  };
}

/** The units whose numbers are percentages, with or without a sign. */
const PERCENTS: readonly Metric["unit"][] = ["percent", "change", "percentile"];

/** The number that a text means for a metric, of a date or a quarter too; null if it is none. */
function parseNumber({ unit }: Metric, text: string): number | null {
  if (unit === "calendar date") return isDate(text) ? dayNumberOf(text) : null;
  if (unit === "fiscal quarter") {
    const [, year, quarter] = /^(\d{4})[- ]?Q([1-7])$/i.exec(text) ?? [];
    return year === undefined ? null : fiscalQuarterNumber(Number(year), Number(quarter));
  }
  if (hintOnPoints(text) !== null) return null;
  const short = text.replace(/ ?([mbt])r?illion$/i, "$1");
  const [, digits, scale = ""] =
    /^([+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)([KMBT%]?)$/i.exec(short) ?? [];
  if (digits === undefined || (scale === "%" && !PERCENTS.includes(unit))) return null;
  return Number(digits) * (SCALES[scale.toUpperCase()] ?? 1);
}

function notComparable(metric: MetricName, text: string) {
  const { unit }: Metric = METRICS[metric];
  const [suggestion] = /^[a-z_]\w*$/i.test(text) ? suggestMetrics(text.toLowerCase()) : [];
  const median = Object.hasOwn(MEDIANS, metric)
    ? ` or a median such as industry.${metric}_median`
    : "";
  const examples: Partial<Record<Metric["unit"], string>> = {
    "calendar date": "a date such as 2026-12-01",
    "fiscal quarter": "a fiscal quarter such as 2026-Q3",
  };
  return refused(
    "where",
    `where must compare ${metric} with ${examples[unit] ?? "a number such as 20, -1.5 or 10B"}, or with another metric${median}, not ${quote(text)}.`,
    {
      hint:
        hintOnPoints(text) ??
        hintOnPercent(metric, text) ??
        hintOnGroups(metric, text) ??
        (INDEX.test(text)
          ? "A figure of an index is no metric: get it by get_price_statistics, and write its number."
          : null) ??
        (suggestion === undefined
          ? "Separate conditions with commas. An amount is in the currency of the country, or names USD, JPY or VND."
          : `Did you mean ${suggestion}?`),
    },
  );
}

/** Multiples that people also write in percent. */
const IN_PERCENT: readonly MetricName[] = [
  "current_ratio",
  "quick_ratio",
  "debt_to_equity",
  "cash_to_debt",
];

/** What to write for a percentage of a metric that is none; null for other texts. */
function hintOnPercent(metric: MetricName, text: string): string | null {
  if (!/^[\d.+-]+ ?%$/.test(text)) return null;
  if (metric === "dividend_per_share")
    return "dividend_per_share is an amount: write dividend_yield for a percentage of the price.";
  return IN_PERCENT.includes(metric)
    ? `${metric} is a multiple: write ${Number.parseFloat(text) / 100} for ${text}.`
    : `${metric} is no percentage: write the number alone.`;
}

/** Names of indices. */
const INDEX = /s&p|nasdaq|dow\b|nikkei|topix|日経|vn-?index|vn30|\bindex\b|\bmarket$/i;

/** Words for figures of groups. */
const OF_GROUPS =
  /median|average|\bavg|_avg|\bmean|sector|industry|peers?\b|group|業[種界]|平均|中央値|セクター|ngành|trung (?:bình|vị)/i;

/** What can be meant by a figure of a group; null for other texts. */
function hintOnGroups(metric: MetricName, text: string): string | null {
  if (!OF_GROUPS.test(text)) return null;
  return Object.hasOwn(MEDIANS, metric)
    ? `Medians are known, averages are not: sector.${metric}_median or industry.${metric}_median.`
    : `Medians are known of ${Object.keys(MEDIANS).join(", ")}: sector.pe_median or industry.pe_median.`;
}

/** What a metric measures, in words: only values of one measure are compared. */
function measureOf({ unit }: Metric): string {
  switch (unit) {
    case "price":
    case "price difference":
    case "money":
    case "reported":
    case "reported per share":
      return "an amount";
    case "percent":
    case "change":
      return "a percentage";
    case "calendar date":
      return "a date";
    case "fiscal quarter":
      return "a fiscal quarter";
    default:
      return unit === "count" ? "a count" : unit === "multiple" ? "a multiple" : `of unit ${unit}`;
  }
}

/** Figures in percent and from 0 to 100 are whole numbers. A limit between 0 and 1 is often meant as a fraction. */
function noteOn(
  metric: MetricName,
  operator: string,
  operand: Operand,
  text: string,
): string | null {
  const { unit }: Metric = METRICS[metric];
  if (operand.kind !== "number" || text.includes("%")) return null;
  const { value } = operand;
  if (unit === "rating" && operator.startsWith(">"))
    return `rating: 1 is strong buy, 5 is strong sell; for better ratings write rating<${value}`;
  const size = Math.abs(value);
  if (size === 0 || size >= 1) return null;
  const meant = Number((100 * value).toPrecision(12));
  if (measureOf(METRICS[metric]) === "a percentage")
    return `percent: ${value} is ${value} %; for ${meant} % write ${meant}`;
  return unit === "percentile" || unit === "index"
    ? `0 to 100: ${value} is below 1; for ${meant} write ${meant}`
    : null;
}
