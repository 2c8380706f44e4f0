import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import type { Compressors, FileMetaData, SchemaElement } from "hyparquet";
import type { ColumnValues } from "./parquet-columns.ts";
import { DAY_MS } from "./date.ts";
import { quoteCell } from "./csv.ts";
import { GarbageCollection } from "./garbage.ts";
import { checkedText, ParquetError } from "./parquet-error.ts";
import { TextBuilder } from "./text-builder.ts";
import { unpackSnappy } from "./snappy.ts";

/** The bytes of a file. Parts of them are read. */
export interface ParquetFile {
  readonly byteLength: number;
  readonly slice: (start: number, end?: number) => ArrayBuffer | Promise<ArrayBuffer>;
}

const MAGIC = "PAR1";
/** Tools write 100,000 to 1,000,000 rows a group. */
const MAX_ROWS_PER_GROUP = 2_000_000;
/** The usual number of cells that are in memory at once. */
const CELLS_IN_MEMORY = 4_000_000;
/** As many as 100 million rows of bars with ten columns. */
const MAX_CELLS = 1_000_000_000;
const MAX_GROUP_BYTES = 1024 ** 3;
const MAX_COLUMNS = 200;
const LINES_PER_PIECE = 5_000;
/** The bytes of 76 digits, the widest decimals of databases. Reading a number of a million bytes takes minutes. */
const MAX_DECIMAL_BYTES = 32;
/** More than the days of a century. */
const MAX_DAYS = 50_000;
const MAX_COUNT = BigInt(Number.MAX_SAFE_INTEGER);

/** True if the bytes begin like a Parquet file. */
export function isParquet(bytes: Uint8Array): boolean {
  return (
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1", 0, 4) === MAGIC
  );
}

/**
 * The rows of a Parquet file as CSV in pieces: a header with the flat columns, then a line for each row. A slice of
 * rows with `cellsInMemory` cells is in memory, because equal rows take next to no bytes of a file. Lists and nested
 * columns are left out.
 *
 * A date is `YYYY-MM-DD`, a time of day `HH:MM` with seconds other than 0. An instant is Unix time in seconds, except at midnight UTC, which is a date; a time without a zone
 * is as it is written. The columns of a pandas index come first, `__index_level_0__` without a name. If all other
 * columns have two-part names with the same second part, as yfinance writes them, they have the first part.
 *
 * @param emptied the names of columns of numbers that are not read: their cells are empty
 * @throws ParquetError if it is damaged, too large, or compressed in an unknown way
 */
export async function* parquetToCsv(
  file: ParquetFile,
  cellsInMemory = CELLS_IN_MEMORY,
  emptied: readonly string[] = [],
): AsyncGenerator<string, void> {
  const { checkGroup } = await import("./parquet-pages.ts");
  const { metadata, columns } = await readMetadata(file);
  yield `${headerOf(columns).map(quoteCell).join(",")}\n`;
  const formats = columns.map(formatOf);
  const garbage = new GarbageCollection("values");
  const isEmptied = ({ name, type }: SchemaElement) =>
    emptied.includes(name) && type !== "BYTE_ARRAY";
  const most = Math.ceil(cellsInMemory / columns.length);
  const readable = { ...metadata, schema: metadata.schema.map(withOwnDecimals) };
  let start = 0;
  for (const group of metadata.row_groups) {
    const end = start + Number(group.num_rows);
    await orDamaged(checkGroup(file, group, columns, compressors));
    for (; start < end; start += most) {
      const rows = Math.min(most, end - start);
      const values: unknown[][] = [];
      for (const column of columns)
        values.push(
          isEmptied(column) ? [] : await readColumn(file, readable, column, { start, rows }),
        );
      yield* linesOf(values, formats, rows);
      garbage.add(rows * columns.length);
    }
    start = end;
  }
}

/** What a file says of itself, and its flat columns. @throws ParquetError as `parquetToCsv` */
async function readMetadata(file: ParquetFile) {
  const { parquetMetadataAsync } = await import("hyparquet");
  const metadata = await orDamaged(parquetMetadataAsync(file, { geoparquet: false }));
  const columns = flatColumns(metadata);
  checkCompression(metadata);
  if (columns.length === 0) throw new ParquetError("it has no flat column");
  if (columns.length > MAX_COLUMNS)
    throw new ParquetError(`it has more than ${MAX_COLUMNS} columns`);
  checkSize(metadata, columns.length);
  return { metadata, columns };
}

/** A Parquet file whose values are read column by column. */
export interface ParquetTable {
  /** The names of the flat columns, as in the CSV of `parquetToCsv`. */
  readonly header: readonly string[];
  /** By column: true if it has numbers, dates or instants; false for texts; null if it cannot be read as a column. */
  readonly areNumbers: readonly (boolean | null)[];
  /** The rows of the wanted columns in parts, in order. Other columns are empty. @throws ParquetError if it is damaged */
  readonly slices: (wanted: readonly boolean[]) => Generator<TableSlice, void>;
}

/** Consecutive rows of a table. */
export interface TableSlice {
  readonly rows: number;
  /** The values of each column, and the position of the first row among them. */
  readonly columns: readonly { readonly values: ColumnValues; readonly at: number }[];
  /** The cell of a row, counted from 0, as in the CSV of `parquetToCsv`. */
  readonly cellOf: (column: number, row: number) => string;
}

/** A file whose parts are read at once. */
export interface ReadableFile extends ParquetFile {
  readonly slice: (start: number, end?: number) => ArrayBuffer;
}

/**
 * Opens a file to read its columns without a text of each row.
 *
 * @throws ParquetError as `parquetToCsv`
 */
export async function openParquetTable(file: ReadableFile): Promise<ParquetTable> {
  const { decoderOf, openColumn } = await import("./parquet-columns.ts");
  const { isOf } = await import("./parquet-pages.ts");
  const { metadata, columns } = await readMetadata(file);
  const chunksOf = ({ name }: SchemaElement, groups = metadata.row_groups) =>
    groups.map(
      ({ columns: chunks }) =>
        chunks.find(({ meta_data: column }) => column && isOf(column, name))?.meta_data,
    );
  const areNumbers = columns.map((element) => {
    const chunks = chunksOf(element);
    const encodings = new Set(chunks.flatMap((chunk) => chunk?.encodings ?? ["none"]));
    return decoderOf(element, encodings) === null ? null : element.type !== "BYTE_ARRAY";
  });
  const formats = columns.map(formatOf);
  function* slices(wanted: readonly boolean[]): Generator<TableSlice, void> {
    try {
      for (const group of metadata.row_groups) {
        const rows = Number(group.num_rows);
        const readers = columns.map((element, i) => {
          const [column] = chunksOf(element, [group]);
          const how = { element, rows, compressors };
          return wanted[i] && column ? openColumn(file, column, how) : null;
        });
        for (let left = rows; left > 0;) {
          const taken = Math.min(left, ...readers.map((reader) => reader?.ready() ?? left));
          const parts = readers.map((reader) => reader?.take(taken) ?? NO_PART);
          yield { rows: taken, columns: parts, cellOf: cellsOf(parts, formats) };
          left -= taken;
        }
      }
    } catch (error) {
      throw damaged(error);
    }
  }
  return { header: headerOf(columns), areNumbers, slices };
}

/** A column without values. */
export const NO_PART: TableSlice["columns"][number] = { values: [], at: 0 };

function cellsOf(
  parts: TableSlice["columns"],
  formats: readonly ((value: unknown) => string)[],
): TableSlice["cellOf"] {
  return (column, row) => {
    const { values, at } = parts[column] ?? NO_PART;
    const value = values[at + row];
    if (typeof value === "string") return value;
    return value === undefined ? "" : (formats[column]?.(value) ?? "");
  };
}

/** @throws ParquetError if the file or one of its groups is too large */
function checkSize({ row_groups: groups }: FileMetaData, columns: number): void {
  const shown = (count: number) => count.toLocaleString("en-US");
  let cells = 0;
  for (const { num_rows: rows, total_byte_size: bytes } of groups) {
    if (rows < 0) throw new ParquetError(`it is damaged (a group has ${rows} rows)`);
    if (rows > MAX_ROWS_PER_GROUP || bytes > MAX_GROUP_BYTES)
      throw new ParquetError(
        `a group has more than ${shown(MAX_ROWS_PER_GROUP)} rows or 1 GiB: write it with smaller row groups`,
      );
    cells += Number(rows) * columns;
  }
  if (cells > MAX_CELLS)
    throw new ParquetError(`it has more than ${shown(MAX_CELLS)} cells: write it in parts`);
}

/** The columns that are neither lists nor nested. A pandas index comes first. */
function flatColumns({ schema }: FileMetaData): SchemaElement[] {
  const columns: SchemaElement[] = [];
  // The schema is a tree in depth-first order, and its first element is the root.
  for (let i = 1; i < schema.length;) {
    const element = schema[i] as SchemaElement;
    const next = afterSubtree(schema, i);
    if (next === i + 1 && element.repetition_type !== "REPEATED") columns.push(element);
    i = next;
  }
  const isIndex = ({ name }: SchemaElement) =>
    name === "__index_level_0__" || /^date(time)?$/i.test(name);
  return [...columns.filter(isIndex), ...columns.filter((column) => !isIndex(column))];
}

function afterSubtree(schema: readonly SchemaElement[], at: number): number {
  let next = at + 1;
  for (let child = 0; child < (schema[at]?.num_children ?? 0); child++)
    next = afterSubtree(schema, next);
  if (next > schema.length) throw new ParquetError("it is damaged (a column has missing parts)");
  return next;
}

function headerOf(columns: readonly SchemaElement[]): string[] {
  const names = columns.map(({ name }) => (name === "__index_level_0__" ? "" : name));
  const parts = names.map((name) => /^\('([^']*)', '([^']*)'\)$/.exec(name));
  const seconds = new Set(parts.flatMap((part) => part?.[2] ?? []));
  return seconds.size === 1 ? names.map((name, i) => parts[i]?.[1] ?? name) : names;
}

type Decompress = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

/** Reads pages with that function. The page of a column without values may be empty, which zlib refuses. */
const reader = (decompress: Decompress) => (bytes: Uint8Array, maxOutputLength: number) =>
  maxOutputLength === 0 ? new Uint8Array() : decompress(bytes, { maxOutputLength });

const compressors: Compressors = {
  SNAPPY: unpackSnappy,
  GZIP: reader(gunzipSync),
  BROTLI: reader(brotliDecompressSync),
  ZSTD: reader(zstdDecompressSync),
};
const COMPRESSIONS = new Set(["UNCOMPRESSED", ...Object.keys(compressors)]);

/** @throws ParquetError if a column is compressed in another way, such as LZ4 */
function checkCompression({ row_groups: groups }: FileMetaData): void {
  for (const { columns } of groups)
    for (const { meta_data: column } of columns) {
      if (!column || COMPRESSIONS.has(column.codec)) continue;
      throw new ParquetError(
        `it is compressed as ${column.codec}: write it with snappy, gzip, zstd or brotli`,
      );
    }
}

/** Instants as UTC milliseconds, dates as days since 1970; `formatOf` formats them by the type of their column. */
const parsers = {
  timestampFromMilliseconds: Number,
  timestampFromMicroseconds: (micros: bigint) => Number(micros) / 1e3,
  timestampFromNanoseconds: (nanos: bigint) => Number(nanos) / 1e6,
  dateFromDays: (days: number) => days,
};

const isDecimal = ({ converted_type, logical_type }: SchemaElement) =>
  logical_type?.type === "DECIMAL" || converted_type === "DECIMAL";

/** A column of decimals in bytes as one whose values `decimalParser` reads: hyparquet has no limit for their length. */
function withOwnDecimals(column: SchemaElement): SchemaElement {
  if (!isDecimal(column) || !column.type?.endsWith("BYTE_ARRAY")) return column;
  return { ...column, converted_type: "JSON" };
}

/** Reads the bytes of a decimal: a whole number, the highest byte first. */
function decimalParser({ scale, logical_type }: SchemaElement) {
  const decimals = scale ?? (logical_type?.type === "DECIMAL" ? logical_type.scale : 0);
  return (bytes: Uint8Array): number => {
    if (bytes.length > MAX_DECIMAL_BYTES) throw new Error(`a decimal has ${bytes.length} bytes`);
    const whole = BigInt(`0x0${Buffer.from(bytes).toString("hex")}`);
    return Number(BigInt.asIntN(8 * bytes.length, whole)) * 10 ** -decimals;
  };
}

/** The values of a column in some rows of a group. */
async function readColumn(
  file: ParquetFile,
  metadata: FileMetaData,
  element: SchemaElement,
  { start, rows }: { readonly start: number; readonly rows: number },
): Promise<unknown[]> {
  const { parquetRead } = await import("hyparquet");
  const column = Array.from<unknown>({ length: rows });
  await orDamaged(
    parquetRead({
      file,
      metadata,
      columns: [element.name],
      rowStart: start,
      rowEnd: start + rows,
      compressors,
      parsers: {
        ...parsers,
        ...(isDecimal(element) && { jsonFromBytes: decimalParser(element) }),
      },
      onChunk: ({ columnData, rowStart }) => {
        const isSingle = columnData instanceof Float32Array;
        // A page can begin before the slice, or end behind it.
        const from = Math.max(0, start - rowStart);
        const to = Math.min(columnData.length, start + rows - rowStart);
        for (let i = from; i < to; i++) {
          const value: unknown = columnData[i];
          // Seven digits are all that a number of 32 bits has.
          column[rowStart - start + i] = isSingle
            ? Number((value as number).toPrecision(7))
            : value;
        }
      },
    }),
  );
  return column;
}

async function orDamaged<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw damaged(error);
  }
}

function damaged(error: unknown): ParquetError {
  if (error instanceof ParquetError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ParquetError(`it is damaged or of an unknown kind (${reason.slice(0, 120)})`);
}

function* linesOf(
  values: readonly (readonly unknown[])[],
  formats: readonly ((value: unknown) => string)[],
  rows: number,
): Generator<string, void> {
  const lines = new TextBuilder();
  // Rows of one symbol follow each other.
  const known = values.map(() => ({ value: "", cell: "" }));
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < formats.length; i++) {
      if (i > 0) lines.put(",");
      const value = values[i]?.[row];
      const last = known[i];
      const isCount = typeof value === "bigint" && value >= 0n && value <= MAX_COUNT;
      const isNumber = isCount || (typeof value === "number" && !Number.isNaN(value));
      if (isNumber && formats[i] === plainText) lines.putNumber(Number(value));
      else if (typeof value !== "string" || !last) lines.put(formats[i]?.(value) ?? "");
      else {
        if (last.value !== value) known[i] = { value, cell: textCell(value) };
        lines.put(known[i]?.cell ?? "");
      }
    }
    lines.put("\n");
    if ((row + 1) % LINES_PER_PIECE > 0 && row + 1 < rows) continue;
    yield lines.take();
  }
}

const textCell = (value: string): string => quoteCell(checkedText(value));

/** How the values of a column that are not text are written; none of them needs quotes. */
function formatOf(column: SchemaElement): (value: unknown) => string {
  const { type, converted_type, logical_type } = column;
  const perMs = timeUnit(column);
  const isTimestamp =
    type === "INT96" ||
    logical_type?.type === "TIMESTAMP" ||
    converted_type?.startsWith("TIMESTAMP") === true;
  // A decimal is a whole number times 0.01, and 57 × 0.01 is 0.5700000000000001.
  const digits = type === "FLOAT" ? 7 : isDecimal(column) ? 15 : null;
  const isLocal = logical_type?.type === "TIMESTAMP" && !logical_type.isAdjustedToUTC;
  if (converted_type === "DATE" || logical_type?.type === "DATE") return dateFormat();
  if (perMs === null && !isTimestamp && digits === null) return plainText;
  return (value) => {
    if (perMs !== null && (typeof value === "bigint" || typeof value === "number"))
      return isoTime(Number(value) / perMs)
        .slice(11)
        .replace(/:00$/, "");
    if (typeof value !== "number" || Number.isNaN(value)) return plainText(value);
    if (!isTimestamp) return String(digits === null ? value : Number(value.toPrecision(digits)));
    if (value % DAY_MS === 0) return isoDate(value);
    // Unix time of fewer digits would look like other forms of dates.
    if (isLocal || Math.abs(value) < 1e11) return isoTime(value);
    return String(Math.floor(value / 1_000));
  };
}

/** A number, a whole number or a boolean as text; empty for anything else. */
function plainText(value: unknown): string {
  if (typeof value === "bigint" || typeof value === "boolean") return String(value);
  return typeof value === "number" && !Number.isNaN(value) ? String(value) : "";
}

/** Formats days since 1970. A day is formatted once, because it stands in the rows of many symbols. */
function dateFormat(): (days: unknown) => string {
  const known = new Map<unknown, string>();
  return (days) => {
    const found = known.get(days);
    if (found !== undefined) return found;
    const text = typeof days === "number" ? isoDate(days * DAY_MS) : "";
    if (known.size === MAX_DAYS) known.clear();
    known.set(days, text);
    return text;
  };
}

/** The units of a time of day in a millisecond; null for a column of anything else. */
function timeUnit({ converted_type, logical_type }: SchemaElement): number | null {
  if (logical_type?.type === "TIME")
    return { MILLIS: 1, MICROS: 1e3, NANOS: 1e6 }[logical_type.unit];
  return converted_type === "TIME_MILLIS" ? 1 : converted_type === "TIME_MICROS" ? 1e3 : null;
}

/** `2024-01-02T09:30:00`; empty for an instant that no calendar has. */
function isoTime(utcMs: number): string {
  const date = new Date(utcMs);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 19);
}

const isoDate = (utcMs: number): string => isoTime(utcMs).slice(0, 10);
