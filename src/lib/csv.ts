/** What is wrong with a CSV text, and in which line of it (counted from 1). */
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
  /** The line that the row begins on, counted from 1; a quoted line break makes it span several. */
  readonly line: number;
  /** At least one; as written, without their quotes. */
  readonly cells: readonly string[];
}

const BYTE_ORDER_MARK = "\uFEFF";

/**
 * The rows of a CSV text (RFC 4180), one at a time, the header first. A leading byte order mark and
 * blank lines are skipped; a line may end in CRLF, LF or CR. A quote that does not open its cell is
 * an ordinary character.
 *
 * Throws `CsvError` on a quote that is never closed (with the line that it opens on) and on text
 * between a closing quote and the next comma.
 */
export function* csvRows(text: string): Generator<CsvRow, void, undefined> {
  let at = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
  let line = 1;
  // The next of each at or after `at`: looked for again only once it is passed, so that a text
  // without quotes or without CR is searched for them once.
  let lineFeed = -1;
  let carriageReturn = -1;
  let quote = -1;

  while (at < text.length) {
    if (lineFeed < at) lineFeed = positionOf("\n", text, at);
    if (carriageReturn < at) carriageReturn = positionOf("\r", text, at);
    if (quote < at) quote = positionOf('"', text, at);
    const end = Math.min(lineFeed, carriageReturn);

    if (quote >= end) {
      const content = text.slice(at, end);
      if (content.trim() !== "") yield { line, cells: content.split(",") };
      at = end;
    } else {
      const row = readQuotedRow(text, at, line);
      yield { line, cells: row.cells };
      at = row.end;
      line = row.lastLine;
    }
    at += text[at] === "\r" && text[at + 1] === "\n" ? 2 : 1;
    line += 1;
  }
}

/** Where `character` next stands at or after `from`; the text's length where it does not. */
function positionOf(character: string, text: string, from: number): number {
  const position = text.indexOf(character, from);
  return position === -1 ? text.length : position;
}

const END_OF_CELL = /[,\r\n]|$/g;
const LINE_BREAK = /\r\n|\n|\r/g;

/** Reads the row at `start`, cell by cell; `end` is where its line break, or the text's end, is. */
function readQuotedRow(
  text: string,
  start: number,
  firstLine: number,
): { cells: string[]; end: number; lastLine: number } {
  const cells: string[] = [];
  let line = firstLine;
  let at = start;

  for (;;) {
    if (text[at] === '"') {
      const { value, end } = readQuotedCell(text, at, line);
      line += value.match(LINE_BREAK)?.length ?? 0;
      cells.push(value);
      at = end;
    } else {
      END_OF_CELL.lastIndex = at;
      const end = END_OF_CELL.exec(text)?.index ?? text.length;
      cells.push(text.slice(at, end));
      at = end;
    }

    const next = text[at];
    if (next === undefined || next === "\n" || next === "\r") {
      return { cells, end: at, lastLine: line };
    }
    if (next !== ",") throw new CsvError(line, "text follows a closing quote");
    at += 1;
  }
}

/** Reads the quoted cell whose opening quote is at `start`; `end` is behind its closing quote. */
function readQuotedCell(text: string, start: number, line: number): { value: string; end: number } {
  let value = "";
  let from = start + 1;
  for (;;) {
    const close = text.indexOf('"', from);
    if (close === -1) throw new CsvError(line, "a quote is never closed");
    value += text.slice(from, close);
    if (text[close + 1] !== '"') return { value, end: close + 1 };
    value += '"';
    from = close + 2;
  }
}
