import type { Compressors, DataReader, SchemaElement } from "hyparquet";
import { readVarInt } from "hyparquet/src/thrift.js";
import type { ColumnChunk, Page } from "./parquet-pages.ts";
import { checkedText } from "./parquet-error.ts";
import { pagesOf, placeOf } from "./parquet-pages.ts";

/** Values of a column in consecutive rows: numbers, NaN without one, or texts, empty without one. */
export type ColumnValues = Float64Array | readonly string[];

/** Reads the values of a page; `dictionary` is empty before the page of the dictionary. */
type Decode = (page: Page, dictionary: ColumnValues) => ColumnValues;

const NO_VALUES: readonly string[] = [];
const VALUE_ENCODINGS: ReadonlySet<string | undefined> = new Set([
  "PLAIN",
  "PLAIN_DICTIONARY",
  "RLE_DICTIONARY",
]);
/** The encodings of values, and the two that show which rows have one. */
const ENCODINGS = new Set([...VALUE_ENCODINGS, "RLE", "BIT_PACKED"]);
const MS_OF_UNIT = { MILLIS: 1, MICROS: 1e3, NANOS: 1e6 } as const;
const TWO_32 = 2 ** 32;
/** Numbers of more bits would need more entries of a dictionary than a page has bytes. */
const MAX_BITS = 25;
/** Below these bounds, seven digits of a number of 32 bits are exact in one of 64. */
const [LEAST_SINGLE, MOST_SINGLE] = [1e-6, 1e7];

/**
 * How the values of a column are read; null if `ColumnReader` cannot read them. Dates are days since 1970, instants UTC
 * milliseconds.
 */
export function decoderOf(
  { type, converted_type: converted, logical_type: logical }: SchemaElement,
  encodings: Iterable<string>,
): Decode | null {
  for (const encoding of encodings) if (!ENCODINGS.has(encoding)) return null;
  const kind = logical?.type ?? converted ?? "";
  if (type === "BYTE_ARRAY") return /^(STRING|UTF8|)$/.test(kind) ? decodeTexts : null;
  if (type === "DOUBLE" && kind === "") return decodeNumbers(readDoubles);
  if (type === "FLOAT" && kind === "") return decodeNumbers(readSingles);
  const isWhole = logical?.type === "INTEGER" ? logical.isSigned : /^(INT_\d+|)$/.test(kind);
  if (type === "INT32" && (isWhole || kind === "DATE")) return decodeNumbers(readInt32s);
  if (type !== "INT64") return null;
  if (isWhole) return decodeNumbers(readInt64s(1));
  if (logical?.type === "TIMESTAMP") return decodeNumbers(readInt64s(MS_OF_UNIT[logical.unit]));
  const unit = /^TIMESTAMP_(MILLIS|MICROS)$/.exec(kind)?.[1] as keyof typeof MS_OF_UNIT | undefined;
  return unit ? decodeNumbers(readInt64s(MS_OF_UNIT[unit])) : null;
}

/** Reads the values of a column in a group, page by page. */
export class ColumnReader {
  readonly #pages: Iterator<Page, void>;
  readonly #decode: Decode;
  #dictionary: ColumnValues = NO_VALUES;
  /** The values of the page, and the position of the next one. */
  #values: ColumnValues = NO_VALUES;
  #at = 0;

  constructor(chunk: ColumnChunk, decode: Decode) {
    this.#pages = pagesOf(chunk);
    this.#decode = decode;
  }

  /** The number of rows that `take` can give, at least one. Call it before the end of the group only. */
  ready(): number {
    while (this.#at === this.#values.length) {
      const next = this.#pages.next();
      if (next.done) throw new Error("a column has fewer rows than its group");
      const page = next.value;
      if (!VALUE_ENCODINGS.has(page.encoding))
        throw new Error("a page has another encoding than its column says");
      if (page.isDictionary) this.#dictionary = this.#decode(page, NO_VALUES);
      else [this.#values, this.#at] = [this.#decode(page, this.#dictionary), 0];
    }
    return this.#values.length - this.#at;
  }

  /** The values of the next rows, and the position of the first one among them. */
  take(rows: number): { readonly values: ColumnValues; readonly at: number } {
    const at = this.#at;
    this.#at += rows;
    return { values: this.#values, at };
  }
}

/** The reader of a column of a group. @throws Error if the column ends behind the file */
export function openColumn(
  file: {
    readonly byteLength: number;
    readonly slice: (start: number, end: number) => ArrayBuffer;
  },
  column: ColumnChunk["column"],
  {
    element,
    rows,
    compressors,
  }: { element: SchemaElement; rows: number; compressors: Compressors },
): ColumnReader {
  const decode = decoderOf(element, column.encodings);
  if (decode === null) throw new Error(`column ${element.name} has another encoding than before`);
  const { start, end } = placeOf(column, file);
  const bytes = file.slice(start, end);
  return new ColumnReader({ bytes, column, element, rows, compressors }, decode);
}

/** Reads plain values of one type. */
type ReadPlain = (reader: DataReader, count: number) => Float64Array;

/** The next bytes, in a buffer of their own. */
function bytesOf(reader: DataReader, count: number): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = reader.view;
  if (count > byteLength - reader.offset) throw new Error("a page has fewer bytes than its values");
  const from = byteOffset + reader.offset;
  return (buffer as ArrayBuffer).slice(from, from + count);
}

const readDoubles: ReadPlain = (reader, count) => new Float64Array(bytesOf(reader, 8 * count));

const readInt32s: ReadPlain = (reader, count) =>
  Float64Array.from(new Int32Array(bytesOf(reader, 4 * count)));

/** Seven digits are all that a number of 32 bits has. */
const readSingles: ReadPlain = (reader, count) => {
  const singles = new Float32Array(bytesOf(reader, 4 * count));
  const numbers = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const value = singles[i] as number;
    // The product and the power of ten are exact, so the quotient is the double of these digits.
    const power = 10 ** (6 - Math.floor(Math.log10(value)));
    numbers[i] =
      value >= LEAST_SINGLE && value < MOST_SINGLE
        ? Math.round(value * power) / power
        : Number(value.toPrecision(7));
  }
  return numbers;
};

const readInt64s =
  (divisor: number): ReadPlain =>
  (reader, count) => {
    const halves = new Int32Array(bytesOf(reader, 8 * count));
    const numbers = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const low = (halves[2 * i] as number) >>> 0;
      numbers[i] = ((halves[2 * i + 1] as number) * TWO_32 + low) / divisor;
    }
    return numbers;
  };

/** The function that reads pages of numbers. */
function decodeNumbers(readPlain: ReadPlain): Decode {
  return (page, dictionary) => {
    const reader = page.body();
    if (page.encoding === "PLAIN") return spread(page, readPlain(reader, page.values));
    const places = readPlaces(page, reader, dictionary.length);
    const numbers = new Float64Array(page.values);
    for (let i = 0; i < numbers.length; i++) numbers[i] = dictionary[places[i] as number] as number;
    return spread(page, numbers);
  };
}

/** The numbers with NaN in rows without a value. */
function spread(page: Page, numbers: Float64Array): Float64Array {
  const isPresent = presence(page);
  if (isPresent === null) return numbers;
  const all = new Float64Array(page.rows).fill(Number.NaN);
  for (let row = 0, next = 0; row < page.rows; row++)
    if (isPresent[row] === 1) all[row] = numbers[next++] as number;
  return all;
}

const decodeTexts: Decode = (page, dictionary) => {
  const reader = page.body();
  const isPlain = page.encoding === "PLAIN";
  const own = isPlain ? readTexts(reader, page.values) : (dictionary as readonly string[]);
  const places = isPlain ? null : readPlaces(page, reader, own.length);
  const isPresent = presence(page);
  if (places === null && isPresent === null) return own;
  const texts: string[] = [];
  for (let row = 0, next = 0; row < page.rows; row++) {
    const isMissing = isPresent !== null && isPresent[row] === 0;
    texts.push(isMissing ? "" : (own[places ? (places[next] as number) : next] as string));
    if (!isMissing) next++;
  }
  return texts;
};

const decoder = new TextDecoder();

function readTexts(reader: DataReader, count: number): string[] {
  const { view } = reader;
  const texts: string[] = [];
  let [from, length, text] = [0, 0, ""];
  for (let i = 0; i < count; i++) {
    const at = reader.offset + 4;
    const size = view.getUint32(reader.offset, true);
    if (size > view.byteLength - at) throw new Error("a text is longer than its page");
    // Rows of one symbol follow each other.
    if (i === 0 || size !== length || !isEqual(view, from, at, size))
      text = checkedText(decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at, size)));
    [from, length, reader.offset] = [at, size, at + size];
    texts.push(text);
  }
  return texts;
}

function isEqual(view: DataView, a: number, b: number, size: number): boolean {
  for (let i = 0; i < size; i++) if (view.getUint8(a + i) !== view.getUint8(b + i)) return false;
  return true;
}

/** 1 for each row that has a value, else 0; null if all have one. */
function presence({ levels, rows, values }: Page): Uint32Array | null {
  if (levels === null || values === rows) return null;
  const isPresent = readRuns({ ...levels }, 1, rows);
  let count = 0;
  for (const one of isPresent) count += one;
  if (count !== values) throw new Error("a page has other missing values than it says");
  return isPresent;
}

/** The places of values in a dictionary of that size. */
function readPlaces({ values }: Page, reader: DataReader, size: number): Uint32Array {
  if (values === 0) return new Uint32Array();
  const width = reader.view.getUint8(reader.offset++);
  const places = readRuns(reader, width, values);
  for (let i = 0; i < values; i++)
    if ((places[i] as number) >= size)
      throw new Error("a page has values that are not in its dictionary");
  return places;
}

/** The values of runs: equal ones, or ones of `width` bits each. `pagesOf` has checked their lengths. */
function readRuns(reader: DataReader, width: number, count: number): Uint32Array {
  if (width > MAX_BITS) throw new Error(`a page has numbers of ${width} bits`);
  const values = new Uint32Array(count);
  const { view } = reader;
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const mask = 2 ** width - 1;
  for (let seen = 0; seen < count;) {
    const header = readVarInt(reader);
    const start = reader.offset;
    if ((header & 1) === 0) {
      const run = header >>> 1;
      let value = 0;
      for (let i = 0; 8 * i < width; i++) value += view.getUint8(reader.offset++) * 2 ** (8 * i);
      values.fill(value, seen, seen + run);
      seen += run;
      continue;
    }
    const packed = (header >>> 1) * 8;
    const most = Math.min(packed, count - seen);
    if (start + (most * width) / 8 > bytes.length)
      throw new Error("a page has fewer bytes than its values");
    for (let i = 0, bit = 0; i < most; i++, bit += width) {
      const at = start + (bit >>> 3);
      // Bytes behind the end are 0, and the mask leaves them out.
      const word =
        (bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24);
      values[seen++] = (word >>> (bit & 7)) & mask;
    }
    reader.offset = start + (packed / 8) * width;
  }
  return values;
}
