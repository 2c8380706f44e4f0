import { readFileSync } from "node:fs";
import { invalidArgument } from "#domain/errors.ts";
import { csvRows } from "#lib/csv.ts";
import { type Command, type Invocation, usage } from "./command.ts";

/** A row of a CSV file: its cells by column, without spaces around them. */
export interface BulkRow<Column extends string> {
  /** Null if the row is not in a file. */
  readonly line: number | null;
  readonly cells: Readonly<Record<Column, string>>;
}

/**
 * The rows of the file that --from names, or one row of the operand, which is the first column.
 *
 * @throws BourseError if both are given, or none, or as `readRows`
 */
export function rowsOf<Column extends string>(
  command: Command,
  { operands: [first], flags }: Pick<Invocation, "operands" | "flags">,
  columns: readonly [Column, ...Column[]],
): BulkRow<Column>[] {
  const file = flags["from"];
  if ((file === undefined) === (first === undefined)) {
    throw usage(command, `Give ${columns[0].toUpperCase()} or --from FILE`);
  }
  if (file !== undefined) return readRows(String(file), columns);
  const cells = columns.map((column) => [column, column === columns[0] ? first : ""]);
  return [{ line: null, cells: Object.fromEntries(cells) as Record<Column, string> }];
}

/**
 * The rows of a CSV file with a header. The first column is required; a cell of another column is empty if
 * the file does not have it.
 *
 * @throws BourseError that names the file, and every column that is missing or unknown
 */
function readRows<Column extends string>(
  path: string,
  columns: readonly [Column, ...Column[]],
): BulkRow<Column>[] {
  const refuse = (reason: string) => invalidArgument(`${path}: ${reason}`);
  let rows;
  try {
    rows = [...csvRows(readFileSync(path, "utf8"))];
  } catch (error) {
    throw refuse(`${error instanceof Error ? error.message : String(error)}.`);
  }
  const [header = [], ...others] = rows.map(({ cells }) => cells.map((cell) => cell.trim()));
  const names = header.map((name) => name.toLowerCase());
  const unknown = names.filter((name) => !columns.some((one) => one === name));
  if (unknown.length > 0 || !names.includes(columns[0]) || new Set(names).size < names.length) {
    throw refuse(
      `the header must name ${columns[0]}, and may name ${columns.slice(1).join(" and ")}, each once; it is ${header.join(",") || "empty"}.`,
    );
  }
  if (others.length === 0) throw refuse("there is no row below the header.");
  return others.map((cells, i) => ({
    line: rows[i + 1]?.line ?? null,
    cells: Object.fromEntries(
      columns.map((column) => [column, cells[names.indexOf(column)] ?? ""]),
    ) as Record<Column, string>,
  }));
}
