import { Type } from "@sinclair/typebox";
import type { MacroSeries } from "#domain/macro.ts";
import type { MacroVintage } from "#domain/macro-vintages.ts";
import { COMPUTED, type Provenance } from "#domain/records.ts";
import { TableOutput } from "#domain/schema.ts";
import type { Cell } from "#lib/table.ts";
import type { MarketStore } from "#store/index.ts";

/** The field of an answer with the revisions of a series. */
export const RevisionsOutput = {
  revisions: Type.Optional(
    Type.Object(TableOutput, {
      description:
        "Only with revisions=true: every figure of these periods with the UTC date since which it was known. is_first is false if an earlier one may have been published; a null value was withdrawn.",
    }),
  ),
};

/** The columns that the first figures add to a series. */
export const FIRST_COLUMNS = ["first", "first_known_on"];

/** The first figures of a series, and all revisions of the given periods. */
export function revisionsOf(
  market: MarketStore,
  { country, id, unit }: MacroSeries,
  periods: ReadonlySet<unknown>,
): {
  readonly firstOf: (period: unknown) => readonly Cell[];
  readonly table: { columns: string[]; rows: Cell[][] };
  /** The source of vintages that were not kept here. */
  readonly from: readonly Provenance[];
} {
  const stored = market.documents.find("macroVintages", country, id);
  const vintages =
    stored?.unit === unit ? stored.vintages.filter(({ period }) => periods.has(period)) : [];
  const first = new Map<string, MacroVintage>();
  for (const one of vintages) if (!first.has(one.period)) first.set(one.period, one);
  const isFirst = (one: MacroVintage) => one.isBase !== true && first.get(one.period) === one;
  return {
    firstOf(period) {
      const one = first.get(String(period));
      return one && isFirst(one) ? [one.value, one.since] : [null, null];
    },
    table: {
      columns: ["period", "known_since", "value", "is_first"],
      rows: vintages.map((one) => [one.period, one.since, one.value, isFirst(one)]),
    },
    from: stored && stored.source !== COMPUTED ? [stored] : [],
  };
}
