import { type Metric, type MetricName, METRICS } from "#analytics/metrics.ts";
import type { Condition } from "#operations/reading/screen-language.ts";

// What can never or always hold, whatever the figures are.

/** The least and the most that a metric can be. */
type Bounds = readonly [least: number, most: number];

/** The bounds of metrics that their units do not say. */
const BOUNDS: Partial<Record<MetricName, Bounds>> = {
  volatility: [0, Infinity],
  below_ceiling: [0, 100],
  above_floor: [0, Infinity],
  below_high_52w: [0, 100],
  above_low_52w: [0, Infinity],
  below_high_ytd: [0, 100],
  above_low_ytd: [0, Infinity],
  traded_value: [0, Infinity],
  min_investment: [0, Infinity],
  market_cap: [0, Infinity],
  dividend_yield: [0, Infinity],
  eps_beats_4q: [0, 4],
  change_percent: [-100, Infinity],
  gross_margin: [-Infinity, 100],
};

function boundsOf(name: MetricName): Bounds {
  const metric: Metric = METRICS[name];
  const { unit } = metric;
  if (BOUNDS[name]) return BOUNDS[name];
  if (unit === "index" || unit === "percentile") return [0, 100];
  if (unit === "rating") return [1, 5];
  if (name.startsWith("return_")) return [-100, Infinity];
  return unit === "price" || unit === "count" ? [0, Infinity] : [-Infinity, Infinity];
}

/** Prices from low to high. The ranges of a year include the newest session. */
const ORDERED: readonly (readonly MetricName[])[] = [
  ["low_52w", "low_ytd", "price", "high_ytd", "high_52w"],
  ["floor_price", "price", "ceiling_price"],
  ["floor_price", "reference_price", "ceiling_price"],
];

/** The two metrics, the lower one first; null if either can be the lower one. */
function inOrder(one: MetricName, other: MetricName): [low: MetricName, high: MetricName] | null {
  const order = ORDERED.find((names) => names.includes(one) && names.includes(other));
  if (!order) return null;
  return order.indexOf(one) < order.indexOf(other) ? [one, other] : [other, one];
}

/** The sentences on what can never or always hold in a screen, at most one for each alternative. */
export function limitsOfScreen(screen: readonly (readonly Condition[])[]): string[] {
  return screen.flatMap((conditions) => {
    const texts = conditions.flatMap(limitOf);
    return texts.length > 0 ? texts : contradictionIn(conditions);
  });
}

/** `price<0 can never hold: price is never below 0.` */
function limitOf(condition: Condition): string[] {
  const { metric, right, text } = condition;
  const accepts = (value: number, limit: number) => condition.accepts(value, limit);
  if (right.kind === "median") return [];
  if (right.kind === "metric") {
    const isSame = metric === right.metric;
    const pair = isSame ? null : inOrder(metric, right.metric);
    if (!isSame && !pair) return [];
    const [low] = pair ?? [metric];
    // Each order that the two can have.
    const [equal, apart] = [
      accepts(1, 1),
      isSame ? null : low === metric ? accepts(1, 2) : accepts(2, 1),
    ];
    if (apart !== null && equal !== apart) return [];
    const why = isSame
      ? "it compares a figure with itself"
      : `${pair?.[0]} is never above ${pair?.[1]}`;
    return [sentence(text, equal, why)];
  }
  const [least, most] = boundsOf(metric);
  const { value } = right;
  const inside = [least, most, value].filter(
    (one) => Number.isFinite(one) && one >= least && one <= most,
  );
  const tried = [
    ...inside,
    ...inside
      .flatMap((one) => [one - 1e-9, one + 1e-9])
      .filter((one) => one >= least && one <= most),
    ...(least === -Infinity ? [-Number.MAX_VALUE] : []),
    ...(most === Infinity ? [Number.MAX_VALUE] : []),
  ].map((one) => accepts(one, value));
  if (new Set(tried).size > 1) return [];
  const range =
    most === Infinity
      ? `${metric} is never below ${least}`
      : `${metric} is from ${least} to ${most}`;
  return [
    sentence(
      text,
      tried[0] ?? false,
      least === -Infinity ? `${metric} is never above ${most}` : range,
    ),
  ];
}

const sentence = (text: string, isMet: boolean, why: string) =>
  `${text} ${isMet ? "always holds if the figure is known" : "can never hold"}: ${why}.`;

/** `pe<10 and pe>20 can never hold together.` */
function contradictionIn(conditions: readonly Condition[]): string[] {
  const byMetric = Map.groupBy(
    conditions.filter(({ right }) => right.kind === "number"),
    ({ metric }) => metric,
  );
  return [...byMetric.values()].flatMap((those) => {
    const limits = those.flatMap(({ right }) => (right.kind === "number" ? [right.value] : []));
    const step = Math.max(...limits.map(Math.abs), 1) * 1e-9;
    const tried = [
      -Number.MAX_VALUE,
      Number.MAX_VALUE,
      ...limits.flatMap((one) => [one - step, one, one + step]),
    ];
    const isPossible = tried.some((value) =>
      those.every(({ accepts, right }) => right.kind === "number" && accepts(value, right.value)),
    );
    return isPossible
      ? []
      : [`${those.map(({ text }) => text).join(" and ")} can never hold together.`];
  });
}
