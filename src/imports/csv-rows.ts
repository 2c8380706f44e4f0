import { closestHint } from "#lib/closest.ts";
import { type CsvRow, csvRows } from "#lib/csv.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import type { Place } from "#domain/records.ts";
import { quote, refuseNoText } from "./cells.ts";
import { foreignFile, noneOf } from "./foreign-files.ts";
import type { CombinedColumn, ImportKind, Values } from "./import-kinds.ts";
import { type DecimalMark, detectDecimalMark, hasOtherCurrency } from "./numbers.ts";
import { isListedIssuesHeader } from "#sources/jpx/listed-issues.ts";
import { readListedIssues } from "./listed-issues-rows.ts";
import { PlainBarReader, PlainRunReader } from "./plain-bars.ts";
import {
  checkedRow,
  type Fields,
  lineOf,
  type Reading,
  refuse,
  type Row,
  type RowsOfFile,
  unlessSkipped,
} from "./reading.ts";
import type { Column, RecordColumns } from "./record-columns.ts";
import { isNamed, plainName, readCell, readValues, refuseOther } from "./record-values.ts";

/** The rows of a CSV text. `start` is its first piece. */
export function* readCsv(
  reading: Reading,
  file: string,
  start: string,
  texts: Iterable<string>,
): RowsOfFile {
  const { kind, columns } = reading;
  const delimiter = delimiterOf(start, columns);
  let runs: PlainRunReader<Fields> | null = null;
  const rest = csvRows(withoutDeclaration(texts), {
    delimiter,
    inspect: refuseNoText,
    take: (text, at, line) => runs?.take(text, at, line) ?? null,
  });
  const own = kind.combined ? splitColumn(rest, kind.combined) : rest;
  const lines = withConstants(own, reading, file);
  const first = lines.next().value;
  if (first === undefined) refuse(lineOf(file, 1), "the file is empty");
  if (kind.record === "instruments" && isListedIssuesHeader(first.cells)) {
    return yield* readListedIssues(reading, file, "line", [first, ...lines]);
  }
  const header = readHeader(reading, first, file);
  const mark =
    delimiter === ","
      ? "point"
      : (reading.options.decimalMark ?? markOf(start, delimiter, header, columns));
  const rowOf = csvRowReader(reading, header, first.cells.length, mark);
  const within = `${file}, line`;
  const isPlain = kind.record === "bars" && mark === "point";
  const width = first.cells.length;
  const plainReader = isPlain ? new PlainBarReader<Fields>(header, width) : null;
  // Constants are checked in each row.
  if (isPlain && reading.takesRuns && Object.keys(reading.options.constants ?? {}).length === 0)
    runs = new PlainRunReader<Fields>(header, { width, delimiter, within });
  let rows = 0;
  for (const { line, cells } of lines) {
    const place = { within, number: line };
    if (runs && cells.length === 0) {
      const { run, record } = runs.taken;
      rows += run.count;
      yield { place, record, entry: null, run };
      continue;
    }
    rows++;
    const plain = plainReader?.read(cells);
    if (plain) {
      yield { place, record: plain.record, entry: plain.entry };
      continue;
    }
    const row = unlessSkipped(reading, place, () => rowOf(cells, place));
    if (!row) continue;
    for (const reader of [plainReader, runs])
      reader?.learn(cells, row.record, String(row.entry?.["date"]));
    yield row;
  }
  if (rows === 0) refuse(lineOf(file, 1), "no row follows the header");
  return { shape: "csv", rows };
}

/** The rows with the columns of `--set`, which have one value in all rows. A column that the file has too must have that value. */
function* withConstants(
  rows: Generator<CsvRow, void>,
  reading: Reading,
  file: string,
): Generator<CsvRow, void> {
  const constants = Object.entries(reading.options.constants ?? {});
  const header = constants.length > 0 && rows.next().value;
  if (!header) return yield* rows;
  const names = header.cells.map((cell) => columnName(reading, cell.trim()) ?? "");
  const given = constants.map(([written, value]) => {
    const name = columnName(reading, written) ?? written;
    return { name, value, at: names.indexOf(name) };
  });
  const [present, absent] = [given.filter(({ at }) => at >= 0), given.filter(({ at }) => at < 0)];
  yield { ...header, cells: [...header.cells, ...absent.map(({ name }) => name)] };
  const more = absent.map(({ value }) => value);
  for (const { line, cells } of rows) {
    const place = lineOf(file, line);
    const isRead = unlessSkipped(reading, place, () => {
      for (const { name, value, at } of present) refuseOther(name, cells[at], value, place);
      return true;
    });
    if (isRead) yield { line, cells: [...cells, ...more] };
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
export function csvRowReader(
  reading: Reading,
  header: ReadonlyMap<string, number>,
  width: number,
  mark: DecimalMark,
): (cells: readonly string[], place: Place) => Row {
  const { columns, kind } = reading;
  const { group, list } = columns;
  const own = pick(header, [...columns.own, ...(group?.columns ?? [])]);
  const ofList = pick(header, list?.columns ?? []);
  const isMoney = kind.record === "bars" || kind.record === "dividends";
  const recordOf = (cells: readonly string[], place: Place): Fields => {
    const values = (wanted: readonly Column[], from: number) =>
      readValues(wanted, (column, i) => readCell(cells[own[from + i] ?? -1], column, mark), place);
    const record: Fields = { ...values(columns.own, 0) };
    if (group) {
      record[group.name] = values(group.columns, columns.own.length);
      for (const [i, { name }] of group.columns.entries())
        refuseCurrency(cells[own[columns.own.length + i] ?? -1], name, record, place);
    }
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
    if (isMoney)
      for (const [i, { name }] of list.columns.entries())
        refuseCurrency(cells[ofList[i] ?? -1], name, record, place, entry);
    return checkedRow(reading, place, record, entry);
  };
}

/** Refuses a figure with the sign of another currency than its row or its record, or without one its country. */
function refuseCurrency(
  cell: string | undefined,
  name: string,
  record: Fields,
  place: Place,
  entry: Values = {},
): void {
  if (cell === undefined || !/\d/.test(cell) || /^[\d.,+\s-]*$/.test(cell)) return;
  const given = entry["currency"] ?? record["currency"];
  const own = typeof given === "string" ? given : COUNTRIES[record["country"] as Country].currency;
  if (!hasOtherCurrency(cell, own)) return;
  refuse(place, `${name} ${quote(cell)} is not in ${own}: convert it, or give its currency`);
}

const pick = (header: ReadonlyMap<string, number>, columns: readonly Column[]): number[] =>
  columns.map(({ name }) => header.get(name) ?? -1);

/** The column with that name or alias. */
function columnName({ kind: { aliases = {} }, columns }: Reading, written: string) {
  const isIt = isNamed(written);
  const name = columns.all.find((column) => isIt(column.name))?.name;
  return name ?? aliases[Object.keys(aliases).find(isIt) ?? ""];
}

/** The position of each column, counted from 0; refuses unknown, duplicate and missing columns. */
export function readHeader(reading: Reading, row: CsvRow, file: string): Map<string, number> {
  const { kind, columns, read } = reading;
  const { ignored = [] }: ImportKind = kind;
  const place = lineOf(file, row.line);
  const names = columns.all.map(({ name }) => name);
  const positions = new Map<string, number>();
  for (const [i, cell] of row.cells.entries()) {
    const written = cell.trim();
    const name = columnName(reading, written);
    if (name === undefined) {
      if (ignored.some(isNamed(written))) {
        read.unread.add(written);
        continue;
      }
      const seen = `${quote(written)}${closestHint(written, names)}`;
      const reason = `the header has ${seen}, which is ${noneOf(written, names, kind.plural)}`;
      refuse(place, foreignFile(row.cells) ?? reason, "header");
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
