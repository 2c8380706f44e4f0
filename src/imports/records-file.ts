import type { TObject } from "@sinclair/typebox";
import type { BarHistory, BarRun, DailyBar } from "#domain/daily-bar.ts";
import { formatPlace, type Place, type RecordOf, RECORDS } from "#domain/records.ts";
import { csvRows, quoteCell } from "#lib/csv.ts";
import { IMPORT_KINDS, type ImportKind, type ImportName, type Values } from "./import-kinds.ts";
import { columnsOf, type RecordColumns } from "./record-columns.ts";
import {
  type Fields,
  type ReadSoFar,
  type RecordFile,
  type RecordFileOptions,
  refuse,
  type Row,
} from "./reading.ts";
import { readRows } from "./record-rows.ts";
import { shown } from "./record-values.ts";

/** A record, the place where it begins, and the places of the entries of its list. */
export interface PlacedRecord<N extends ImportName> {
  readonly place: Place;
  readonly entries?: readonly Place[];
  readonly record: RecordOf<(typeof IMPORT_KINDS)[N]["record"]>;
}

/** A bar, its instrument, and its place. */
export interface PlacedBar {
  readonly place: Place;
  readonly record: Pick<BarHistory, "country" | "symbol">;
  /** Null in a record of JSON that has no bar, and for a run. */
  readonly entry: DailyBar | null;
  /** Bars of several rows, before the next bars are read; `place` is the first row. */
  readonly run?: BarRun;
}

/**
 * Reads records of one kind from files, all of them or nothing. The format is detected from the content: CSV
 * with a header, a JSON array, or JSON Lines; for instruments also JPX's list, as its workbook or
 * saved as CSV.
 *
 * - Columns are the properties of the record and of its nested objects, in any order. A column that may
 *   be null may be left out; an unknown one is refused, so that a misspelt name does not lose data.
 * - CSV may be separated by commas, semicolons, tabs or bars, in any encoding of `detectEncoding`; all
 *   but comma-separated files may have decimal commas.
 * - JSON may hold records as in `#domain` or flat rows as in CSV.
 * - Rows of one statement that have no figure twice become one record, also over several files.
 * - Rows that differ only in the list within a record (observations, payments) become one record,
 *   also over several files, its list in order. Every other duplicate is refused.
 * - Symbols are put in upper case, text is cleaned as `cleanText` does.
 * - CSV and JSON Lines are read in pieces, one at a time in memory. A JSON array and JPX's list are read
 *   whole. Of records without a list, only the keys stay in memory; records with a list are yielded after
 *   the last row.
 *
 * @throws BourseError `invalid_argument` while records are read, one sentence with file, line and
 * what is allowed there, for the first fault; with `param` "header" if it is the header
 */
export function parseRecordFiles<N extends ImportName>(
  name: N,
  files: readonly RecordFile[],
  options: RecordFileOptions,
): { records: Generator<PlacedRecord<N>>; read: ReadSoFar } {
  const kind: ImportKind = IMPORT_KINDS[name];
  const columns = columnsOfKind(kind);
  const { rows, read } = readRows(kind, columns, files, options);
  const records = columns.list
    ? gather(rows, kind, columns, columns.list)
    : columns.group
      ? joinTwins(rows, kind, columns.group)
      : refuseTwins(rows, kind);
  return { records: records as Generator<PlacedRecord<N>>, read };
}

/**
 * Reads the bars of any instruments, one by one or in runs, in the order of the files, as `parseRecordFiles` reads
 * records. No rows of CSV and JSON Lines stay in memory, so duplicate dates are not detected here.
 */
export function parseBarFiles(
  files: readonly RecordFile[],
  options: RecordFileOptions,
): { bars: Generator<PlacedBar>; read: ReadSoFar } {
  const kind: ImportKind = IMPORT_KINDS.bars;
  const { rows, read } = readRows(kind, columnsOfKind(kind), files, options, true);
  return { bars: rows as Generator<unknown> as Generator<PlacedBar>, read };
}

/** A CSV text with the header of a kind and two rows that can be imported. */
export function recordTemplate(name: ImportName): string {
  const kind: ImportKind = IMPORT_KINDS[name];
  const columns = columnsOfKind(kind).all.map((column) => column.name);
  const rows = examplesOf(kind).map((row) =>
    columns.map((column) => quoteCell(row[column] ?? "")).join(","),
  );
  return [columns.join(","), ...rows, ""].join("\n");
}

function columnsOfKind(kind: ImportKind): RecordColumns {
  return columnsOf(RECORDS[kind.record] as TObject, examplesOf(kind)[0] ?? {});
}

/** The examples of a kind, by column. */
function examplesOf({ examples }: ImportKind): Record<string, string>[] {
  const [header, ...rows] = csvRows(examples);
  return rows.map(({ cells }) =>
    Object.fromEntries((header?.cells ?? []).map((name, i) => [name, cells[i] ?? ""])),
  );
}

const keyOf = (kind: ImportKind, record: Fields): string =>
  kind.key.map((name) => record[name]).join("\n");

/** Makes one record of each row. */
function* refuseTwins(
  rows: Iterable<Row>,
  kind: ImportKind,
): Generator<{ place: Place; record: Fields }, void> {
  const places = new Map<string, Place>();
  for (const { place, record } of rows) {
    const key = keyOf(kind, record);
    const known = places.get(key);
    if (known !== undefined) refuseTwice(key, place, known);
    places.set(key, place);
    yield { place, record };
  }
}

/**
 * Makes one record of the rows of one key that have no figure of the group twice, such as the income statement and the
 * balance sheet of a period. They are yielded after the last row.
 */
function* joinTwins(
  rows: Iterable<Row>,
  kind: ImportKind,
  group: NonNullable<RecordColumns["group"]>,
): Generator<{ place: Place; record: Fields }, void> {
  const known = new Map<string, { place: Place; record: Fields }>();
  for (const { place, record } of rows) {
    const key = keyOf(kind, record);
    const twin = known.get(key);
    known.set(
      key,
      twin ? { place: twin.place, record: joined(twin, place, record) } : { place, record },
    );
  }
  yield* known.values();

  function joined(twin: { place: Place; record: Fields }, place: Place, record: Fields): Fields {
    const [first, second] = [twin.record, record].map((one) => one[group.name] as Fields);
    const items: Fields = { ...first };
    for (const [name, value] of Object.entries(second ?? {})) {
      if (value === null) continue;
      if (items[name] !== null) refuseTwice(keyOf(kind, record), place, twin.place);
      items[name] = value;
    }
    const own = Object.keys(record).filter((name) => name !== group.name);
    refuseContradiction(place, record, twin, own);
    return { ...twin.record, [group.name]: items };
  }
}

function refuseTwice(key: string, place: Place, earlier: Place): never {
  refuse(place, `${key.replaceAll("\n", " ")} appears here and in ${formatPlace(earlier)}`);
}

/** Refuses rows of one record that differ in one of these values. */
function refuseContradiction(
  place: Place,
  record: Fields,
  twin: { place: Place; record: Fields },
  names: readonly string[],
): void {
  for (const name of names) {
    if (record[name] === twin.record[name]) continue;
    const other = `${shown(twin.record[name])} in ${formatPlace(twin.place)}`;
    refuse(place, `${name} is ${shown(record[name])} here but ${other}, of the same record`);
  }
}

/** A record while its rows are read. */
interface Draft {
  readonly place: Place;
  readonly record: Fields;
  readonly list: { readonly place: Place; readonly values: Values }[];
}

/** Makes records of rows. Each row is an entry of a record's list. */
function* gather(
  rows: Iterable<Row>,
  kind: ImportKind,
  columns: RecordColumns,
  list: NonNullable<RecordColumns["list"]>,
): Generator<{ place: Place; record: Fields; entries: Place[] }, void> {
  const drafts = new Map<string, Draft>();
  const own = columns.own.map(({ name }) => name);
  for (const { place, record, entry } of rows) {
    const key = keyOf(kind, record);
    const draft = drafts.get(key) ?? { place, record, list: [] };
    drafts.set(key, draft);
    if (record !== draft.record) refuseContradiction(place, record, draft, own);
    if (entry) draft.list.push({ place, values: entry });
  }
  for (const { place, record, list: entries } of drafts.values()) {
    if (entries.length < list.atLeast) refuse(place, `${list.name} is empty`);
    const values = inOrder(entries, kind);
    yield {
      place,
      record: { ...record, [list.name]: values },
      entries: entries.map((entry) => entry.place),
    };
  }
}

/** The entries of a list in order; refuses duplicates. */
function inOrder(list: Draft["list"], kind: ImportKind): Values[] {
  const order = kind.order ?? [];
  // A stable sort: of two equal entries, the earlier stays first.
  list.sort((a, b) => compareEntries(a.values, b.values, order));
  for (let i = 1; i < list.length; i++) {
    const [before, current] = [list[i - 1], list[i]];
    if (!before || !current) continue;
    if (compareEntries(before.values, current.values, order) === 0) {
      const what = order.map((name) => `${name} ${String(current.values[name])}`).join(", ");
      refuseTwice(what, current.place, before.place);
    }
    const clash = kind.findClash?.(before.values, current.values);
    if (clash) refuse(current.place, clash);
  }
  return list.map(({ values }) => values);
}

/** Compares two entries of a list by those columns, for `Array.sort`. */
export function compareEntries(a: Values, b: Values, order: readonly string[]): number {
  for (const name of order) {
    const [x, y] = [a[name] as string | number, b[name] as string | number];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}
