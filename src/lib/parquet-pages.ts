import type {
  AsyncBuffer,
  ColumnMetaData,
  Compressors,
  DataReader,
  PageHeader,
  RowGroup,
  SchemaElement,
} from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { decompressPage } from "hyparquet/src/datapage.js";
import { deltaBinaryUnpack } from "hyparquet/src/delta.js";
import { readVarInt } from "hyparquet/src/thrift.js";

/** Tools write pages of 1 MiB, or one page a column of a group. */
const MAX_PAGE_BYTES = 256 * 1024 ** 2;
/** The most bytes of a column in a group. */
const MAX_COLUMN_BYTES = 1024 ** 3;
/** Tools fill the last run of packed values up to eight, some of them further. */
const MAX_FILL = 512;
const BYTES_PER_VALUE = 8;

/** The bytes of a flat column in a group, and what the file says of them. */
export interface ColumnChunk {
  readonly bytes: ArrayBuffer;
  readonly column: ColumnMetaData;
  readonly element: SchemaElement;
  readonly rows: number;
  readonly compressors: Compressors;
}

/** True for a whole number from 0 to `most`. */
const isCount = (value: unknown, most: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;

/** A page that agrees with the bytes of its column. */
export interface Page {
  readonly isDictionary: boolean;
  /** The number of its rows; 0 for a dictionary. */
  readonly rows: number;
  /** The number of its values: rows that are not null, or entries of a dictionary. */
  readonly values: number;
  /** How the values are written; a dictionary has plain ones. */
  readonly encoding: string | undefined;
  /** Reads the runs of ones for rows with a value; null if all rows of the column have one. */
  readonly levels: DataReader | null;
  /** Reads the unpacked values from the first one on. */
  readonly body: () => DataReader;
}

/** True for the flat column of that name; a nested one has the names of its parts too. */
export const isOf = ({ path_in_schema: [name, ...parts] }: ColumnMetaData, wanted: string) =>
  name === wanted && parts.length === 0;

/**
 * The place of a column in the file.
 *
 * @throws Error if it ends behind the file
 */
export function placeOf(column: ColumnMetaData, file: { readonly byteLength: number }) {
  const start = Number(column.dictionary_page_offset || column.data_page_offset);
  const size = Number(column.total_compressed_size);
  if (!isCount(start, file.byteLength) || !isCount(size, file.byteLength - start))
    throw new Error(`column ${column.path_in_schema.join(".")} ends behind the file`);
  return { start, end: start + size };
}

/**
 * Checks what a group says of its flat columns: where they are, and the sizes and numbers of values of their pages.
 * hyparquet believes it, and would read for ever or fill the memory.
 *
 * @throws Error if it does not agree with the bytes of the file and the rows of the group
 */
export async function checkGroup(
  file: AsyncBuffer,
  { columns, num_rows: rows }: RowGroup,
  elements: readonly SchemaElement[],
  compressors: Compressors,
): Promise<void> {
  for (const { meta_data: column } of columns) {
    const element = elements.find(({ name }) => column && isOf(column, name));
    if (!column || !element) continue;
    const { start, end } = placeOf(column, file);
    const bytes = await file.slice(start, end);
    for (const _ of pagesOf({ bytes, column, element, rows: Number(rows), compressors }));
  }
}

/**
 * The pages of a column, each checked when it is read.
 *
 * @throws Error if one does not agree with the bytes of the column and the rows of the group
 */
export function* pagesOf(chunk: ColumnChunk): Generator<Page, void> {
  const { bytes, rows } = chunk;
  const reader = { view: new DataView(bytes), offset: 0 };
  let [seen, size] = [0, 0];
  while (seen < rows) {
    if (reader.offset >= bytes.byteLength - 1)
      throw new Error(`a column has ${seen} of ${rows} values`);
    const header = parquetHeader(reader);
    const { compressed_page_size: packed, uncompressed_page_size: unpacked } = header;
    if (!isCount(packed, bytes.byteLength - reader.offset))
      throw new Error("a page is longer than its column");
    if (!isCount(unpacked, MAX_PAGE_BYTES))
      throw new Error(`a page has more than ${MAX_PAGE_BYTES >> 20} MiB`);
    size += unpacked;
    if (size > MAX_COLUMN_BYTES) throw new Error("a column has more than 1 GiB");
    const body = new Uint8Array(bytes, reader.offset, packed);
    reader.offset += packed;
    const page = checkedPage(chunk, header, body, rows - seen);
    seen += page.rows;
    yield page;
  }
}

/** Checks a page, which has at most `most` rows. */
function checkedPage(
  { column, element, compressors }: ColumnChunk,
  header: PageHeader,
  packed: Uint8Array,
  most: number,
): Page {
  const size = header.uncompressed_page_size;
  const { dictionary_page_header: dictionary, data_page_header_v2: second } = header;
  const unpacked = (part: Uint8Array, length: number) =>
    readerOf(decompressPage(part, length, column.codec, compressors));
  if (header.type === "DICTIONARY_PAGE") {
    const values = dictionary?.num_values;
    if (!isCount(values, size)) throw new Error("a dictionary has more values than bytes");
    const body = () => unpacked(packed, size);
    return { isDictionary: true, rows: 0, values, encoding: "PLAIN", levels: null, body };
  }
  const isSecond = header.type === "DATA_PAGE_V2";
  const rows = isSecond ? second?.num_values : header.data_page_header?.num_values;
  const encoding = isSecond ? second?.encoding : header.data_page_header?.encoding;
  if (!isCount(rows, most)) throw new Error("a page has more values than its group");
  const hasLevels = element.repetition_type !== "REQUIRED";
  const pageOf = (reader: DataReader, values: number, levels: DataReader | null): Page => {
    const { offset } = reader;
    checkValues(reader, encoding, element, values);
    const body = () => ({ ...reader, offset });
    return { isDictionary: false, rows, values, encoding, levels, body };
  };
  if (!isSecond || !second) {
    const reader = unpacked(packed, size);
    if (!hasLevels) return pageOf(reader, rows, null);
    const length = reader.view.getUint32(0, true);
    const levels = { ...reader, offset: 4 };
    const values = checkRuns({ ...levels }, 1, rows);
    return pageOf({ ...reader, offset: 4 + length }, values, levels);
  }
  const { num_nulls: nulls } = second;
  const { repetition_levels_byte_length: repetition, definition_levels_byte_length: definition } =
    second;
  const longest = Math.min(size, packed.length);
  if (second.num_rows !== rows || !isCount(nulls, rows))
    throw new Error("a page has other rows than values");
  if (!isCount(repetition, longest) || !isCount(definition, longest - repetition))
    throw new Error("the levels of a page are longer than the page");
  const start = repetition + definition;
  const levels = hasLevels ? readerOf(packed.subarray(repetition, start)) : null;
  if (levels) checkRuns({ ...levels }, 1, rows);
  const rest = packed.subarray(start);
  const isPacked = second.is_compressed !== false;
  return pageOf(isPacked ? unpacked(rest, size - start) : readerOf(rest), rows - nulls, levels);
}

/** Checks the values of a page by their encoding. The other encodings have as many bytes as they need. */
function checkValues(
  reader: DataReader,
  encoding: string | undefined,
  { type }: SchemaElement,
  values: number,
): void {
  if (values === 0) return;
  if (encoding?.startsWith("DELTA_")) checkDeltas(reader, encoding, values);
  else if (encoding === "RLE" || encoding?.endsWith("_DICTIONARY")) {
    if (type === "BOOLEAN") reader.offset += 4;
    const width = type === "BOOLEAN" ? 1 : reader.view.getUint8(reader.offset++);
    if (width > 32) throw new Error(`a page has numbers of ${width} bits`);
    checkRuns(reader, width, values);
  }
}

/** Checks the lengths of runs for some values; returns how many have the last bit. */
function checkRuns(reader: DataReader, width: number, values: number): number {
  const { view } = reader;
  let ones = 0;
  for (let seen = 0; seen < values;) {
    const header = readVarInt(reader);
    const isPacked = (header & 1) === 1;
    const count = (header >>> 1) * (isPacked ? BYTES_PER_VALUE : 1);
    if (count > values - seen + (isPacked ? MAX_FILL : 0))
      throw new Error("a run has more values than its page");
    if (isPacked) {
      for (let i = 0; width === 1 && i < Math.min(count, values - seen); i++)
        ones += (view.getUint8(reader.offset + (i >> 3)) >> (i & 7)) & 1;
      reader.offset += (count / BYTES_PER_VALUE) * width;
    } else {
      if (width > 0) ones += (view.getUint8(reader.offset) & 1) * count;
      reader.offset += (width + 7) >> 3;
    }
    seen += count;
  }
  return ones;
}

/** Checks the blocks of differences, and the lengths of texts that begin like the one before. */
function checkDeltas(reader: DataReader, encoding: string, values: number): void {
  checkBlocks(reader);
  if (encoding !== "DELTA_BYTE_ARRAY") return;
  const [shared, own] = [new Int32Array(values), new Int32Array(values)];
  deltaBinaryUnpack(reader, values, shared);
  checkBlocks(reader);
  deltaBinaryUnpack(reader, values, own);
  let [last, size] = [0, 0];
  for (const [i, length] of shared.entries()) {
    const rest = own[i];
    if (!isCount(length, last) || !isCount(rest, MAX_PAGE_BYTES))
      throw new Error("a text repeats more than the text before it has");
    last = length + rest;
    size += last;
    if (size > MAX_PAGE_BYTES) throw new Error(`a page has more than ${MAX_PAGE_BYTES >> 20} MiB`);
  }
}

/** Checks the sizes of blocks of differences, and leaves the reader before them. */
function checkBlocks(reader: DataReader): void {
  const { offset } = reader;
  const [block, parts] = [readVarInt(reader), readVarInt(reader)];
  if (block <= 0 || parts <= 0 || block % parts !== 0)
    throw new Error(`a page has blocks of ${block} values in ${parts} parts`);
  reader.offset = offset;
}

const readerOf = ({ buffer, byteOffset, length }: Uint8Array): DataReader => ({
  view: new DataView(buffer, byteOffset, length),
  offset: 0,
});
