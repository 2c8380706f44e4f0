import type { TObject } from "@sinclair/typebox";
import type { BarHistory, DailyBar } from "#domain/daily-bar.ts";
import { BourseError } from "#domain/errors.ts";
import { formatPlace, type Place, type RecordOf, RECORDS } from "#domain/records.ts";
import { closest } from "#lib/closest.ts";
import { CsvError, type CsvRow, csvRows } from "#lib/csv.ts";
import { isWorkbook, readWorkbook } from "#lib/workbook.ts";
import { WorkbookError } from "#lib/workbook-error.ts";
import { isListedIssuesHeader, parseListedIssues } from "#sources/jpx/listed-issues.ts";
import { quote, readNumber, refuseNoText } from "./cells.ts";
import { IMPORT_KINDS, type ImportKind, type ImportName, type Values } from "./import-kinds.ts";
import { type Column, columnsOf, type RecordColumns } from "./record-columns.ts";

/** A file as it lies on the disk. */
export interface RecordFile {
  /** How errors name it. */
  readonly name: string;
  /** Its bytes, taken once; the first piece, which tells what the file is, holds 1 KiB or all of it. */
  readonly pieces: Iterable<Uint8Array>;
}

/** What the reading of files needs to know. */
export interface RecordFileOptions {
  /** Local `YYYY-MM-DD`; a bar of a later date is refused. */
  readonly today: string;
}

/** The form in which a file holds records; `jpx` is the Tokyo exchange's list of listed issues. */
export type RecordShape = "csv" | "json" | "json lines" | "jpx";

/** What was read: of each file, once it has been read to its end, its form and how many rows it has. */
export type FilesRead = readonly {
  readonly name: string;
  readonly shape: RecordShape;
  readonly rows: number;
}[];

/** A record, and where it begins. */
export interface PlacedRecord<N extends ImportName> {
  readonly place: Place;
  readonly record: RecordOf<(typeof IMPORT_KINDS)[N]["record"]>;
}

/** A bar, whose it is, and where it stands. */
export interface PlacedBar {
  readonly place: Place;
  readonly record: Pick<BarHistory, "country" | "symbol">;
  /** Null in a record of JSON that has no bar. */
  readonly entry: DailyBar | null;
}

/**
 * Reads records of one kind from files, all of them or nothing. What is in a file is told by its
 * content: CSV with a header, a JSON array, or JSON Lines; for instruments also JPX's list, as its
 * workbook or saved as CSV.
 *
 * - Columns are the properties of the record and of what is nested in it, in any order. One that may
 *   be null may be left out; an unknown one is refused, so that a misspelt name loses nothing.
 * - JSON may hold records as in `#domain` or flat rows like those of CSV.
 * - Rows that differ only in the list within a record (observations, payments) become one record,
 *   also over several files, its list in order. Anything else that stands twice is refused.
 * - Symbols are put in upper case. Text is put on one line, without control characters.
 * - CSV and JSON Lines are read as they are taken, so that no more of them is held than a piece of the
 *   file. A JSON array and JPX's list are read whole. Of records without a list, which come one by
 *   one, no more is remembered than what tells them apart; those with one come after the last row.
 *
 * While records are taken it throws BourseError `invalid_argument`, one sentence with file, line and
 * what is allowed there, on the first thing that is wrong; with `param` "header" where it is the
 * header.
 */
export function parseRecordFiles<N extends ImportName>(
  name: N,
  files: readonly RecordFile[],
  options: RecordFileOptions,
): { records: Generator<PlacedRecord<N>>; files: FilesRead } {
  const kind: ImportKind = IMPORT_KINDS[name];
  const columns = columnsOfKind(kind);
  const { rows, read } = readRows(kind, columns, files, options);
  const records = columns.list
    ? gather(rows, kind, columns, columns.list)
    : refuseTwins(rows, kind);
  return { records: records as Generator<PlacedRecord<N>>, files: read };
}

/**
 * Reads the bars of any instruments one by one, in the order of the files, as `parseRecordFiles` reads
 * records; of CSV and JSON Lines nothing is held, so whether a date stands twice is not looked for.
 */
export function parseBarFiles(
  files: readonly RecordFile[],
  options: RecordFileOptions,
): { bars: Generator<PlacedBar>; files: FilesRead } {
  const kind: ImportKind = IMPORT_KINDS.bars;
  const { rows, read } = readRows(kind, columnsOfKind(kind), files, options);
  return { bars: rows as Generator<unknown> as Generator<PlacedBar>, files: read };
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

function refuse(place: Place, reason: string, param?: string): never {
  throw new BourseError(
    "invalid_argument",
    `${formatPlace(place)}: ${reason}`,
    param === undefined ? {} : { param },
  );
}

const lineOf = (file: string, number: number): Place => ({ within: `${file}, line`, number });

/** A row of a file: a record, or an entry of the list within it. */
interface Row {
  readonly place: Place;
  /** All of it but its list; rows of one record may share it. */
  readonly record: Fields;
  /** Null where the record has no list, or none with an entry. */
  readonly entry: Values | null;
}

function readRows(
  kind: ImportKind,
  columns: RecordColumns,
  files: readonly RecordFile[],
  { today }: RecordFileOptions,
): { rows: Generator<Row>; read: FilesRead } {
  const names = columns.all.map(({ name }) => name);
  const read: FilesRead[number][] = [];

  const rowOf = (place: Place, record: Fields, entry: Values | null): Row => {
    const values = columns.list ? entry : (record as Values);
    const fault = values && kind.findFault?.(values, today);
    if (fault) refuse(place, fault);
    return { place, record, entry };
  };

  function* readCsv(file: string, texts: Iterable<string>): Generator<Row, FileRead> {
    const lines = csvRows(texts, refuseNoText);
    const first = lines.next().value;
    if (first === undefined) refuse(lineOf(file, 1), "the file is empty");
    if (kind.record === "instruments" && isListedIssuesHeader(first.cells)) {
      return yield* readListedIssues(file, "line", [first, ...lines]);
    }
    const header = readHeader(first, file, columns);
    const own = pick(header, [...columns.own, ...(columns.group?.columns ?? [])]);
    const ofList = pick(header, columns.list?.columns ?? []);
    const width = first.cells.length;
    const within = `${file}, line`;
    let rows = 0;
    const recordOf = (cells: readonly string[], place: Place): Fields => {
      const values = (wanted: readonly Column[], from: number) =>
        readValues(wanted, (column, i) => readCell(cells[own[from + i] ?? -1], column), place);
      const record: Fields = { ...values(columns.own, 0) };
      if (columns.group) {
        record[columns.group.name] = values(columns.group.columns, columns.own.length);
      }
      return record;
    };
    // Long lists repeat the columns of their record in row after row.
    const known = new Map<string, Fields>();
    for (const { line, cells } of lines) {
      rows++;
      const place = { within, number: line };
      if (cells.length !== width) {
        refuse(place, `the row has ${cells.length} cells, the header has ${width}`);
      }
      let written = "";
      if (columns.list) for (const i of own) written += `${cells[i] ?? ""}\n`;
      let record = known.get(written);
      if (!record) {
        record = recordOf(cells, place);
        if (columns.list) known.set(written, record);
      }
      const entry =
        columns.list &&
        readValues(
          columns.list.columns,
          (column, i) => readCell(cells[ofList[i] ?? -1], column),
          place,
        );
      yield rowOf(place, record, entry);
    }
    if (rows === 0) refuse(lineOf(file, 1), "no row follows the header");
    return { shape: "csv", rows };
  }

  function* readJson(element: unknown, place: Place): Generator<Row, void> {
    if (!isObject(element)) refuse(place, `an object is expected, not ${shown(element)}`);
    const { group, list } = columns;
    const inner = group && element[group.name];
    const entries = list && element[list.name];
    // What is nested in the element is not looked for in the element itself.
    const holder = isObject(inner) ? group : Array.isArray(entries) ? list : null;
    const nested = holder?.columns.map(({ name }) => name) ?? [];
    const allowed = holder
      ? [...names.filter((name) => !nested.includes(name)), holder.name]
      : names;
    refuseUnknown(element, allowed, place);
    if (isObject(inner)) refuseUnknown(inner, nested, place);

    const record: Fields = { ...readValues(columns.own, ({ name }) => element[name], place) };
    if (group) {
      const from = isObject(inner) ? inner : element;
      record[group.name] = readValues(group.columns, ({ name }) => from[name], place);
    }
    const written = Array.isArray(entries) ? (entries as unknown[]) : [element];
    if (!list || written.length === 0) {
      yield rowOf(place, record, null);
      return;
    }
    for (const entry of written) {
      if (!isObject(entry)) refuse(place, `${list.name} must hold objects, not ${shown(entry)}`);
      if (entry !== element) refuseUnknown(entry, nested, place);
      yield rowOf(
        place,
        record,
        readValues(list.columns, ({ name }) => entry[name], place),
      );
    }
  }

  function* readJsonArray(file: string, text: string): Generator<Row, FileRead> {
    const placeOf = (number: number) => ({ within: `${file}, record`, number });
    const records = parseJson(text, placeOf(1), "the file");
    if (!Array.isArray(records) || records.length === 0) {
      return refuse(placeOf(1), "the array is empty");
    }
    for (const [i, record] of records.entries()) yield* readJson(record, placeOf(i + 1));
    return { shape: "json", rows: records.length };
  }

  function* readJsonLines(file: string, texts: Iterable<string>): Generator<Row, FileRead> {
    let rows = 0;
    for (const { line, text } of linesOf(texts)) {
      if (text.trim() === "") continue;
      const place = lineOf(file, line);
      yield* readJson(parseJson(text, place, "the line"), place);
      rows++;
    }
    return { shape: "json lines", rows };
  }

  function* readListedIssues(
    file: string,
    unit: "line" | "row",
    rows: Parameters<typeof parseListedIssues>[0] & { readonly length: number },
  ): Generator<Row, FileRead> {
    let instruments;
    try {
      instruments = parseListedIssues(rows);
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      return refuse({ within: `${file}, ${unit}`, number: error.line }, error.message);
    }
    for (const instrument of instruments)
      yield rowOf({ within: file, number: null }, { ...instrument }, null);
    return { shape: "jpx", rows: Math.max(0, rows.length - 1) };
  }

  function* readFile({ name: file, pieces }: RecordFile): Generator<Row, FileRead> {
    const [bytes = new Uint8Array(), allBytes] = peek(pieces);
    if (isWorkbook(bytes)) {
      if (kind.record !== "instruments") {
        throw new BourseError(
          "invalid_argument",
          `${file}: of workbooks only JPX's list of instruments can be read; save it as CSV.`,
        );
      }
      const workbook = readListWorkbook(file, Buffer.concat([...allBytes]));
      return yield* readListedIssues(file, "row", workbook);
    }
    try {
      const [text = "", texts] = peek(decode(allBytes));
      const start = text.trimStart()[0];
      if (start === "{") return yield* readJsonLines(file, texts);
      if (start !== "[") return yield* readCsv(file, texts);
      const whole = [...texts].join("");
      refuseNoText(whole);
      return yield* readJsonArray(file, whole);
    } catch (error) {
      if (!(error instanceof CsvError)) throw error;
      return refuse(lineOf(file, error.line), error.message);
    }
  }

  function* readAll(): Generator<Row, void> {
    for (const file of files) read.push({ name: file.name, ...(yield* readFile(file)) });
  }
  return { rows: readAll(), read };
}

type FileRead = Omit<FilesRead[number], "name">;

/** The first of them, and all of them. */
function peek<T>(items: Iterable<T>): [first: T | undefined, all: Iterable<T>] {
  const rest = items[Symbol.iterator]();
  const first = rest.next();
  if (first.done) return [undefined, []];
  const all = function* () {
    yield first.value;
    yield* { [Symbol.iterator]: () => rest };
  };
  return [first.value, all()];
}

function* decode(pieces: Iterable<Uint8Array>): Generator<string, void> {
  const decoder = new TextDecoder();
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** The lines of a text in pieces, counted from 1. @throws CsvError as `refuseNoText` */
function* linesOf(texts: Iterable<string>): Generator<{ line: number; text: string }, void> {
  let text = "";
  let line = 1;
  for (const piece of texts) {
    text += piece;
    refuseNoText(text, line);
    let at = 0;
    for (let end; (end = text.indexOf("\n", at)) !== -1; at = end + 1) {
      yield { line, text: text.slice(at, end) };
      line++;
    }
    text = text.slice(at);
  }
  yield { line, text };
}

const keyOf = (kind: ImportKind, record: Fields): string =>
  kind.key.map((name) => record[name]).join("\n");

/** The records of rows, each of which is one. */
function* refuseTwins(
  rows: Iterable<Row>,
  kind: ImportKind,
): Generator<{ place: Place; record: Fields }, void> {
  const places = new Map<string, Place>();
  for (const { place, record } of rows) {
    const key = keyOf(kind, record);
    const known = places.get(key);
    if (known !== undefined) {
      refuse(place, `${key.replaceAll("\n", " ")} stands here and in ${formatPlace(known)}`);
    }
    places.set(key, place);
    yield { place, record };
  }
}

/** A record while its rows are read. */
interface Draft {
  readonly place: Place;
  readonly record: Fields;
  readonly list: { readonly place: Place; readonly values: Values }[];
}

/** The records of rows, each of which is an entry of the list within one. */
function* gather(
  rows: Iterable<Row>,
  kind: ImportKind,
  columns: RecordColumns,
  list: NonNullable<RecordColumns["list"]>,
): Generator<{ place: Place; record: Fields }, void> {
  const drafts = new Map<string, Draft>();
  for (const { place, record, entry } of rows) {
    const key = keyOf(kind, record);
    const draft = drafts.get(key) ?? { place, record, list: [] };
    drafts.set(key, draft);
    for (const { name } of record === draft.record ? [] : columns.own) {
      if (record[name] !== draft.record[name]) {
        const other = `${shown(draft.record[name])} in ${formatPlace(draft.place)}`;
        refuse(place, `${name} is ${shown(record[name])} here but ${other}, of the same record`);
      }
    }
    if (entry) draft.list.push({ place, values: entry });
  }
  for (const { place, record, list: entries } of drafts.values()) {
    if (entries.length < list.atLeast) refuse(place, `${list.name} is empty`);
    yield { place, record: { ...record, [list.name]: inOrder(entries, kind) } };
  }
}

/** Where each column of a file stands, counted from 0; refuses what is unknown, doubled or missing. */
function readHeader(row: CsvRow, file: string, columns: RecordColumns): Map<string, number> {
  const place = lineOf(file, row.line);
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
  let index = 0;
  for (const column of columns) {
    const { name } = column;
    let value = read(column, index++) ?? null;
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
      refuse(current.place, `${what} stands here and in ${formatPlace(before.place)}`);
    }
    const clash = kind.findClash?.(before.values, current.values);
    if (clash) refuse(current.place, clash);
  }
  return list.map(({ values }) => values);
}

function readListWorkbook(file: string, bytes: Uint8Array) {
  try {
    return readWorkbook(bytes).map((cells, i) => ({ line: i + 1, cells }));
  } catch (error) {
    if (!(error instanceof WorkbookError)) throw error;
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
