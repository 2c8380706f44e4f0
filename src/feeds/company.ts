import { BourseError } from "#domain/errors.ts";
import { addDays } from "#lib/date.ts";
import type { Cell, Table } from "#lib/table.ts";
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
 * The figures of a company's fiscal years or quarters, newest first, all types together. None for an instrument
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
  // The answers are cached apart, so one of them can begin with a newer period than another.
  const [first, ...others] = tables.map(periodsOf);
  return [...(first ?? [])].map(
    ([end, figures]) =>
      new Map([...others.flatMap((one) => [...(one.get(end) ?? [])]), ...figures]),
  );
}

/** The rows of a table of fiscal periods by the last day of their period, in its order. */
function periodsOf(table: Table | null | undefined): ReadonlyMap<string, Figures> {
  const { columns = [], rows = [] } = table ?? {};
  const end = columns.indexOf("period_end");
  return new Map(
    rows.map((row) => [
      String(row[end]),
      new Map(columns.map((name, i): [string, Cell] => [name, row[i] ?? null])),
    ]),
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

/**
 * The estimate of the quarter with that last day; undefined without one. Quarters of whole weeks end up to three days
 * after their month: one that ends on 2 October is the quarter of September.
 */
export function findQuarter<One extends { readonly quarter_end: string }>(
  estimates: readonly One[],
  end: string,
): One | undefined {
  const of = (day: string) => estimates.find((one) => one.quarter_end === day.slice(0, 7));
  return of(end) ?? of(addDays(end, -3));
}
