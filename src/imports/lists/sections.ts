import { normalizeHeader } from "#imports/bar-headers.ts";
import { isListHeader, mapListColumns } from "./headers.ts";
import { type ListRow, ROWS_PER_TURN } from "./own.ts";

/** The tables of a file with the same kind of rows as one, and where others begin. */
export interface Sections {
  /** The header of the first table, and behind it the columns that only later ones have. */
  readonly header: readonly string[];
  readonly rows: readonly ListRow[];
  /** The numbers of the rows where tables begin that are not read. */
  readonly others: readonly number[];
}

/**
 * Joins the tables of several accounts, each below its header. Columns in another order are put in the order of the
 * first table. A table of another kind, such as transactions below holdings, is left out.
 */
export function* joinSections(
  first: readonly string[],
  rows: readonly ListRow[],
): Generator<void, Sections> {
  const joined: ListRow[] = [];
  const others: number[] = [];
  let header = first;
  let order: readonly number[] | null = null;
  let isRead = true;
  for (const [i, row] of rows.entries()) {
    if (i % ROWS_PER_TURN === ROWS_PER_TURN - 1) yield;
    if (isHeader(row.cells, first)) {
      dropTitles(joined);
      isRead = isSameKind(first, row.cells);
      if (isRead) {
        header = withColumnsOf(row.cells, header);
        order = orderOf(header, row.cells);
      } else others.push(row.number);
    } else if (isRead) {
      const cells: readonly string[] = order?.map((at) => row.cells[at] ?? "") ?? row.cells;
      joined.push({ number: row.number, cells });
    }
  }
  return { header, rows: joined, others };
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

/** True if the rows of two tables are both holdings, or both transactions. */
function isSameKind(first: readonly string[], cells: readonly string[]): boolean {
  const [known, found] = [mapListColumns(first), mapListColumns(cells)];
  const kinds = ["quantity", "type", "date", "tradeDate"] as const;
  return kinds.every((column) => known.has(column) === found.has(column));
}

/** The header with the names of the known columns that only another table has. */
function withColumnsOf(cells: readonly string[], header: readonly string[]): readonly string[] {
  const known = mapListColumns(header);
  const more = [...mapListColumns(cells)].flatMap(([column, at]) =>
    known.has(column) ? [] : (cells[at] ?? []),
  );
  return more.length > 0 ? [...header, ...more] : header;
}

/** Where each column of the header is in a table below; -1 if it is not there. */
function orderOf(header: readonly string[], cells: readonly string[]): readonly number[] {
  const [known, found] = [mapListColumns(header), mapListColumns(cells)];
  const [own, names] = [namesOf(header), namesOf(cells)];
  const columnAt = new Map([...known].map(([column, at]) => [at, column]));
  const isEqual = own.join() === names.join();
  return own.map((name, at) => {
    const column = columnAt.get(at);
    if (isEqual) return at;
    return (column && found.get(column)) ?? (name === "" ? -1 : names.indexOf(name));
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
