import { invalidArgument } from "#domain/errors.ts";
import { type ListFile, MAX_LIST_FILE_BYTES } from "#domain/list-file.ts";
import { cleanText, quote, refuseNoText } from "#imports/cells.ts";
import { cutRows } from "#imports/cut-cells.ts";
import { detectEncoding } from "#imports/text-encoding.ts";
import { CsvError } from "#lib/csv.ts";
import { WorkbookError } from "#lib/workbook-error.ts";
import { ZipFile } from "#lib/zip.ts";
import { isBeancount, readBeancount } from "./beancount.ts";
import { isListHeader, isSymbolHeader, mapListColumns } from "./headers.ts";
import { readJson } from "./json.ts";
import { listRows, MAX_COLUMNS, refuseManyLines, refuseManyRows } from "./limits.ts";
import { OpenChoice } from "./open-choice.ts";
import { refuseOtherKind } from "./other-kinds.ts";
import { ROWS_PER_TURN } from "./own.ts";
import { readPlain } from "./plain.ts";
import { readPortfolioPerformance } from "./portfolio-performance.ts";
import { isStatement, statementTable } from "./statement.ts";
import { type ListOptions, type ListTable, readTable } from "./table.ts";

/** Characters of a file that is no XML. */
const MAX_CHARACTERS = 8 * 2 ** 20;

/** Rows in which the header is searched: brokers write titles above it. */
const HEADER_ROWS = 30;

/**
 * Reads a file of another program. The format is detected by the content: XML of Portfolio Performance, JSON, a ledger of
 * beancount, a table with a header, or symbols without a header. It yields between parts of the work.
 *
 * @throws BourseError `invalid_argument`, one sentence with the file, the line and what is allowed
 */
export function* readListFile(
  name: string,
  bytes: Uint8Array,
  options: ListOptions,
): Generator<void, ListFile> {
  try {
    const text = textOf(bytes);
    yield;
    const file = yield* readText(text, options);
    if (file.items.length + file.remarks.length > 0) return file;
    throw new CsvError(1, "the file names no instrument");
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const shown = cleanText(name).slice(0, 200) || "the file";
    const message = `${shown}, line ${error.line}: ${error.message}.`;
    const choice =
      error instanceof OpenChoice ? { param: error.choice, allowed: error.allowed } : {};
    throw invalidArgument(message, choice);
  }
}

function textOf(bytes: Uint8Array): string {
  if (bytes.length > MAX_LIST_FILE_BYTES) {
    throw new CsvError(
      1,
      `the file has more than ${MAX_LIST_FILE_BYTES >> 20} MiB: export the holdings or securities as CSV`,
    );
  }
  const inner = unpacked(bytes);
  refuseOtherKind(inner);
  const text = new TextDecoder(detectEncoding(inner)).decode(inner).replace(/^\uFEFF/, "");
  // XML and JSON name their own errors.
  if (!/^\s*</.test(text)) refuseNoText(text);
  return text;
}

/**
 * The XML in a compressed file of Portfolio Performance, or the bytes as they are.
 *
 * @throws CsvError if it is one of its binary or encrypted files
 */
function unpacked(bytes: Uint8Array): Uint8Array {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 9));
  let isBinary = start === "PORTFOLIO" || start.startsWith("PPPBV1");
  if (start.startsWith("PK\u0003\u0004")) {
    try {
      const zip = new ZipFile(bytes);
      const xml = zip.read("data.xml");
      if (xml) return xml;
      isBinary = zip.read("data.portfolio") !== null;
    } catch (error) {
      if (!(error instanceof WorkbookError)) throw error;
    }
  }
  if (!isBinary) return bytes;
  throw new CsvError(
    1,
    "this is a binary or encrypted file of Portfolio Performance: save it there as XML (File, Save as), or export the securities as CSV",
  );
}

function* readText(text: string, options: ListOptions): Generator<void, ListFile> {
  if (/^\s*</.test(text)) {
    if (/^\s*<(?:!doctype html|html|head|body)/i.test(text)) refuseNoText(text);
    return yield* readPortfolioPerformance(text, options.today);
  }
  if (text.length > MAX_CHARACTERS) {
    throw new CsvError(
      1,
      "the file has more than 8 MiB, and is no XML: export holdings, or fewer years",
    );
  }
  if (/^\s*[[{]/.test(text)) return yield* readJson(text, options);
  yield* refuseManyLines(text);
  if (isBeancount(text)) return yield* readBeancount(text, options.today);
  const statement = isStatement(text) ? yield* statementTable(text) : null;
  const table = statement ?? (yield* tableOf(text));
  return table ? yield* readTable(table, options) : yield* readPlain(text, options);
}

/** The table of a CSV text, by the delimiter and the row that name the most known columns; null without a header. */
function* tableOf(text: string): Generator<void, ListTable | null> {
  const body = withDoubledQuotes(text.replace(/^sep=.\r?\n/, "\n"));
  const heads: (readonly (readonly string[])[])[] = [];
  const headers: { delimiter: string; at: number; size: number }[] = [];
  for (const delimiter of [",", ";", "\t", "|"]) {
    const head = headOf(body, delimiter);
    heads.push(head);
    yield;
    const rows = head.map((cells, at) => {
      const columns = mapListColumns(cells);
      const fits = isListHeader(columns) && (columns.size > 1 || cells.some(isSymbolHeader));
      return { delimiter, at, size: fits ? columns.size : 0 };
    });
    const row = rows.find(({ size }) => size > 1) ?? rows.find(({ size }) => size > 0);
    if (row) headers.push(row);
  }
  const [best] = headers.toSorted((a, b) => b.size - a.size);
  if (!best) return refuseUnknownTable(heads);
  const rows: { number: number; cells: readonly string[] }[] = [];
  let header: readonly string[] = [];
  let i = 0;
  for (const { line, cells } of listRows(body, best.delimiter)) {
    if (i === best.at) header = cells;
    else if (i > best.at) rows.push({ number: line, cells });
    if (i % ROWS_PER_TURN === 0) yield;
    refuseManyRows(++i, line);
  }
  return rows.length > 0 ? { unit: "line", header, rows, delimiter: best.delimiter } : null;
}

/** Wealthfolio writes the texts of its CSV as JSON: `\\"` for a quote. */
function withDoubledQuotes(text: string): string {
  if (!/^"[^\n]*"assetSymbol"/.test(text)) return text;
  return text.replaceAll(/\\(.)/g, (_, one: string) => ({ '"': '""', n: " " })[one] ?? one);
}

/** @throws CsvError if the first rows, by one of the delimiters, have several cells with figures: they are no symbols */
function refuseUnknownTable(heads: readonly (readonly (readonly string[])[])[]): null {
  const tables = heads.flatMap((rows) => {
    const isTable = rows.some(
      (cells) =>
        cells.length > 2 && cells.some((cell) => /^[-+$€]?\d+(?:[.,:/]|-\d)\d/.test(cell.trim())),
    );
    return isTable ? [rows.find(({ length }) => length > 2) ?? []] : [];
  });
  // Decimal commas are no cells of their own.
  const [header] = tables.toSorted((a, b) => words(b) - words(a));
  if (!header) return null;
  const seen = header.map((cell) => quote(cell)).join(", ");
  throw new CsvError(
    1,
    `the table has no column of symbols: its header is ${seen.slice(0, 200)}; name one Symbol, Ticker or ISIN`,
  );
}

/** The cells without a digit, as most of a header are. */
const words = (cells: readonly string[]): number =>
  cells.filter((cell) => cell.trim() !== "" && !/\d/.test(cell)).length;

/** The first rows; fewer if one of them is not of this delimiter. */
function headOf(text: string, delimiter: string): (readonly string[])[] {
  const found: (readonly string[])[] = [];
  try {
    for (const { cells } of cutRows(text, delimiter)) {
      found.push(cells.slice(0, MAX_COLUMNS));
      if (found.length === HEADER_ROWS) break;
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
  }
  return found;
}
