import { cutRows } from "#imports/cut-cells.ts";
import { CsvError, type CsvRow } from "#lib/csv.ts";

/** Rows of a table, or symbols without a table. */
const MAX_ROWS = 100_000;

/** Lines of a text: a row can have several, and blank lines between. */
const MAX_LINES = 4 * MAX_ROWS;

/** Columns of a table. */
export const MAX_COLUMNS = 256;

/** Characters of a line of a ledger, or of symbols without a comma between them. */
const LONGEST_LINE = 4_000;

/** Characters of a line of symbols with commas between them, as of a row of CSV. */
const LONGEST_LIST = 2 ** 20;

/** Lines that are counted before others get their turn. */
const LINES_PER_TURN = 10_000;

/**
 * The rows of a table with cells of at most 500 characters.
 *
 * @throws CsvError if a row has more than 256 columns
 */
export function* listRows(text: string, delimiter: string): Generator<CsvRow, void> {
  for (const row of cutRows(text, delimiter)) {
    if (row.cells.length > MAX_COLUMNS)
      throw new CsvError(
        row.line,
        `the row has more than ${MAX_COLUMNS} columns: keep the columns of the holdings`,
      );
    yield row;
  }
}

/** Refuses a text of too many lines. @throws CsvError */
export function* refuseManyLines(text: string): Generator<void, void> {
  let lines = 1;
  for (const end = /\r\n?|\n/g; end.test(text);) {
    if (lines % LINES_PER_TURN === 0) yield;
    if (++lines > MAX_LINES)
      throw new CsvError(lines, `the file has more than ${MAX_LINES} lines: split it`);
  }
}

/** Refuses one row too many. @throws CsvError */
export function refuseManyRows(rows: number, line: number): void {
  if (rows > MAX_ROWS) throw new CsvError(line, `the file has more than ${MAX_ROWS} rows`);
}

/** Refuses a line of too many symbols. @throws CsvError */
export function refuseLongList(text: string, line: number): void {
  if (text.length > LONGEST_LIST)
    throw new CsvError(line, `the line has more than ${LONGEST_LIST} characters: split it`);
}

/** Refuses a text that is too long for one line of a ledger or one symbol. @throws CsvError */
export function refuseLongLine(text: string, line: number): void {
  if (text.length > LONGEST_LINE)
    throw new CsvError(line, `the line has more than ${LONGEST_LINE} characters: split it`);
}
