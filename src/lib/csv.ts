import { type Cell, cellText, type Table } from "./table.ts";

/** A signed figure with its unit. It has no operator, bracket or reference, so it is no formula. */
const SIGNED_FIGURE = /^(?:-[\d,.]+(?:%| ?[A-Z][A-Za-z/ ]*)?|\+[\d,.]+%)$/;

/** What can stand before the decimals of numbers in CSV, the default first. */
export const DECIMALS = ["point", "comma"] as const;
/** One of `DECIMALS`. */
export type Decimal = (typeof DECIMALS)[number];

/**
 * Formats a table as CSV (RFC 4180): a header row, lines that end in CRLF, an empty cell for null. A text
 * that a spreadsheet would run as a formula begins with an apostrophe. Figures such as `-2.1%` and
 * `-71.93 B USD` do not. With `comma`, numbers have a decimal comma (`0,236`) and semicolons separate cells, as
 * spreadsheets in German, French and Vietnamese read and write CSV.
 */
export function formatCsv({ columns, rows }: Table, decimal: Decimal = "point"): string {
  const [format, delimiter] = decimal === "comma" ? [formatWithComma, ";"] : [formatCell, ","];
  return [columns, ...rows].map((row) => `${row.map(format).join(delimiter)}\r\n`).join("");
}

function formatCell(cell: Cell): string {
  return typeof cell === "string" ? quoteCell(withoutFormula(cell)) : cellText(cell);
}

/** A figure as text, with or without a unit: `3.3`, `-0.16%`, `207.94 T VND`, `1,704.32`. */
const TEXT_FIGURE =
  /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:%| ?[KMBT])?(?: [A-Z]{3}(?:\/[a-z]+)?)?$/;

/** A text with a comma is in quotes too, for readers that split cells there. */
function formatWithComma(cell: Cell): string {
  if (typeof cell !== "string") return decimalText(cellText(cell), "comma");
  const swapped = TEXT_FIGURE.test(cell)
    ? cell.replaceAll(/[.,]/g, (mark) => (mark === "." ? "," : "."))
    : cell;
  const text = withoutFormula(swapped);
  return text.includes(";") ? inQuotes(text) : quoteCell(text);
}

/** The text of a number (`0.236`) with that mark before its decimals. */
export function decimalText(number: string, decimal: Decimal): string {
  return decimal === "comma" ? number.replace(".", ",") : number;
}

const withoutFormula = (text: string) =>
  /^[=+\-@＝＋－＠\t\r\n]/.test(text) && !SIGNED_FIGURE.test(text) ? `'${text}` : text;

/** A cell in quotes if it needs them. */
export function quoteCell(text: string): string {
  return /[",\r\n]/.test(text) ? inQuotes(text) : text;
}

const inQuotes = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** Thrown if a CSV text is malformed, with the line of the error (counted from 1). */
export class CsvError extends Error {
  override readonly name = "CsvError";
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** One row of a CSV text. */
export interface CsvRow {
  /** The line on which the row begins, counted from 1. A row can span several lines. */
  readonly line: number;
  /** The cells as written, without quotes; at least one, but none for rows that `take` has read. */
  readonly cells: readonly string[];
}

const BYTE_ORDER_MARK = "\uFEFF";

/** The maximum length of a row, in characters. It limits the damage of a quote that is never closed. */
const LONGEST_ROW = 1_048_576;

/** The most cells of a row: as many columns as a spreadsheet has. */
const MAX_CELLS = 16_384;

/** Options for reading a CSV text. */
interface CsvOptions {
  /** The character between cells; a comma by default. */
  readonly delimiter?: string;
  /**
   * Called with each piece of the text before its rows are read. The text begins with the unread rest of
   * the previous piece; `line` is the line on which it begins.
   */
  readonly inspect?: (text: string, line: number) => void;
  /**
   * Called at the beginning of each row. May read rows of one line itself: returns how many, and the position behind
   * the last line break; null for none. A row without cells is then yielded.
   */
  readonly take?: (text: string, at: number, line: number) => TakenRows | null;
}

/** Rows that were read by `take`. */
export interface TakenRows {
  readonly end: number;
  readonly lines: number;
}

/**
 * The rows of a CSV text (RFC 4180), one at a time, the header first. If the text comes in pieces, only
 * one piece and one row are in memory. A leading byte order mark and blank lines are skipped. A line may
 * end in CRLF, LF or CR. A quote inside an unquoted cell is an ordinary character.
 *
 * @throws CsvError on a quote that is never closed (with the line of the quote), on text between a
 * closing quote and the next delimiter, and on a row of more than a million characters or 16,384 cells
 */
export function* csvRows(
  source: string | Iterable<string>,
  { delimiter = ",", inspect, take }: CsvOptions = {},
): Generator<CsvRow, void, undefined> {
  const pieces = (typeof source === "string" ? [source] : source)[Symbol.iterator]();
  let text = "";
  let isWhole = false;
  let at = 0;
  let line = 1;
  // The next position of each character. It is searched again only after `at` has passed it, so that a
  // text without quotes or without CR is searched once.
  let lineFeed = -1;
  let carriageReturn = -1;
  let quote = -1;

  /** Appends the next piece to the unread rest of the text. */
  const pull = () => {
    const next = pieces.next();
    if (next.done) {
      isWhole = true;
      return;
    }
    if (text.length - at > LONGEST_ROW) throw tooLong(line);
    const isFirst = text === "";
    text = text.slice(at) + next.value;
    at = isFirst && text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
    lineFeed = carriageReturn = quote = -1;
    inspect?.(text, line);
  };

  while (!isWhole || at < text.length) {
    const taken = take?.(text, at, line);
    if (taken) {
      yield { line, cells: [] };
      at = taken.end;
      line += taken.lines;
      continue;
    }
    if (lineFeed < at) lineFeed = positionOf("\n", text, at);
    if (carriageReturn < at) carriageReturn = positionOf("\r", text, at);
    if (quote < at) quote = positionOf('"', text, at);
    let end = Math.min(lineFeed, carriageReturn);
    let lastLine = line;
    let cells: readonly string[] | null = null;
    if (quote >= end) {
      if (end - at > LONGEST_ROW) throw tooLong(line);
      const content = text.slice(at, end);
      if (content.trim() !== "") cells = content.split(delimiter, MAX_CELLS + 1);
    } else {
      ({ cells, end, lastLine } = readQuotedRow(text, at, { line, isWhole, delimiter }));
    }
    // The next piece may contain the rest of the row, or the LF of its CRLF.
    if (!isWhole && end >= text.length - 1) {
      pull();
      continue;
    }
    if (cells && cells.length > MAX_CELLS) {
      const max = MAX_CELLS.toLocaleString("en-US");
      throw new CsvError(line, `the row has more than ${max} columns`);
    }
    if (cells) yield { line, cells };
    at = end + (text[end] === "\r" && text[end + 1] === "\n" ? 2 : 1);
    line = lastLine + 1;
  }
}

function tooLong(line: number): CsvError {
  const max = LONGEST_ROW.toLocaleString("en-US");
  return new CsvError(line, `the row has more than ${max} characters: is a quote never closed?`);
}

/** The position of `character` at or after `from`, or the text's length if it does not occur. */
function positionOf(character: string, text: string, from: number): number {
  const position = text.indexOf(character, from);
  return position === -1 ? text.length : position;
}

const LINE_BREAK = /\r\n|\n|\r/g;

/** The state in which a quoted row is read. */
interface RowStart {
  readonly line: number;
  readonly isWhole: boolean;
  readonly delimiter: string;
}

/** Reads the row at `start` cell by cell. `end` is the position of its line break, or the text's end. */
function readQuotedRow(
  text: string,
  start: number,
  { line: firstLine, isWhole, delimiter }: RowStart,
): { cells: string[]; end: number; lastLine: number } {
  const cells: string[] = [];
  let line = firstLine;
  let at = start;

  for (;;) {
    if (at - start > LONGEST_ROW) throw tooLong(firstLine);
    if (text[at] === '"') {
      const { value, end } = readQuotedCell(text, at, line, isWhole);
      line += value.match(LINE_BREAK)?.length ?? 0;
      cells.push(value);
      at = end;
    } else {
      const end = endOfCell(text, at, delimiter);
      cells.push(text.slice(at, end));
      at = end;
    }

    const next = text[at];
    if (next === undefined || next === "\n" || next === "\r") {
      return { cells, end: at, lastLine: line };
    }
    if (next !== delimiter) throw new CsvError(line, "text follows a closing quote");
    at += 1;
  }
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function endOfCell(text: string, from: number, delimiter: string): number {
  const mark = delimiter.charCodeAt(0);
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === mark || code === LINE_FEED || code === CARRIAGE_RETURN) return at;
  }
  return text.length;
}

/**
 * Reads the quoted cell whose opening quote is at `start`. `end` is the position after its closing quote,
 * or the text's end if the cell continues in the next piece.
 */
function readQuotedCell(
  text: string,
  start: number,
  line: number,
  isWhole: boolean,
): { value: string; end: number } {
  for (let from = start + 1; ;) {
    const close = text.indexOf('"', from);
    if (close === -1) {
      if (isWhole) throw new CsvError(line, "a quote is never closed");
      // The cell is read again with the next piece.
      return { value: "", end: text.length };
    }
    if (text[close + 1] !== '"') {
      const written = text.slice(start + 1, close);
      // One cell can have half a million doubled quotes, and joining their parts would hold the thread.
      const value = from === start + 1 ? written : written.replaceAll('""', '"');
      return { value, end: close + 1 };
    }
    from = close + 2;
  }
}
