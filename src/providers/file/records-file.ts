import type { TObject } from "@sinclair/typebox";
import { BourseError } from "#domain/errors.ts";
import { type RecordOf, RECORDS } from "#domain/records.ts";
import { closest } from "#lib/closest.ts";
import { CsvError, type CsvRow, csvRows } from "#lib/csv.ts";
import { isXls, readXls, XlsError } from "#lib/xls.ts";
import { isListedIssuesHeader, parseListedIssues } from "#providers/jpx/listed-issues.ts";
import { quote, readNumber, refuseNoText } from "./cells.ts";
import { IMPORT_KINDS, type ImportKind, type ImportName, type Values } from "./import-kinds.ts";
import { type Column, columnsOf, type RecordColumns } from "./record-columns.ts";

/** A file as it lies on the disk. */
export interface RecordFile {
  /** How errors name it. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What the reading of files needs to know. */
export interface RecordFileOptions {
  /** Local `YYYY-MM-DD`; a bar of a later date is refused. */
  readonly today: string;
  /** Called with each row's number in its file, to show how far the reading has come. */
  readonly onRow?: (fileName: string, row: number) => void;
}

/** A record, and where it begins in words: `statements.csv, line 3`. */
export interface PlacedRecord<N extends ImportName> {
  readonly place: string;
  readonly record: RecordOf<(typeof IMPORT_KINDS)[N]["record"]>;
}

/** The form in which a file holds records; `jpx` is the Tokyo exchange's list of listed issues. */
export type RecordShape = "csv" | "json" | "json lines" | "jpx";

/**
 * Reads records of one kind from files, all of them or nothing. What is in a file is told by its
 * content: CSV with a header, a JSON array, or JSON Lines; for instruments also JPX's list, as its
 * workbook or saved as CSV.
 *
 * - Columns are the properties of the record and of what is nested in it, in any order. One that may
 *   be null may be left out; an unknown one is refused, so that a misspelt name loses nothing.
 * - JSON may hold records as in `#domain` or flat rows like those of CSV.
 * - Rows that differ only in the list within a record (observations, payments, bars) become one
 *   record, also over several files, its list in order. Anything else that stands twice is refused.
 * - Symbols are put in upper case. Text is put on one line, without control characters.
 *
 * @throws BourseError `invalid_argument`, one sentence with file, line and what is allowed there, on
 * the first thing that is wrong; with `param` "header" where it is the header
 */
export function parseRecordFiles<N extends ImportName>(
  name: N,
  files: readonly RecordFile[],
  options: RecordFileOptions,
): {
  records: PlacedRecord<N>[];
  files: { name: string; shape: RecordShape; rows: number }[];
} {
  const reader = createReader(IMPORT_KINDS[name], options);
  const read = files.map((file) => ({ name: file.name, ...reader.read(file) }));
  return { records: reader.finish() as PlacedRecord<N>[], files: read };
}

/** A CSV text with the header of a kind and two rows that can be imported. */
export function recordTemplate(name: ImportName): string {
  const kind: ImportKind = IMPORT_KINDS[name];
  const columns = columnsOfKind(kind).all.map((column) => column.name);
  const rows = kind.examples.map((row) => columns.map((column) => row[column] ?? "").join(","));
  return [columns.join(","), ...rows, ""].join("\n");
}

function columnsOfKind(kind: ImportKind): RecordColumns {
  return columnsOf(RECORDS[kind.record] as TObject, kind.examples[0]);
}

/** An object of JSON, or a record with what is nested in it. */
type Fields = Record<string, unknown>;

/** Where something stands: a line of CSV or JSON Lines, a record of JSON, a row of a workbook. */
interface Place {
  readonly file: string;
  readonly unit: "line" | "record" | "row";
  /** Counted from 1; null for the file as a whole. */
  readonly number: number | null;
}

const at = ({ file, unit, number }: Place) =>
  number === null ? file : `${file}, ${unit} ${number}`;

function refuse(place: Place, reason: string, param?: string): never {
  throw new BourseError(
    "invalid_argument",
    `${at(place)}: ${reason}`,
    param === undefined ? {} : { param },
  );
}

/** A record while its rows are read. */
interface Draft {
  readonly place: Place;
  readonly record: Fields;
  readonly list: { readonly place: Place; readonly values: Values }[];
}

function createReader(kind: ImportKind, { today, onRow }: RecordFileOptions) {
  const columns = columnsOfKind(kind);
  const names = columns.all.map(({ name }) => name);
  const drafts = new Map<string, Draft>();

  /** The draft that a record's own values belong to. */
  const open = (record: Fields, place: Place): Draft => {
    const key = kind.key.map((name) => record[name]).join("\n");
    const known = drafts.get(key);
    if (!known) {
      const fault = columns.list ? null : kind.findFault?.(record as Values, today);
      if (fault) refuse(place, fault);
      const draft = { place, record, list: [] };
      drafts.set(key, draft);
      return draft;
    }
    if (!columns.list) {
      const what = kind.key.map((name) => String(record[name])).join(" ");
      return refuse(place, `${what} stands here and in ${at(known.place)}`);
    }
    for (const { name } of columns.own) {
      if (record[name] !== known.record[name]) {
        const other = `${shown(known.record[name])} in ${at(known.place)}`;
        refuse(place, `${name} is ${shown(record[name])} here but ${other}, of the same record`);
      }
    }
    return known;
  };
  const add = (draft: Draft, values: Values, place: Place) => {
    const fault = kind.findFault?.(values, today);
    if (fault) refuse(place, fault);
    draft.list.push({ place, values });
  };

  const readCsv = (file: string, text: string): { shape: RecordShape; rows: number } => {
    const lines = csvRows(text);
    const first = lines.next().value;
    if (first === undefined) refuse({ file, unit: "line", number: 1 }, "the file is empty");
    if (kind.record === "instruments" && isListedIssuesHeader(first.cells)) {
      return readListedIssues(file, "line", [first, ...lines]);
    }
    const header = readHeader(first, file, columns);
    const own = pick(header, [...columns.own, ...(columns.group?.columns ?? [])]);
    const ofList = pick(header, columns.list?.columns ?? []);
    const width = first.cells.length;
    let rows = 0;
    let last: { draft: Draft; cells: readonly string[] } | null = null;
    for (const { line, cells } of lines) {
      onRow?.(file, line);
      rows++;
      const place: Place = { file, unit: "line", number: line };
      if (cells.length !== width) {
        refuse(place, `the row has ${cells.length} cells, the header has ${width}`);
      }
      // Long lists repeat the columns of their record in row after row.
      const before: readonly string[] | undefined = last?.cells;
      const isSame =
        columns.list !== null && before && own.every((i) => i < 0 || cells[i] === before[i]);
      if (!last || !isSame) {
        const values = (wanted: readonly Column[], from: number) =>
          readValues(wanted, (column, i) => readCell(cells[own[from + i] ?? -1], column), place);
        const record: Fields = { ...values(columns.own, 0) };
        if (columns.group) {
          record[columns.group.name] = values(columns.group.columns, columns.own.length);
        }
        last = { draft: open(record, place), cells };
      }
      if (columns.list) {
        const read = (column: Column, i: number) => readCell(cells[ofList[i] ?? -1], column);
        add(last.draft, readValues(columns.list.columns, read, place), place);
      }
    }
    if (rows === 0) refuse({ file, unit: "line", number: 1 }, "no row follows the header");
    return { shape: "csv", rows };
  };

  const readJson = (element: unknown, place: Place) => {
    onRow?.(place.file, place.number ?? 0);
    if (!isObject(element)) refuse(place, `an object is expected, not ${shown(element)}`);
    const { group, list } = columns;
    const inner = group && element[group.name];
    const entries = list && element[list.name];
    // What is nested in the element is not looked for in the element itself.
    const holder = isObject(inner) ? group : Array.isArray(entries) ? list : null;
    const nested = holder?.columns.map(({ name }) => name) ?? [];
    const flat = names.filter((name) => !nested.includes(name));
    refuseUnknown(element, holder ? [...flat, holder.name] : flat, place);
    if (isObject(inner)) refuseUnknown(inner, nested, place);

    const record: Fields = { ...readValues(columns.own, ({ name }) => element[name], place) };
    if (group) {
      const from = isObject(inner) ? inner : element;
      record[group.name] = readValues(group.columns, ({ name }) => from[name], place);
    }
    const draft = open(record, place);
    if (!list) return;
    for (const entry of Array.isArray(entries) ? (entries as unknown[]) : [element]) {
      if (!isObject(entry)) {
        refuse(place, `${list.name} must hold objects, not ${shown(entry)}`);
      }
      if (entry !== element) refuseUnknown(entry, nested, place);
      add(
        draft,
        readValues(list.columns, ({ name }) => entry[name], place),
        place,
      );
    }
  };

  const readListedIssues = (
    file: string,
    unit: Place["unit"],
    rows: Parameters<typeof parseListedIssues>[0] & { readonly length: number },
  ): { shape: RecordShape; rows: number } => {
    let instruments;
    try {
      instruments = parseListedIssues(rows);
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      return refuse({ file, unit, number: error.line }, error.message);
    }
    for (const instrument of instruments) {
      open({ ...instrument }, { file, unit, number: null });
    }
    return { shape: "jpx", rows: Math.max(0, rows.length - 1) };
  };

  return {
    read({ name: file, bytes }: RecordFile): { shape: RecordShape; rows: number } {
      if (isXls(bytes)) {
        if (kind.record !== "instruments") {
          throw new BourseError(
            "invalid_argument",
            `${file}: of workbooks only JPX's list of instruments can be read; save it as CSV.`,
          );
        }
        return readListedIssues(file, "row", readWorkbook(file, bytes));
      }
      if (bytes[0] === 0x50 && bytes[1] === 0x4b) {
        throw new BourseError(
          "invalid_argument",
          `${file}: a workbook (.xlsx) cannot be read; save it as CSV.`,
        );
      }
      const text = new TextDecoder().decode(bytes);
      try {
        refuseNoText(text);
        const start = text.trimStart()[0];
        if (start === "[") {
          const records = parseJson(text, { file, unit: "record", number: 1 }, "the file");
          if (!Array.isArray(records) || records.length === 0) {
            return refuse({ file, unit: "record", number: 1 }, "the array is empty");
          }
          records.forEach((record: unknown, i) =>
            readJson(record, { file, unit: "record", number: i + 1 }),
          );
          return { shape: "json", rows: records.length };
        }
        if (start !== "{") return readCsv(file, text);
        let rows = 0;
        for (const [i, line] of text.split("\n").entries()) {
          if (line.trim() === "") continue;
          const place: Place = { file, unit: "line", number: i + 1 };
          readJson(parseJson(line, place, "the line"), place);
          rows++;
        }
        return { shape: "json lines", rows };
      } catch (error) {
        if (!(error instanceof CsvError)) throw error;
        return refuse({ file, unit: "line", number: error.line }, error.message);
      }
    },

    finish(): { place: string; record: unknown }[] {
      return [...drafts.values()].map((draft) => {
        const { list } = columns;
        if (list) {
          if (draft.list.length < list.atLeast) refuse(draft.place, `${list.name} is empty`);
          draft.record[list.name] = inOrder(draft.list, kind);
        }
        return { place: at(draft.place), record: draft.record };
      });
    },
  };
}

/** Where each column of a file stands, counted from 0; refuses what is unknown, doubled or missing. */
function readHeader(row: CsvRow, file: string, columns: RecordColumns): Map<string, number> {
  const place: Place = { file, unit: "line", number: row.line };
  const names = columns.all.map(({ name }) => name);
  const positions = new Map<string, number>();
  for (const [i, cell] of row.cells.entries()) {
    const written = cell.trim();
    const name = names.find((one) => one.toLowerCase() === written.toLowerCase());
    if (name === undefined) {
      const seen = `${quote(written)}${nearest(written, names)}`;
      refuse(place, `the header has ${seen}, which is none of ${names.join(", ")}`, "header");
    }
    if (positions.has(name)) refuse(place, `the header has ${name} twice`, "header");
    positions.set(name, i);
  }
  for (const { name, isNullable, isOptional } of columns.all) {
    if (!positions.has(name) && !isNullable && !isOptional) {
      refuse(place, `the header lacks ${name}`, "header");
    }
  }
  return positions;
}

const pick = (header: ReadonlyMap<string, number>, columns: readonly Column[]): number[] =>
  columns.map(({ name }) => header.get(name) ?? -1);

/** The value that a cell of CSV says; null where it is empty, its text where it is of another type. */
function readCell(cell: string | undefined, { type }: Column): unknown {
  if (cell === undefined) return null;
  if (type === "number") {
    const number = readNumber(cell);
    return Number.isNaN(number) ? cell : number;
  }
  const text = cell.trim();
  if (text === "") return null;
  if (type === "string") return text;
  const lower = text.toLowerCase();
  return lower === "true" || lower === "false" ? lower === "true" : text;
}

/** The values of some columns; null where one is missing that may be. */
function readValues(
  columns: readonly Column[],
  read: (column: Column, index: number) => unknown,
  place: Place,
): Values {
  const values: Record<string, Values[string]> = {};
  for (const [i, column] of columns.entries()) {
    const { name } = column;
    let value = read(column, i) ?? null;
    if (typeof value === "string") {
      value = name === "symbol" ? oneLine(value).toUpperCase() : oneLine(value);
    }
    if (value === null) {
      if (column.isNullable) values[name] = null;
      // Where text may be empty, as the unit of a plain number, an empty cell says so.
      else if (column.fits("")) values[name] = "";
      else if (!column.isOptional)
        refuse(place, `${name} is missing; it must be ${column.allowed}`);
      continue;
    }
    if (!column.fits(value)) {
      refuse(place, `${name} must be ${column.allowed}, not ${shown(value)}`);
    }
    values[name] = value as Values[string];
  }
  return values;
}

function oneLine(text: string): string {
  return /\p{Cc}/u.test(text) ? text.replaceAll(/\p{Cc}+/gu, " ").trim() : text;
}

function refuseUnknown(element: Fields, allowed: readonly string[], place: Place): void {
  for (const name of Object.keys(element)) {
    if (allowed.includes(name)) continue;
    refuse(place, `${quote(name)}${nearest(name, allowed)} is none of ${allowed.join(", ")}`);
  }
}

function nearest(written: string, names: readonly string[]): string {
  const near = closest(written, names);
  return near === null ? "" : ` (is it ${near}?)`;
}

/** The entries of a list in order; refuses one that stands twice. */
function inOrder(list: Draft["list"], kind: ImportKind): Values[] {
  const order = kind.order ?? [];
  const compare = (a: Values, b: Values): number => {
    for (const name of order) {
      const [x, y] = [a[name] as string | number, b[name] as string | number];
      if (x !== y) return x < y ? -1 : 1;
    }
    return 0;
  };
  // A stable sort: of two that are equal, the earlier stays first.
  list.sort((a, b) => compare(a.values, b.values));
  for (let i = 1; i < list.length; i++) {
    const [before, current] = [list[i - 1], list[i]];
    if (!before || !current) continue;
    if (compare(before.values, current.values) === 0) {
      const what = order.map((name) => `${name} ${String(current.values[name])}`).join(", ");
      refuse(current.place, `${what} stands here and in ${at(before.place)}`);
    }
    const clash = kind.findClash?.(before.values, current.values);
    if (clash) refuse(current.place, clash);
  }
  return list.map(({ values }) => values);
}

function readWorkbook(file: string, bytes: Uint8Array) {
  try {
    return readXls(bytes).map((cells, i) => ({ line: i + 1, cells }));
  } catch (error) {
    if (!(error instanceof XlsError)) throw error;
    throw new BourseError(
      "invalid_argument",
      `${file}: the workbook cannot be read, ${error.message}; download it again, or save it as CSV.`,
    );
  }
}

function parseJson(text: string, place: Place, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return refuse(place, `${what} is not JSON`);
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value as errors show it. */
function shown(value: unknown): string {
  return typeof value === "string" ? quote(value) : quote(JSON.stringify(value) ?? "nothing");
}
