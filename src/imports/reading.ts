import type { BarRun, DailyBar } from "#domain/daily-bar.ts";
import type { ParquetTable } from "#lib/parquet.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { formatPlace, type Place } from "#domain/records.ts";
import type { Split } from "#domain/split.ts";
import { fitRange, type OnBad } from "./bad-rows.ts";
import type { HistoryOptions } from "./bars-file.ts";
import type { ImportKind, Values } from "./import-kinds.ts";
import type { DecimalMark } from "./numbers.ts";
import type { RecordColumns } from "./record-columns.ts";

/** A file on the disk. */
export interface RecordFile {
  /** How errors name it. */
  readonly name: string;
  /** Its bytes, which can be read once. The first piece, which shows the format, has 1 KiB or the whole file. */
  readonly pieces: Iterable<Uint8Array>;
  /** Its rows as columns, in place of pieces. Only readers of bars get them; see `hasBarColumns`. */
  readonly table?: ParquetTable;
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
  /** The instrument of files of bars whose rows do not name it; see `parseBars`. */
  readonly history?: HistoryOptions & { readonly symbol: string };
}

/** A row that was left out or changed, and why. */
export interface LeftOut {
  readonly place: Place;
  readonly reason: string;
}

/** The result of a file that was read to its end. */
export interface FileRead {
  readonly name: string;
  /** The form in which it holds records: `csv`, `json`, `json lines`, the list `jpx`, or the tool of a file of bars. */
  readonly shape: string;
  /** The number of its rows; of a file of one instrument, the number of its bars. */
  readonly rows: number;
}

/** The results so far; they grow while rows are read. */
export interface ReadSoFar {
  readonly files: FileRead[];
  readonly skipped: LeftOut[];
  readonly widened: LeftOut[];
  /** The columns that were not read, as written. */
  readonly unread: Set<string>;
  /** The splits in files of one instrument. */
  readonly splits: Split[];
  /** The number of rows of days without trades, which are not bars, in files of one instrument. */
  filledForward: number;
  /** The number of rows of other instruments, in files of one instrument. */
  otherSymbols: number;
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
  /** The bars of several rows; `place` is the first one. Only readers that take runs get them. */
  readonly run?: BarRun;
}

/** The rows of a file, and its result. */
export type RowsOfFile = Generator<Row, Omit<FileRead, "name">>;

/** The parameters of every reader of rows. */
export interface Reading {
  readonly kind: ImportKind;
  readonly columns: RecordColumns;
  readonly options: RecordFileOptions;
  readonly read: ReadSoFar;
  /** True if rows of bars that look alike may come as a `BarRun`. */
  readonly takesRuns: boolean;
}

/** Refuses a file and names the place of the fault. */
export function refuse(place: Place, reason: string, param?: string): never {
  throw invalidArgument(`${formatPlace(place)}: ${reason}`, param === undefined ? {} : { param });
}

/** A line of a file. */
export const lineOf = (file: string, number: number): Place => ({
  within: `${file}, line`,
  number,
});

/** Passes a row on if nothing is wrong with its values; a range may be widened. */
export function checkedRow(
  { kind, columns, options, read }: Reading,
  place: Place,
  record: Fields,
  entry: Values | null,
): Row {
  let values = columns.list ? entry : (record as Values);
  if (values && kind.record === "bars") {
    const fitted = fitRange(values as unknown as DailyBar, options.onBad);
    if (fitted.fault !== null) refuse(place, fitted.fault);
    if (fitted.note !== null) read.widened.push({ place, reason: fitted.note });
    values = fitted.bar;
  }
  const fault = values && kind.findFault?.(values, options.today);
  if (fault) refuse(place, fault);
  return { place, record, entry: columns.list ? values : entry };
}

/** Returns the result of `work`. If it refuses a row and wrong rows are skipped, notes the row and returns null. */
export function unlessSkipped<T>(
  { options, read }: Reading,
  place: Place,
  work: () => T,
): T | null {
  if (options.onBad !== "skip") return work();
  try {
    return work();
  } catch (error) {
    if (!(error instanceof BourseError)) throw error;
    const prefix = `${formatPlace(place)}: `;
    const { message } = error;
    const reason = message.startsWith(prefix) ? message.slice(prefix.length) : message;
    read.skipped.push({ place, reason });
    return null;
  }
}
