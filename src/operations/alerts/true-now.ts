import { instrumentOfWatch } from "#domain/alert.ts";
import { listNameOf } from "#domain/user-list.ts";
import { formatCount } from "#lib/table.ts";
import { inSlices } from "#operations/metric-ranks.ts";
import { type MedianOf, medianReader } from "#operations/metric-values.ts";
import type { OwnContext } from "#operations/operation.ts";
import { formatKey } from "#operations/reading/symbols.ts";
import { createMetricsReader } from "#rollups/companies.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import { METRICS } from "#analytics/metrics.ts";
import { type Figures, NO_SPLITS, truthOf } from "./condition.ts";
import { figuresOf } from "./instrument-figures.ts";
import type { ConditionRule } from "./rule.ts";

/** For which instruments of a rule its condition is true now. */
export interface TrueNow {
  /** Their keys: `US:AAPL`. */
  readonly keys: readonly string[];
  /** The number of instruments whose figures are not known well enough. */
  readonly unknown: number;
  /** The number of instruments that the rule watches. */
  readonly of: number;
  /** A sentence on each limit that is so far from the figure that it is probably in another unit; of a list none. */
  readonly far: readonly string[];
}

/** Evaluates the condition of a rule for what it watches: `US:AAPL`, `list:semis`. */
export async function findTrueNow(
  rule: ConditionRule,
  watch: string,
  { market, rollups, own, now }: Pick<OwnContext, "market" | "rollups" | "own" | "now">,
): Promise<TrueNow> {
  const one = instrumentOfWatch(watch);
  const items = one ? [one] : (await own.get("list", listNameOf(watch) ?? "")).value.items;
  const converted = new ConvertedCompanies(market, rule.currency);
  const metricsOf = createMetricsReader(market, now);
  const medianOf = knownMedians(medianReader(rollups));
  const at = { now, holidays: market.documents.list("holidayOverrides", null) };
  const keys: string[] = [];
  let unknown = 0;
  const far: string[] = [];
  await inSlices(items, (item) => {
    const instrument = market.instruments.find(item);
    const figures = instrument && figuresOf(metricsOf(instrument), converted, medianOf, at);
    const truth = figures && truthOf(rule.screen, figures, NO_SPLITS);
    if (figures && one) far.push(...farLimits(rule, figures, converted.currencyOf(instrument)));
    if (truth === true && instrument) keys.push(formatKey(instrument));
    if (truth === null) unknown++;
  });
  return { keys, unknown, of: items.length, far };
}

/** A price so many times its limit, or a limit so many times its price, is probably in thousands. */
const FAR = 500;

/** A sentence on each limit of a price that is so far from it that it is probably in another unit. */
export function farLimits(
  { screen }: ConditionRule,
  figures: Pick<Figures, "read">,
  currency: string | null,
): string[] {
  return screen.flat().flatMap(({ metric, right, text }) => {
    const value = METRICS[metric].unit === "price" ? figures.read(metric) : null;
    if (value === null || right.kind !== "number" || value <= 0 || right.value <= 0) return [];
    const times = Math.max(value / right.value, right.value / value);
    const unit = currency === null ? "" : ` ${currency}`;
    return times < FAR
      ? []
      : [
          `${metric} is ${value}${unit} now, far from the limit of ${text}: is that in another unit?`,
        ];
  });
}

/** Medians are unknown until the figures of all companies are computed. */
const knownMedians =
  (medianOf: MedianOf): MedianOf =>
  (...asked) => {
    try {
      return medianOf(...asked);
    } catch {
      return null;
    }
  };

/** What a user should know who saves a rule that is true already, or that cannot be judged; empty if nothing. */
export function describeTrueNow({ keys, unknown, of, far }: TrueNow): string {
  const isOne = of === 1;
  const held = isOne ? "It is true now" : `It is true now for ${keys.length} of ${of}`;
  return [
    ...(keys.length > 0
      ? [`${held}, which sends nothing: a message comes when it is true after it was not.`]
      : []),
    ...(unknown > 0
      ? [
          isOne
            ? "Its figures are unknown now."
            : `The figures of ${formatCount(unknown, "instrument")} are unknown now.`,
        ]
      : []),
    ...far,
  ].join(" ");
}
