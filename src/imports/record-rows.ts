import { COUNTRY_CODES, countryLowerName } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { formatPlace, type Place } from "#domain/records.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { findJsonExcess } from "#lib/bounded-json.ts";
import { closest } from "#lib/closest.ts";
import { CsvError, type CsvRow, csvRows } from "#lib/csv.ts";
import { isWorkbook, readWorkbook } from "#lib/workbook.ts";
import { WorkbookError } from "#lib/workbook-error.ts";
import {
  isListedIssuesHeader,
  type ListedIssuesRow,
  listedIssuesReader,
} from "#sources/jpx/listed-issues.ts";
import { fitRange, type OnBad } from "./bad-rows.ts";
import { cleanText, quote, refuseNoText } from "./cells.ts";
import type { CombinedColumn, ImportKind, Values } from "./import-kinds.ts";
import { JSON_LIMITS, LONGEST_JSON_LINE, LONGEST_TEXT, MOST_ROWS } from "./limits.ts";
import { type DecimalMark, detectDecimalMark, readFigure, readNumber } from "./numbers.ts";
import type { Column, RecordColumns } from "./record-columns.ts";
import { PlainBarReader } from "./plain-bars.ts";
import { decodeText } from "./text-encoding.ts";

/** A file on the disk. */
export interface RecordFile {
  /** How errors name it. */
  readonly name: string;
  /** Its bytes, which can be read once. The first piece, which shows the format, has 1 KiB or the whole file. */
  readonly pieces: Iterable<Uint8Array>;
}

/** How files of records are read. */
export interface RecordFileOptions {
  /** Local `YYYY-MM-DD`; a bar of a later date is refused. */
  readonly today: string;
  /** What happens to a wrong row; by default all files are refused. */
  readonly onBad?: OnBad;
  /** The values of columns that the files do not have, by column. */
  readonly constants?: Readonly<Record<string, string>>;
  /** The decimal mark of files that are not comma-separated; by default it is detected. */
  readonly decimalMark?: DecimalMark;
}

/** A row that was left out or changed, and why. */
export interface LeftOut {
  readonly place: Place;
  readonly reason: string;
}

/** The form in which a file holds records; `jpx` is the Tokyo exchange's list of listed issues. */
export type RecordShape = "csv" | "json" | "json lines" | "jpx";

/** The result of a file that was read to its end. */
export interface FileRead {
  readonly name: string;
  readonly shape: RecordShape;
  readonly rows: number;
}

/** The results so far; the lists grow while rows are read. */
export interface ReadSoFar {
  readonly files: FileRead[];
  readonly skipped: LeftOut[];
  readonly widened: LeftOut[];
}

/** An object of JSON, or a record with its nested objects and lists. */
export type Fields = Record<string, unknown>;

/** A row of a file: a record, or an entry of the list within it. */
export interface Row {
  readonly place: Place;
  /** All of the record except its list; rows of one record may share it. */
  readonly record: Fields;
  /** Null if the record has no list, or none with an entry. */
  readonly entry: Values | null;
}

/** The parameters of every reader of rows. */
interface Reading {
  readonly kind: ImportKind;
  readonly columns: RecordColumns;
  readonly options: RecordFileOptions;
  readonly read: ReadSoFar;
}

/** Refuses a file and names the place of the fault. */
export function refuse(place: Place, reason: string, param?: string): never {
  throw new BourseError(
    "invalid_argument",
    `${formatPlace(place)}: ${reason}`,
    param === undefined ? {} : { param },
  );
}

const lineOf = (file: string, number: number): Place => ({ within: `${file}, line`, number });

/** Reads the rows of files one by one, in their order; `read` grows at the same time. */
export function readRows(
  kind: ImportKind,
  columns: RecordColumns,
  files: readonly RecordFile[],
  options: RecordFileOptions,
): { rows: Generator<Row, void>; read: ReadSoFar } {
  const read: ReadSoFar = { files: [], skipped: [], widened: [] };
  return { rows: readFiles({ kind, columns, options, read }, files), read };
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
      if (++taken > most) {
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

type RowsOfFile = Generator<Row, Omit<FileRead, "name">>;

/** The rows of a file by its form. It is not a generator, because each level of generators costs a tenth of an import. */
function readFile(reading: Reading, { name: file, pieces }: RecordFile): RowsOfFile {
  const [bytes = new Uint8Array(), allBytes] = peek(pieces);
  if (isWorkbook(bytes)) {
    if (reading.kind.record !== "instruments") {
      throw new BourseError(
        "invalid_argument",
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

/**
 * Joins a text that comes in pieces. `otherwise` is the advice for a text that is too long.
 *
 * @throws CsvError if it is not text, or longer than the limit
 */
export function joinTexts(texts: Iterable<string>, otherwise: string): string {
  const parts: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (parts.length === 0) refuseNoText(text);
    parts.push(text);
    length += text.length;
    if (length > LONGEST_TEXT) {
      throw new CsvError(
        1,
        `the file has more than ${LONGEST_TEXT >> 20} MiB: split it, or ${otherwise}`,
      );
    }
  }
  const whole = parts.join("");
  refuseNoText(whole);
  return whole;
}

/** Passes a row on if nothing is wrong with its values; a range may be widened. */
function checkedRow(
  { kind, columns, options, read }: Reading,
  place: Place,
  record: Fields,
  entry: Values | null,
): Row {
  let values = columns.list ? entry : (record as Values);
  if (values && kind.record === "bars" && options.onBad === "widen") {
    const { bar, note } = fitRange(place.number ?? 1, values as unknown as DailyBar, {
      isIndex: false,
      onBad: "widen",
    });
    if (note !== null) read.widened.push({ place, reason: note });
    values = bar;
  }
  const fault = values && kind.findFault?.(values, options.today);
  if (fault) refuse(place, fault);
  return { place, record, entry: columns.list ? values : entry };
}

/** Yields the results of `work`. If it refuses a row and wrong rows are skipped, notes the row and yields nothing. */
function unlessSkipped<T>({ options, read }: Reading, place: Place, work: () => T): T | null {
  if (options.onBad !== "skip") return work();
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BourseError)) throw error;
    const prefix = `${formatPlace(place)}: `;
    const { message } = error;
    read.skipped.push({
      place,
      reason: message.startsWith(prefix) ? message.slice(prefix.length) : message,
    });
    return null;
  }
}

function* readCsv(
  reading: Reading,
  file: string,
  start: string,
  texts: Iterable<string>,
): RowsOfFile {
  const { kind, columns } = reading;
  const delimiter = delimiterOf(start, columns);
  const rest = csvRows(withoutDeclaration(texts), { delimiter, inspect: refuseNoText });
  const own = kind.combined ? splitColumn(rest, kind.combined) : rest;
  const lines = withConstants(own, reading.options.constants ?? {});
  const first = lines.next().value;
  if (first === undefined) refuse(lineOf(file, 1), "the file is empty");
  if (kind.record === "instruments" && isListedIssuesHeader(first.cells)) {
    return yield* readListedIssues(reading, file, "line", [first, ...lines]);
  }
  const header = readHeader(first, file, columns, kind);
  const mark =
    delimiter === ","
      ? "point"
      : (reading.options.decimalMark ?? markOf(start, delimiter, header, columns));
  const rowOf = csvRowReader(reading, header, first.cells.length, mark);
  const within = `${file}, line`;
  const plainReader =
    kind.record === "bars" && mark === "point"
      ? new PlainBarReader<Fields>(header, first.cells.length)
      : null;
  let rows = 0;
  for (const { line, cells } of lines) {
    rows++;
    const place = { within, number: line };
    const plain = plainReader?.read(cells);
    if (plain) {
      yield { place, record: plain.record, entry: plain.entry };
      continue;
    }
    const row = unlessSkipped(reading, place, () => rowOf(cells, place));
    if (!row) continue;
    plainReader?.learn(cells, row.record, String(row.entry?.["date"]));
    yield row;
  }
  if (rows === 0) refuse(lineOf(file, 1), "no row follows the header");
  return { shape: "csv", rows };
}

/** The rows with further columns, which have one value in all rows. */
function* withConstants(
  rows: Generator<CsvRow, void>,
  constants: Readonly<Record<string, string>>,
): Generator<CsvRow, void> {
  const [names, values] = [Object.keys(constants), Object.values(constants)];
  if (names.length === 0) return yield* rows;
  let more = names;
  for (const { line, cells } of rows) {
    yield { line, cells: [...cells, ...more] };
    more = values;
  }
}

/** The rows with several columns in place of the combined one. Text of another form stays in the first one, which refuses it. */
function* splitColumn(
  rows: Generator<CsvRow, void>,
  { name, into, split }: CombinedColumn,
): Generator<CsvRow, void> {
  let at: number | null = null;
  for (const { line, cells } of rows) {
    const isHeader = at === null;
    at ??= cells.findIndex((cell) => plainName(cell.trim()) === plainName(name));
    if (at === -1) {
      yield { line, cells };
      continue;
    }
    const text = cells[at]?.trim() ?? "";
    const parts = isHeader ? into : (split(text) ?? into.map((_, i) => (i === 0 ? text : "")));
    yield { line, cells: [...cells.slice(0, at), ...parts, ...cells.slice(at + 1)] };
  }
}

/** Excel's first line `sep=;` becomes a blank one. */
function* withoutDeclaration(texts: Iterable<string>): Generator<string, void> {
  let isFirst = true;
  for (const text of texts) {
    yield isFirst ? text.replace(/^\uFEFF?sep=.(?=\r?\n)/, "") : text;
    isFirst = false;
  }
}

/** The delimiter by which the first line has the most known columns; a comma if none has any. */
function delimiterOf(start: string, columns: RecordColumns): string {
  const names = new Set(columns.all.map(({ name }) => plainName(name)));
  const header = /^\s*(?:sep=.\s+)?([^\r\n]*)/.exec(start.replace(/^\uFEFF/, ""))?.[1] ?? "";
  const known = (delimiter: string) =>
    header.split(delimiter).filter((cell) => names.has(plainName(cell.trim().replaceAll('"', ""))))
      .length;
  return [",", ";", "\t", "|"].reduce((best, one) => (known(one) > known(best) ? one : best));
}

/** The decimal mark by the numbers in the first piece of a file. */
function markOf(
  start: string,
  delimiter: string,
  header: ReadonlyMap<string, number>,
  columns: RecordColumns,
): DecimalMark {
  const numeric = columns.all.flatMap(({ name, type }) => {
    const at = header.get(name);
    return type === "number" && at !== undefined ? [at] : [];
  });
  // The last line may be cut off.
  const lines = start.split("\n").slice(0, -1);
  const rows = csvRows(lines.slice(0, 1_000).join("\n"), { delimiter });
  const cells = [...rows]
    .slice(1)
    .flatMap(({ line, cells }) =>
      numeric.map((at) => ({ line, text: cells[at]?.trim() ?? "", isVolume: false })),
    );
  return detectDecimalMark(cells, delimiter);
}

/** Turns the cells of a line into a row. */
function csvRowReader(
  reading: Reading,
  header: ReadonlyMap<string, number>,
  width: number,
  mark: DecimalMark,
): (cells: readonly string[], place: Place) => Row {
  const { columns } = reading;
  const { group, list } = columns;
  const own = pick(header, [...columns.own, ...(group?.columns ?? [])]);
  const ofList = pick(header, list?.columns ?? []);
  const recordOf = (cells: readonly string[], place: Place): Fields => {
    const values = (wanted: readonly Column[], from: number) =>
      readValues(wanted, (column, i) => readCell(cells[own[from + i] ?? -1], column, mark), place);
    const record: Fields = { ...values(columns.own, 0) };
    if (group) record[group.name] = values(group.columns, columns.own.length);
    return record;
  };
  // Long lists repeat the columns of their record in row after row.
  const known = new Map<string, Fields>();
  return (cells, place) => {
    if (cells.length !== width) {
      refuse(place, `the row has ${cells.length} cells, the header has ${width}`);
    }
    if (!list) return checkedRow(reading, place, recordOf(cells, place), null);
    let written = "";
    for (const i of own) written += `${cells[i] ?? ""}\n`;
    const record = known.get(written) ?? recordOf(cells, place);
    known.set(written, record);
    const entry = readValues(
      list.columns,
      (column, i) => readCell(cells[ofList[i] ?? -1], column, mark),
      place,
    );
    return checkedRow(reading, place, record, entry);
  };
}

const pick = (header: ReadonlyMap<string, number>, columns: readonly Column[]): number[] =>
  columns.map(({ name }) => header.get(name) ?? -1);

/** The position of each column, counted from 0; refuses unknown, duplicate and missing columns. */
function readHeader(
  row: CsvRow,
  file: string,
  columns: RecordColumns,
  { aliases = {}, ignored = [] }: ImportKind,
): Map<string, number> {
  const place = lineOf(file, row.line);
  const names = columns.all.map(({ name }) => name);
  const positions = new Map<string, number>();
  for (const [i, cell] of row.cells.entries()) {
    const written = cell.trim();
    const isIt = (one: string) => plainName(one) === plainName(written);
    const name = names.find(isIt) ?? aliases[Object.keys(aliases).find(isIt) ?? ""];
    if (name === undefined) {
      if (ignored.some(isIt)) continue;
      const seen = `${quote(written)}${nearest(written, names)}`;
      refuse(place, `the header has ${seen}, which is none of ${names.join(", ")}`, "header");
    }
    if (positions.has(name)) refuse(place, `the header has ${name} twice`, "header");
    positions.set(name, i);
  }
  const missing = columns.all.flatMap(({ name, isNullable, isOptional }) =>
    positions.has(name) || isNullable || isOptional ? [] : name,
  );
  if (missing.length > 0)
    refuse(place, `the header has no column ${missing.join(", no column ")}`, "header");
  return positions;
}

/** The code of a country whose name the service's answers write: `united states`; other texts stay. */
function countryIn(text: string): string {
  return COUNTRY_CODES.find((code) => countryLowerName(code) === text) ?? text;
}

/** A name without its letter case and its form: `exDate` and `ex_date` are equal. */
const plainName = (name: string) => name.toLowerCase().replaceAll(/[_ -]/g, "");

/** The value of a CSV cell; null if it is empty, its text if it has another type. */
function readCell(cell: string | undefined, { type }: Column, mark: DecimalMark): unknown {
  if (cell === undefined) return null;
  if (type === "number") {
    const number = mark === "point" ? readNumber(cell) : readFigure(cell, mark);
    return Number.isNaN(number) ? cell : number;
  }
  const text = cell.trim();
  if (text === "") return null;
  if (type === "string") return text;
  const lower = text.toLowerCase();
  return lower === "true" || lower === "false" ? lower === "true" : text;
}

/** The values of some columns; null if an optional one is missing. */
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
      const text = cleanText(value);
      value = name === "symbol" ? text.toUpperCase() : name === "country" ? countryIn(text) : text;
    }
    if (value === null) {
      if (column.isNullable) values[name] = null;
      // An empty cell is a value if text may be empty, as the unit of a plain number.
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

function* readJsonLines(reading: Reading, file: string, texts: Iterable<string>): RowsOfFile {
  let rows = 0;
  for (const { line, text } of linesOf(texts)) {
    if (text.trim() === "") continue;
    const place = lineOf(file, line);
    const found = unlessSkipped(reading, place, () =>
      readJson(reading, parseJson(text, place, "the line"), place),
    );
    yield* found ?? [];
    rows++;
  }
  return { shape: "json lines", rows };
}

function* readJsonArray(reading: Reading, file: string, texts: Iterable<string>): RowsOfFile {
  const text = joinTexts(texts, "write JSON Lines, with one record a line");
  const placeOf = (number: number) => ({ within: `${file}, record`, number });
  const records = parseJson(text, placeOf(1), "the file");
  if (!Array.isArray(records) || records.length === 0) {
    return refuse(placeOf(1), "the array is empty");
  }
  for (const [i, record] of records.entries()) {
    const place = placeOf(i + 1);
    yield* unlessSkipped(reading, place, () => readJson(reading, record, place)) ?? [];
  }
  return { shape: "json", rows: records.length };
}

/** The rows of a record of JSON, which is nested as in `#domain` or flat as in CSV. */
function readJson(reading: Reading, written: unknown, place: Place): Row[] {
  if (!isObject(written)) refuse(place, `an object is expected, not ${shown(written)}`);
  const { columns } = reading;
  const { group, list } = columns;
  const names = columns.all.map(({ name }) => name);
  const given = renamed(written, [...names, group?.name ?? "", list?.name ?? ""]);
  const element = withConstantFields(reading, given, place);
  const inner = group && element[group.name];
  const entries = list && element[list.name];
  // Fields of a nested object or list are not searched for in the element itself.
  const holder = isObject(inner) ? group : Array.isArray(entries) ? list : null;
  const nested = holder?.columns.map(({ name }) => name) ?? [];
  const allowed = holder ? [...names.filter((name) => !nested.includes(name)), holder.name] : names;
  refuseUnknown(element, allowed, place);
  if (isObject(inner)) refuseUnknown(inner, nested, place);

  const record: Fields = { ...readValues(columns.own, ({ name }) => element[name], place) };
  if (group) {
    const from = isObject(inner) ? inner : element;
    record[group.name] = readValues(group.columns, ({ name }) => from[name], place);
  }
  const all = Array.isArray(entries) ? (entries as unknown[]) : [element];
  if (!list || all.length === 0) return [checkedRow(reading, place, record, null)];
  return all.map((one) => {
    if (!isObject(one)) refuse(place, `${list.name} must hold objects, not ${shown(one)}`);
    const entry = one === element ? element : renamed(one, nested);
    if (entry !== element) refuseUnknown(entry, nested, place);
    const values = readValues(list.columns, ({ name }) => entry[name], place);
    return checkedRow(reading, place, record, values);
  });
}

/** The object with the fields that `--set` gives. */
function withConstantFields(
  { columns, options: { constants = {} } }: Reading,
  element: Fields,
  place: Place,
): Fields {
  const fields: Fields = {};
  for (const [written, text] of Object.entries(constants)) {
    const column = columns.all.find(({ name }) => plainName(name) === plainName(written));
    const name = column?.name ?? written;
    if (name in element) refuse(place, `${name} is in the record and in --set`);
    fields[name] = column ? readCell(text, column, "point") : text;
  }
  return { ...element, ...fields };
}

/** The object with fields like `ex_date` under the names of columns; the same object if it has no such field. */
function renamed(element: Fields, names: readonly string[]): Fields {
  if (Object.keys(element).every((key) => names.includes(key))) return element;
  const fields: Fields = {};
  for (const [key, value] of Object.entries(element)) {
    const name = names.find((one) => plainName(one) === plainName(key)) ?? key;
    // Two forms of one name would lose a value.
    fields[name in fields ? key : name] = value;
  }
  return fields;
}

/**
 * The lines of a text in pieces, counted from 1; each piece is searched once.
 *
 * @throws CsvError if it is not text, or if a line has more than 16 million characters
 */
function* linesOf(texts: Iterable<string>): Generator<{ line: number; text: string }, void> {
  let parts: string[] = [];
  let length = 0;
  let line = 1;
  for (const piece of texts) {
    refuseNoText(piece, line);
    let at = 0;
    for (let end; (end = piece.indexOf("\n", at)) !== -1; at = end + 1) {
      parts.push(piece.slice(at, end));
      yield { line, text: parts.join("") };
      line++;
      parts = [];
      length = 0;
    }
    parts.push(piece.slice(at));
    length += piece.length - at;
    if (length > LONGEST_JSON_LINE) {
      const most = LONGEST_JSON_LINE.toLocaleString("en-US");
      throw new CsvError(line, `the line has more than ${most} characters`);
    }
  }
  yield { line, text: parts.join("") };
}

function* readListedIssues(
  reading: Reading,
  file: string,
  unit: "line" | "row",
  [header, ...rows]: readonly ListedIssuesRow[],
): RowsOfFile {
  let instruments;
  try {
    const { read } = listedIssuesReader(header ?? { line: 1, cells: [] });
    instruments = rows.flatMap((row) => read(row) ?? []);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return refuse({ within: `${file}, ${unit}`, number: error.line }, error.message);
  }
  for (const instrument of instruments)
    yield checkedRow(reading, { within: file, number: null }, { ...instrument }, null);
  return { shape: "jpx", rows: rows.length };
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
  const excess = findJsonExcess(text, JSON_LIMITS);
  if (excess !== null) refuse(place, `${what} ${excess}`);
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
  } catch {
    return refuse(place, `${what} is not JSON`);
  }
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

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value as errors show it. */
export function shown(value: unknown): string {
  return typeof value === "string" ? quote(value) : quote(JSON.stringify(value) ?? "nothing");
}
