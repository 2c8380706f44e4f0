import { type WorkbookCell, WorkbookError, WorksheetRows } from "./workbook-error.ts";

const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/** Higher sector numbers are markers: end of chain, free, table. */
const LAST_SECTOR = 0xff_ff_ff_fa;

/**
 * The rows of the first worksheet of an Excel 97-2003 workbook (BIFF8 in a compound file, [MS-XLS]
 * and [MS-CFB]), top to bottom. Each row has the cells from the first column to the last filled one.
 * Only constants are supported: text and numbers. A date is its serial number.
 *
 * @throws WorkbookError on another or an older format, a password, formulas or damage
 */
export function readXls(bytes: Uint8Array): WorkbookCell[][] {
  if (!COMPOUND_FILE.every((byte, i) => bytes[i] === byte)) {
    throw new WorkbookError("it is no Excel workbook");
  }
  try {
    const records = readRecords(readStream(bytes, "Workbook"));
    const { strings, firstSheet } = readGlobals(records);
    return readSheet(records, strings, firstSheet);
  } catch (error) {
    // Thrown by reads beyond the end of the file.
    if (error instanceof RangeError) throw new WorkbookError("it is damaged");
    throw error;
  }
}

const viewOf = (bytes: Uint8Array) =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The bytes of a stream of a compound file. It must have 4,096 bytes or more, as all workbooks do. */
function readStream(bytes: Uint8Array, name: string): Uint8Array {
  const file = viewOf(bytes);
  const shift = file.getUint16(30, true);
  if (shift !== 9 && shift !== 12) throw new WorkbookError("it is damaged");
  const sectorSize = 1 << shift;
  const sector = (number: number): DataView => {
    const start = (number + 1) * sectorSize;
    if (start + sectorSize > bytes.length) throw new WorkbookError("it is damaged or cut off");
    return new DataView(bytes.buffer, bytes.byteOffset + start, sectorSize);
  };

  // The table of sectors: its first 109 sectors are in the header, the rest in a chain of sectors.
  const tableSectors: number[] = [];
  const addTableSectors = (view: DataView, from: number, count: number) => {
    for (let i = 0; i < count; i++) {
      const number = view.getUint32(from + i * 4, true);
      if (number <= LAST_SECTOR) tableSectors.push(number);
    }
  };
  addTableSectors(file, 76, 109);
  const perSector = sectorSize / 4;
  let next = file.getUint32(68, true);
  for (let left = file.getUint32(72, true); left > 0 && next <= LAST_SECTOR; left--) {
    const view = sector(next);
    addTableSectors(view, 0, perSector - 1);
    next = view.getUint32(sectorSize - 4, true);
  }
  const tables = tableSectors.map(sector);

  const readChain = (first: number): Uint8Array => {
    const sectors: DataView[] = [];
    for (let number = first; number <= LAST_SECTOR;) {
      sectors.push(sector(number));
      // A circular chain is longer than the file.
      if (sectors.length * sectorSize > bytes.length) throw new WorkbookError("it is damaged");
      const table = tables[Math.floor(number / perSector)];
      if (!table) throw new WorkbookError("it is damaged");
      number = table.getUint32((number % perSector) * 4, true);
    }
    const chain = new Uint8Array(sectors.length * sectorSize);
    sectors.forEach(({ buffer, byteOffset }, i) => {
      chain.set(new Uint8Array(buffer, byteOffset, sectorSize), i * sectorSize);
    });
    return chain;
  };

  const directory = readChain(file.getUint32(48, true));
  for (let at = 0; at + 128 <= directory.length; at += 128) {
    const entry = viewOf(directory.subarray(at, at + 128));
    const length = Math.min(Math.max(entry.getUint16(64, true) - 2, 0), 62);
    if (utf16(directory, at, length / 2) !== name) continue;
    const size = entry.getUint32(120, true);
    const stream = readChain(entry.getUint32(116, true));
    if (size < 4_096 || size > stream.length) throw new WorkbookError("it is damaged or cut off");
    return stream.subarray(0, size);
  }
  throw new WorkbookError("it holds no workbook of Excel 97 or later");
}

/** The types of the records that are read, [MS-XLS] 2.3. */
const BOF = 0x08_09;
const END = 0x00_0a;
const PASSWORD = 0x00_2f;
const CONTINUE = 0x00_3c;
const SHEET = 0x00_85;
const STRINGS = 0x00_fc;
const STRING_CELL = 0x00_fd;
const NUMBER_CELL = 0x02_03;
const SHORT_NUMBER_CELL = 0x02_7e;
const SHORT_NUMBER_CELLS = 0x00_bd;
/** The maximum of this format. */
const MAX_COLUMNS = 256;
/** Formula, inline text and error value. */
const UNREADABLE_CELLS: ReadonlySet<number> = new Set([0x00_06, 0x02_04, 0x02_05]);

interface XlsRecord {
  readonly type: number;
  /** Its position in the stream. */
  readonly at: number;
  readonly data: Uint8Array;
}

function readRecords(stream: Uint8Array): XlsRecord[] {
  const view = viewOf(stream);
  const records: XlsRecord[] = [];
  for (let at = 0; at + 4 <= stream.length;) {
    const type = view.getUint16(at, true);
    const end = at + 4 + view.getUint16(at + 2, true);
    if (end > stream.length) throw new WorkbookError("it is damaged or cut off");
    records.push({ type, at, data: stream.subarray(at + 4, end) });
    at = end;
  }
  return records;
}

/** The shared strings of all sheets, and the position of the first worksheet in the stream. */
function readGlobals(records: readonly XlsRecord[]): { strings: string[]; firstSheet: number } {
  const [first] = records;
  if (first?.type !== BOF) throw new WorkbookError("it is damaged");
  if (viewOf(first.data).getUint16(0, true) !== 0x06_00) {
    throw new WorkbookError("it is older than Excel 97");
  }
  let strings: string[] = [];
  let firstSheet: number | null = null;
  for (const [i, { type, data }] of records.entries()) {
    if (type === END) break;
    if (type === PASSWORD) throw new WorkbookError("it is locked with a password");
    // The sixth byte is 0 for a worksheet; charts and macro sheets have other values.
    if (type === SHEET && data[5] === 0) firstSheet ??= viewOf(data).getUint32(0, true);
    if (type === STRINGS) {
      let next = i + 1;
      while (records[next]?.type === CONTINUE) next++;
      strings = readStrings(records.slice(i, next).map((record) => record.data));
    }
  }
  if (firstSheet === null) throw new WorkbookError("it holds no worksheet");
  return { strings, firstSheet };
}

/**
 * Reads the shared strings from their record and its continuations. A string can continue in the next
 * part, which then begins with a byte that says whether its characters have one byte or two.
 */
function readStrings(parts: readonly Uint8Array[]): string[] {
  let part = 0;
  let at = 8;
  const current = (): Uint8Array => {
    const bytes = parts[part];
    if (!bytes) throw new WorkbookError("it is damaged");
    return bytes;
  };
  const skip = (count: number) => {
    for (let left = count; left > 0;) {
      const step = Math.min(left, current().length - at);
      at += step;
      left -= step;
      if (left > 0) [part, at] = [part + 1, 0];
    }
  };

  const count = viewOf(current()).getUint32(4, true);
  const strings: string[] = [];
  while (strings.length < count) {
    if (at >= current().length) [part, at] = [part + 1, 0];
    const head = viewOf(current());
    let left = head.getUint16(at, true);
    let flags = head.getUint8(at + 2);
    let trailing = 0;
    at += 3;
    // Formatting and pronunciation follow the characters.
    if (flags & 8) [trailing, at] = [head.getUint16(at, true) * 4, at + 2];
    if (flags & 4) [trailing, at] = [trailing + head.getUint32(at, true), at + 4];

    let text = "";
    while (left > 0) {
      if (at >= current().length) {
        [part, at] = [part + 1, 1];
        flags = current()[0] ?? 0;
      }
      const width = flags & 1 ? 2 : 1;
      const length = Math.min(left, Math.floor((current().length - at) / width));
      if (length === 0) throw new WorkbookError("it is damaged");
      text += width === 2 ? utf16(current(), at, length) : latin1(current(), at, length);
      at += length * width;
      left -= length;
    }
    strings.push(text);
    skip(trailing);
  }
  return strings;
}

function readSheet(
  records: readonly XlsRecord[],
  strings: readonly string[],
  start: number,
): WorkbookCell[][] {
  const first = records.findIndex(({ at }) => at === start);
  if (records[first]?.type !== BOF) throw new WorkbookError("it is damaged");
  const sheet = new WorksheetRows();
  const put = (row: number, column: number, value: WorkbookCell) => {
    if (column >= MAX_COLUMNS) throw new WorkbookError("it is damaged");
    sheet.set(row, column, value);
  };

  for (const { type, data } of records.slice(first)) {
    if (type === END) return sheet.rows;
    if (UNREADABLE_CELLS.has(type)) throw new WorkbookError("it holds formulas or error values");
    if (
      type !== STRING_CELL &&
      type !== NUMBER_CELL &&
      type !== SHORT_NUMBER_CELL &&
      type !== SHORT_NUMBER_CELLS
    ) {
      continue;
    }
    const view = viewOf(data);
    const row = view.getUint16(0, true);
    const column = view.getUint16(2, true);
    if (type === STRING_CELL) {
      const text = strings[view.getUint32(6, true)];
      if (text === undefined) throw new WorkbookError("it is damaged");
      put(row, column, text);
    } else if (type === NUMBER_CELL) {
      put(row, column, view.getFloat64(6, true));
    } else if (type === SHORT_NUMBER_CELL) {
      put(row, column, shortNumber(view.getInt32(6, true)));
    } else {
      for (let at = 4, i = 0; at + 8 <= data.length; at += 6, i++) {
        put(row, column + i, shortNumber(view.getInt32(at + 2, true)));
      }
    }
  }
  throw new WorkbookError("it is cut off");
}

/** Decodes 30 bits: an integer or the upper half of a double, in hundredths if bit 0 is set. */
function shortNumber(bits: number): number {
  let value = bits >> 2;
  if (!(bits & 2)) {
    const double = new DataView(new ArrayBuffer(8));
    double.setInt32(4, bits & ~3, true);
    value = double.getFloat64(0, true);
  }
  return bits & 1 ? value / 100 : value;
}

const UTF_16 = new TextDecoder("utf-16le");

function utf16(bytes: Uint8Array, at: number, length: number): string {
  return UTF_16.decode(bytes.subarray(at, at + length * 2));
}

/** Decodes text with one byte for each character: U+0000 to U+00FF. */
function latin1(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
