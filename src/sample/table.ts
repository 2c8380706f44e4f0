import { csvRows } from "#lib/csv.ts";

/** The cell of a row in a column, as text; empty if the row ends before it. */
export type Row = (column: string) => string;

/** The rows of a table of this folder, in their order. The first line names the columns. */
export function readTable(csv: string): Row[] {
  const [header, ...rows] = csvRows(csv);
  return rows.map(
    ({ cells }) =>
      (column) =>
        cells[header?.cells.indexOf(column) ?? -1] ?? "",
  );
}

/** The number in a cell; null if the cell is empty. */
export function numberIn(cell: string): number | null {
  return cell === "" ? null : Number(cell);
}

/** The text of a cell as one of the values. Throws if it is none of them. */
export function oneOf<T extends string>(values: readonly T[], cell: string): T {
  const found = values.find((value) => value === cell);
  if (found === undefined) throw new Error(`"${cell}" is not one of ${values.join(", ")}.`);
  return found;
}
