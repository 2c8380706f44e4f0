import { instrumentOfWatch } from "#domain/alert.ts";
import { listNameOf } from "#domain/user-list.ts";
import { formatCount } from "#lib/table.ts";
import { inSlices } from "#operations/metric-ranks.ts";
import { type MedianOf, medianReader } from "#operations/metric-values.ts";
import type { OwnContext } from "#operations/operation.ts";
import { formatKey } from "#operations/reading/symbols.ts";
import { createMetricsReader } from "#rollups/companies.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import { NO_SPLITS, truthOf } from "./condition.ts";
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
  await inSlices(items, (item) => {
    const instrument = market.instruments.find(item);
    const truth = instrument
      ? truthOf(rule.screen, figuresOf(metricsOf(instrument), converted, medianOf, at), NO_SPLITS)
      : null;
    if (truth === true && instrument) keys.push(formatKey(instrument));
    if (truth === null) unknown++;
  });
  return { keys, unknown, of: items.length };
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
export function describeTrueNow({ keys, unknown, of }: TrueNow): string {
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
  ].join(" ");
}
