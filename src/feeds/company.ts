import { BourseError } from "#domain/errors.ts";
import type { Cell } from "#lib/table.ts";
import type { CallOperation } from "./layer.ts";
import { type FeedInstrument, findFigures } from "./request.ts";

type Company = Pick<FeedInstrument, "country" | "symbol">;
/** Figures by the name of their column. */
export type Figures = ReadonlyMap<string, Cell>;
/** The types of statements, as `get_stock_statements` names them. */
export type StatementType = "income" | "balance" | "cashflow" | "ratios";

/** One call takes 20 metrics of at most 300 characters. */
const PER_CALL = 15;
/** More periods than this are never asked for. */
export const MAX_PERIODS = 40;

/**
 * The figures of a company's fiscal years or quarters, newest first, those of all types together. None for an instrument
 * without statements.
 *
 * @throws BourseError
 */
export async function listPeriods(
  call: CallOperation,
  { country, symbol }: Company,
  types: readonly StatementType[],
  args: { readonly period: "annual" | "quarterly"; readonly known_on?: string | undefined },
): Promise<Figures[]> {
  const tables = await Promise.all(
    types.map(async (type) => {
      const query = { country, symbol, type, figures: "only", limit: MAX_PERIODS, ...args };
      try {
        return (await call("get_stock_statements", query)).figures;
      } catch (error) {
        // A fund or an index, or nothing was known on that day.
        const isNone = error instanceof BourseError && error.code !== "unavailable";
        if (isNone && (error.code === "not_found" || error.details.param === "known_on"))
          return undefined;
        throw error;
      }
    }),
  );
  const [first, ...others] = tables;
  return (first?.rows ?? []).map(
    (_, i) =>
      new Map(
        [first, ...others].flatMap((table) =>
          (table?.columns ?? []).map((name, column): [string, Cell] => [
            name,
            table?.rows[i]?.[column] ?? null,
          ]),
        ),
      ),
  );
}

/** Figures of a company as `compare_stocks` gives them, with `name`, `currency` and `to_session`. @throws BourseError */
export async function getFigures(
  call: CallOperation,
  { country, symbol }: Company,
  metrics: readonly string[],
): Promise<Figures> {
  const calls: string[][] = [];
  for (let i = 0; i < metrics.length; i += PER_CALL) calls.push(metrics.slice(i, i + PER_CALL));
  const parts = await Promise.all(
    calls.map((names) => findFigures(call, `${country}:${symbol}`, names)),
  );
  return new Map(parts.flatMap((part) => [...(part ?? [])]));
}

/** A percent number as a ratio: 48.06 as 0.4806. */
export function ratioOf(percent: Cell | undefined): number | null {
  return typeof percent === "number" ? Number((percent / 100).toPrecision(12)) : null;
}
