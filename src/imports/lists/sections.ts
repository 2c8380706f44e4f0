import { normalizeHeader } from "#imports/bar-headers.ts";
import { isListHeader, mapListColumns } from "./headers.ts";
import type { ListRow } from "./own.ts";

/** The rows of all tables of a file that have the columns of the first one, and where others begin. */
export interface Sections {
  readonly rows: readonly ListRow[];
  /** The numbers of the rows where tables begin that are not read. */
  readonly others: readonly number[];
}

/**
 * Joins the tables of several accounts, each below its header. Columns in another order are put in the order of the
 * first table. A table of another kind, such as transactions below holdings, is left out.
 */
export function joinSections(header: readonly string[], rows: readonly ListRow[]): Sections {
  const joined: ListRow[] = [];
  const others: number[] = [];
  let order: readonly number[] | null = null;
  let isRead = true;
  for (const row of rows) {
    if (isHeader(row.cells, header)) {
      dropTitles(joined);
      order = orderOf(header, row.cells);
      isRead = order !== null;
      if (!isRead) others.push(row.number);
    } else if (isRead) {
      const cells: readonly string[] = order?.map((at) => row.cells[at] ?? "") ?? row.cells;
      joined.push({ number: row.number, cells });
    }
  }
  return { rows: joined, others };
}

const namesOf = (cells: readonly string[]): readonly string[] => cells.map(normalizeHeader);

/** True for the header of a table below. Rows of figures have a number, which no header has. */
function isHeader(cells: readonly string[], first: readonly string[]): boolean {
  if (cells.some((cell) => /^[-+$€]?\d/.test(cell.trim()))) return false;
  const columns = mapListColumns(cells);
  if (!isListHeader(columns)) return false;
  const isCounted = columns.size > 1 && columns.has("quantity");
  const isSame = first.length > 1 && namesOf(cells).join() === namesOf(first).join();
  return columns.size > 2 || isCounted || isSame;
}

/** The positions of the first table's columns in a header below; null if that is of another kind. */
function orderOf(first: readonly string[], cells: readonly string[]): readonly number[] | null {
  const [known, found] = [mapListColumns(first), mapListColumns(cells)];
  const kinds = ["quantity", "type", "tradeDate"] as const;
  if (kinds.some((column) => known.has(column) !== found.has(column))) return null;
  const names = namesOf(cells);
  const columnAt = new Map([...known].map(([column, at]) => [at, column]));
  return namesOf(first).map((name, at) => {
    const same = name === "" ? -1 : names.indexOf(name);
    if (same !== -1) return same;
    const column = columnAt.get(at);
    // A column without a name belongs to the one before it, which is at the same place in an equal table.
    const other = column === undefined ? undefined : found.get(column);
    return other ?? (names.join() === namesOf(first).join() ? at : -1);
  });
}

/** Drops the lines above a header, such as the name of an account: they have one cell, which is no symbol. */
function dropTitles(rows: ListRow[]): void {
  for (let last = rows.at(-1); last; last = rows.at(-1)) {
    const filled = last.cells.filter((cell) => cell.trim() !== "");
    const isTitle =
      filled.length < 2 &&
      (last.cells.length === 1 || !/^[A-Z0-9.:-]*$/.test(filled[0]?.trim() ?? ""));
    if (!isTitle) return;
    rows.pop();
  }
}
