import { currencyIn } from "#domain/currency.ts";
import { type DecimalMark, readFigure } from "#imports/numbers.ts";
import { unitIn } from "#imports/units.ts";
import type { ListColumn, ListColumns } from "./headers.ts";
import type { Cells } from "./moves.ts";
import type { Paid } from "./positions.ts";

/** The columns of a table with prices paid, by what a row is: a holding, or a transaction. */
const OF_HOLDINGS = ["cost", "costTotal"] as const satisfies readonly ListColumn[];
const OF_TRADES = ["price", "cost"] as const satisfies readonly ListColumn[];

/** The unit that the header of each column of prices names. */
export type CostUnits = ReadonlyMap<ListColumn, ReturnType<typeof unitIn>>;

/** @param areTrades true if the rows are transactions, whose price is the one that was paid */
export function costUnitsOf(
  header: readonly string[],
  columns: ListColumns,
  areTrades: boolean,
): CostUnits {
  return new Map(
    (areTrades ? OF_TRADES : OF_HOLDINGS).flatMap((name) => {
      const written = header[columns.get(name) ?? -1];
      return written === undefined ? [] : [[name, unitIn(written)] as const];
    }),
  );
}

/** A code or a word behind the figure, which `readFigure` does not read. */
const UNIT_BEHIND = /\s*(?:[A-Za-z]{3}|đồng)$/;

/**
 * The price paid for a share of a row; null without one, and where two names of its currency differ. A price of 0 is a
 * field that was not filled.
 */
export function paidIn(
  of: Cells,
  shares: number,
  units: CostUnits,
  mark: DecimalMark,
): Paid | null {
  for (const [column, { factor, currency }] of units) {
    const written = of(column).slice(0, 60);
    const figure = readFigure(written.replace(UNIT_BEHIND, ""), mark);
    if (!figure || !Number.isFinite(figure)) continue;
    const named = [currency, unitIn(written).currency].filter((one) => one !== null);
    if (new Set(named).size > 1) return null;
    const [code = of("currency")] = named;
    const [own, parts] = currencyIn(code);
    const total = (figure * factor) / parts;
    const price = Math.abs(column === "costTotal" ? total / shares : total);
    if (!Number.isFinite(price)) continue;
    return { price, currency: /^[A-Z]{3}$/.test(own) ? own : null };
  }
  return null;
}
