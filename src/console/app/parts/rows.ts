import type { PayloadOf } from "#operations/index.ts";

type Table = Pick<PayloadOf<"screen_stocks">, "columns" | "rows">;

/** A cell of a table; null if the value is missing. */
export type Cell = Table["rows"][number][number];

/** A row of a table by the names of its columns. */
export type Row = Readonly<Record<string, Cell>>;

/** The rows of a table as objects. */
export function rowsOf({ columns, rows }: Table): Row[] {
  return rows.map((row) =>
    Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])),
  );
}

/** A number of a row; null if it is missing. */
export function numberIn(row: Row, column: string): number | null {
  const value = row[column];
  return typeof value === "number" ? value : null;
}

/** A text of a row; empty if it is missing. */
export function textIn(row: Row, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : "";
}
