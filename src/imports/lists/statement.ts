import { mapListColumns } from "./headers.ts";
import { listRows } from "./limits.ts";
import { type ListRow, ROWS_PER_TURN } from "./own.ts";
import type { ListTable } from "./table.ts";

/** A section of a statement. */
interface Section {
  readonly header: readonly string[];
  readonly rows: ListRow[];
}

/** True for an activity statement of Interactive Brokers, whose lines begin with a section and `Header` or `Data`. */
export const isStatement = (text: string): boolean => /^"?[^",\n]{1,60}"?,"?Header"?,/.test(text);

/** The open positions of a statement, or its trades if it has none; null without both. */
export function* statementTable(text: string): Generator<void, ListTable | null> {
  const sections: Section[] = [];
  let i = 0;
  for (const { line, cells } of listRows(text, ",")) {
    if (++i % ROWS_PER_TURN === 0) yield;
    const [, kind, ...rest] = cells;
    if (kind === "Header") sections.push({ header: rest, rows: [] });
    else if (kind === "Data") sections.at(-1)?.rows.push({ number: line, cells: rest });
  }
  const held = sections.filter(({ header, rows }) => {
    const columns = mapListColumns(header);
    return rows.length > 0 && columns.has("symbol") && columns.has("quantity");
  });
  const found = held.find(({ header }) => !mapListColumns(header).has("date")) ?? held[0];
  return found ? { unit: "line", ...found, delimiter: "," } : null;
}
