import { type CsvRow, csvRows } from "#lib/csv.ts";

/** Characters of a cell. A longer text is no number, date or symbol, and only the start of a note is kept. */
const LONGEST_CELL = 500;

/** The rows of a CSV text with cells of at most 500 characters. @throws CsvError as `csvRows` does */
export function* cutRows(text: string, delimiter: string): Generator<CsvRow, void> {
  for (const { line, cells } of csvRows(text, { delimiter }))
    yield { line, cells: cutCells(cells) };
}

/** The cells of a row, each cut after 500 characters. The `…` at a cut keeps a part of a number from being read. */
export function cutCells(cells: readonly string[]): readonly string[] {
  // Most rows have short cells.
  for (const cell of cells) if (cell.length > LONGEST_CELL) return cells.map(cutCell);
  return cells;
}

function cutCell(written: string): string {
  const cell = written.trim();
  return cell.length > LONGEST_CELL ? `${cell.slice(0, LONGEST_CELL)}…` : cell;
}
