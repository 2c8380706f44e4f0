import { invalidArgument } from "#domain/errors.ts";
import { CsvError } from "#lib/csv.ts";
import { isWorkbook, readWorkbook } from "#lib/workbook.ts";
import { WorkbookError } from "#lib/workbook-error.ts";
import type { ListedIssuesRow } from "#sources/jpx/listed-issues.ts";
import { readBarColumns } from "./bar-columns.ts";
import { parseBars } from "./bars-file.ts";
import { readCsv } from "./csv-rows.ts";
import type { ImportKind, Values } from "./import-kinds.ts";
import { readJsonArray, readJsonLines } from "./json-rows.ts";
import { readListedIssues } from "./listed-issues-rows.ts";
import {
  lineOf,
  type Reading,
  type ReadSoFar,
  type RecordFile,
  type RecordFileOptions,
  refuse,
  type Row,
  type RowsOfFile,
} from "./reading.ts";
import type { RecordColumns } from "./record-columns.ts";
import { decodeText } from "./text-encoding.ts";
import { joinTexts, peek } from "./text-pieces.ts";

/** The number of rows in one step: of records, which are held in memory, and of bars, which are not. */
const MOST_ROWS = { held: 5_000_000, bars: 100_000_000 } as const;

/** Reads the rows of files one by one, in their order; `read` grows at the same time. */
export function readRows(
  kind: ImportKind,
  columns: RecordColumns,
  files: readonly RecordFile[],
  options: RecordFileOptions,
  takesRuns = false,
): { rows: Generator<Row, void>; read: ReadSoFar } {
  const read: ReadSoFar = {
    files: [],
    skipped: [],
    widened: [],
    unread: new Set(),
    splits: [],
    filledForward: 0,
    otherSymbols: 0,
  };
  return { rows: readFiles({ kind, columns, options, read, takesRuns }, files), read };
}

function* readFiles(reading: Reading, files: readonly RecordFile[]): Generator<Row, void> {
  const most = MOST_ROWS[reading.kind.record === "bars" ? "bars" : "held"];
  let taken = 0;
  for (const file of files) {
    const rows = readFile(reading, file);
    for (;;) {
      const next = nextRow(rows, file.name);
      if (next.done) {
        reading.read.files.push({ name: file.name, ...next.value });
        break;
      }
      taken += next.value.run?.count ?? 1;
      if (taken > most) {
        refuse(
          next.value.place,
          `more than ${most.toLocaleString("en-US")} rows: import them in parts`,
        );
      }
      yield next.value;
    }
  }
}

function nextRow(rows: RowsOfFile, file: string): ReturnType<RowsOfFile["next"]> {
  try {
    return rows.next();
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return refuse(lineOf(file, error.line), error.message);
  }
}

/** The rows of a file by its form. It is not a generator, because each level of generators costs a tenth of an import. */
function readFile(reading: Reading, { name: file, pieces, table }: RecordFile): RowsOfFile {
  if (table) return readBarColumns(reading, file, table);
  if (reading.options.history) return readHistory(reading, file, decodeText(pieces));
  const [bytes = new Uint8Array(), allBytes] = peek(pieces);
  if (isWorkbook(bytes)) {
    if (reading.kind.record !== "instruments") {
      throw invalidArgument(
        `${file}: of workbooks only JPX's list of instruments can be read; save it as CSV.`,
      );
    }
    const workbook = readListWorkbook(file, Buffer.concat([...allBytes]));
    return readListedIssues(reading, file, "row", workbook);
  }
  const [text = "", texts] = peek(decodeText(allBytes));
  const start = text.replace(/^\uFEFF/, "").trimStart()[0];
  if (start === "{") return readJsonLines(reading, file, texts);
  if (start === "[") return readJsonArray(reading, file, texts);
  return readCsv(reading, file, text, texts);
}

/** The bars of the one instrument that the options name. */
function* readHistory(
  { options: { history, ...options }, read }: Reading,
  file: string,
  texts: Iterable<string>,
): RowsOfFile {
  if (!history) return { shape: "", rows: 0 };
  const text = joinTexts(texts, "write CSV or JSON Lines with a country and a symbol in each row");
  const { bars, shape, ...result } = parseBars(text, { ...options, ...history, fileName: file });
  const { country, symbol } = history;
  const placeOf = (number: number) => ({ within: `${file}, ${result.unit}`, number });
  for (const { line, reason } of result.skipped)
    read.skipped.push({ place: placeOf(line), reason });
  for (const { line, reason } of result.widened)
    read.widened.push({ place: placeOf(line), reason });
  for (const column of result.unread) read.unread.add(column);
  read.splits.push(...result.splits);
  read.filledForward += result.filledForward;
  read.otherSymbols += result.otherSymbols;
  const [place, record] = [
    { within: file, number: null },
    { country, symbol },
  ];
  if (bars.length === 0) yield { place, record, entry: null };
  for (const bar of bars) yield { place, record, entry: bar as unknown as Values };
  return { shape, rows: bars.length };
}

function readListWorkbook(file: string, bytes: Uint8Array): ListedIssuesRow[] {
  try {
    return readWorkbook(bytes).map((cells, i) => ({ line: i + 1, cells }));
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
    throw invalidArgument(
      `${file}: the workbook cannot be read, ${error.message}; download it again, or save it as CSV.`,
    );
  }
}
