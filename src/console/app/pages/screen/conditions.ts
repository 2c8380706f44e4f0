import { currencyUnit, formatText } from "#console/app/format.ts";

const OR = / or | *\|\| */i;

/** The conditions of a screen. Alternatives are one condition, because a part of them has another meaning alone. */
export function splitConditions(where: string): readonly string[] {
  return (OR.test(where) ? [where] : where.split(",")).filter((one) => one !== "");
}

/** The screen of all conditions: those beside alternatives belong to each of them. */
export function joinConditions(conditions: readonly string[]): string {
  const either = conditions.find((one) => OR.test(one)) ?? "";
  const others = conditions.filter((one) => one !== either);
  return either
    .split(OR)
    .map((alternative) => [alternative, ...others].filter((one) => one !== "").join(","))
    .join(" or ");
}

/** A limit of a metric, as it is written: `10B`. */
export interface Limit {
  readonly value: number;
  readonly text: string;
  /** True for `<` and `>`, false for `<=` and `>=`. */
  readonly isStrict: boolean;
}

/** What a metric must be; null without a limit. */
export interface Bounds {
  readonly low: Limit | null;
  readonly high: Limit | null;
}

/** The sizes of the units that conditions can have. */
export const UNITS: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** The number of `1.5`, `10B`; null for another text. */
function numberOf(text: string): number | null {
  const [, digits, unit = ""] = /^([-+]?\d+(?:\.\d+)?)([KMBT]?)$/i.exec(text) ?? [];
  return digits === undefined ? null : Number(digits) * (UNITS[unit.toUpperCase()] ?? 1);
}

/** The conditions of one metric. */
interface MetricBounds extends Bounds {
  readonly metric: string;
}

/** A condition of one metric with one number: `pe<20`. */
function readCondition(text: string): MetricBounds | null {
  const [, metric = "", sign = "", limit = ""] = /^(\w+)(<=|>=|<|>)(.+)$/.exec(text) ?? [];
  const value = numberOf(limit);
  if (value === null) return null;
  const read = { value, text: limit, isStrict: sign.length === 1 };
  return sign.startsWith("<")
    ? { metric, low: null, high: read }
    : { metric, low: read, high: null };
}

/** A filter of a screen: bounds of a metric, or another condition as it is written. */
export type Filter =
  | { readonly texts: readonly string[]; readonly bounds: MetricBounds }
  | { readonly texts: readonly string[]; readonly bounds: null };

/** The filters of the conditions, in their order. A lower and an upper limit of a metric are one filter. */
export function filtersOf(conditions: readonly string[]): Filter[] {
  const filters: Filter[] = [];
  for (const text of conditions) {
    const bounds = readCondition(text);
    const at = filters.findIndex(
      (one) => bounds !== null && one.bounds?.metric === bounds.metric && fits(one.bounds, bounds),
    );
    const before = filters[at];
    if (!bounds) filters.push({ texts: [text], bounds });
    else if (!before?.bounds) filters.push({ texts: [text], bounds });
    else {
      filters[at] = {
        texts: [...before.texts, text],
        bounds: {
          metric: bounds.metric,
          low: before.bounds.low ?? bounds.low,
          high: before.bounds.high ?? bounds.high,
        },
      };
    }
  }
  return filters;
}

/** True if one has the limit that the other lacks. */
const fits = (one: Bounds, other: Bounds) =>
  (one.low === null) !== (other.low === null) && (one.high === null) !== (other.high === null);

/** The conditions that say this of a metric: `pe>=5`, `pe<20`. */
export function conditionsOf(metric: string, { low, high }: Bounds): string[] {
  return [
    ...(low ? [`${metric}>${low.isStrict ? "" : "="}${low.text}`] : []),
    ...(high ? [`${metric}<${high.isStrict ? "" : "="}${high.text}`] : []),
  ];
}

/** A limit as people read it: `20`, `10B`, `3%`, `10B JPY`. @param unit of the metric: `percent` @param currency of an amount */
export const showLimit = ({ text }: Limit, unit: string, currency?: string): string =>
  formatText(text) +
  (unit === "percent" || unit === "change" ? "%" : "") +
  (currency === undefined ? "" : currencyUnit(currency));

const SIGNS: Readonly<Record<string, string>> = { "<=": "≤", ">=": "≥", "!=": "≠" };

/** An operator as people write it: `≤` for `<=`. */
export const signOf = (operator: string): string => SIGNS[operator] ?? operator;

/** What a metric is called, its unit, and the currency of an amount. */
interface Named {
  readonly title: string;
  readonly unit: string;
  readonly currency?: string | undefined;
}

/** The sign of a limit: `<`, or `≤` if the limit itself is allowed. */
const operatorOf = (operator: "<" | ">", { isStrict }: Limit): string =>
  signOf(isStrict ? operator : `${operator}=`);

/** `P/E 5 – 20` with both ends, `5 ≤ P/E < 20`, `Dividend yield ≥ 3%`, `Market cap 1T – 2T JPY`. */
export function describeBounds({ low, high }: Bounds, { title, unit, currency }: Named): string {
  if (low && high) {
    const [from, to] = [showLimit(low, unit), showLimit(high, unit, currency)];
    if (!low.isStrict && !high.isStrict) return `${title} ${from} – ${to}`;
    return `${from} ${operatorOf("<", low)} ${title} ${operatorOf("<", high)} ${to}`;
  }
  const limit = low ?? high;
  return limit
    ? `${title} ${operatorOf(low ? ">" : "<", limit)} ${showLimit(limit, unit, currency)}`
    : title;
}

/** True for a condition with alternatives. */
export const isEither = (text: string) => OR.test(text);
