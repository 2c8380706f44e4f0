/**
 * A workbook in Excel's format of 1997 with one sheet, written by hand after [MS-CFB] and [MS-XLS]:
 * one compound file of 512-byte sectors (allocation table, directory, stream) that contains the
 * records of the workbook. Texts are in the shared table; those after its first `splitAt` bytes are
 * in a CONTINUE record, which may begin within a text.
 */
export function workbookOf(
  rows: readonly (readonly (string | number | null)[])[],
  options: { splitAt?: number; globals?: Uint8Array[]; cells?: Uint8Array[] } = {},
): Uint8Array {
  const texts = [...new Set(rows.flat().filter((cell) => typeof cell === "string"))];
  const places = new Map(texts.map((text, i) => [text, i]));
  const cells = rows.flatMap((row, r) =>
    row.flatMap((cell, c) => {
      if (cell === null) return [];
      const place = [...u16(r), ...u16(c), ...u16(0)];
      return typeof cell === "string"
        ? [record(0xfd, [...place, ...u32(places.get(cell) ?? 0)])]
        : Number.isInteger(cell)
          ? [record(0x27e, [...place, ...u32((cell << 2) | 2)])]
          : [record(0x203, [...place, ...f64(cell)])];
    }),
  );
  const begin = (type: number) =>
    record(0x809, [...u16(0x600), ...u16(type), ...u32(0), ...u32(0)]);
  const end = record(0x0a, []);
  const sheet = (at: number) => record(0x85, [...u32(at), 0, 0, 6, 0, ...codes("Sheet1")]);
  const globals = [...(options.globals ?? []), ...sharedTexts(texts, options.splitAt)];
  const firstSheet = [begin(5), sheet(0), ...globals, end].reduce(
    (sum, one) => sum + one.length,
    0,
  );
  const stream = concat([
    begin(5),
    sheet(firstSheet),
    ...globals,
    end,
    begin(0x10),
    ...cells,
    ...(options.cells ?? []),
    end,
  ]);
  return compoundFile(stream);
}

/** A BIFF record: type, length, data. */
export function record(type: number, data: readonly number[]): Uint8Array {
  return Uint8Array.from([...u16(type), ...u16(data.length), ...data]);
}

/** A record has at most 8,224 bytes. */
const RECORD_BYTES = 8_000;

/** The shared texts, each with one byte a character if that is enough, else two. */
function sharedTexts(texts: readonly string[], splitAt: number | undefined): Uint8Array[] {
  const head = [...u32(texts.length), ...u32(texts.length)];
  const bytes: number[] = [];
  let breakAt = splitAt;
  const parts: number[][] = [];
  const breakHere = (flags: number | null) => {
    parts.push([...bytes]);
    bytes.length = 0;
    breakAt = undefined;
    if (flags !== null) bytes.push(flags);
  };
  for (const text of texts) {
    const wide = codes(text).some((code) => code > 255) ? 1 : 0;
    if (bytes.length >= (breakAt ?? RECORD_BYTES)) breakHere(null);
    bytes.push(...u16(text.length), wide);
    for (const code of codes(text)) {
      if (breakAt !== undefined && bytes.length >= breakAt) breakHere(wide);
      bytes.push(...(wide ? u16(code) : [code]));
    }
  }
  parts.push(bytes);
  return parts.map((part, i) => (i === 0 ? record(0xfc, [...head, ...part]) : record(0x3c, part)));
}

function compoundFile(stream: Uint8Array): Uint8Array {
  const sectors = Math.max(8, Math.ceil(stream.length / 512));
  // The allocation table comes first, 128 entries in a sector, then the directory, then the stream.
  const tables = Math.ceil((sectors + 1) / 127);
  if (tables > 109) throw new Error("the header has no place for so many sectors");
  const first = tables + 1;
  const table = [...Array<number>(tables).fill(0xfffffffd), 0xfffffffe];
  for (let i = 0; i < sectors; i++) table.push(i === sectors - 1 ? 0xfffffffe : first + i + 1);
  const header = new Uint8Array(512).fill(0xff);
  header.fill(0, 0, 76);
  header.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  header.set([...u16(0x3e), ...u16(3), ...u16(0xfffe), ...u16(9), ...u16(6)], 24);
  header.set([...u32(tables), ...u32(tables)], 44);
  header.set([...u32(4_096), ...u32(0xfffffffe), ...u32(0), ...u32(0xfffffffe), ...u32(0)], 56);
  header.set(Array.from({ length: tables }, (_, i) => u32(i)).flat(), 76);
  const directory = new Uint8Array(512);
  directory.set(entry("Root Entry", 5, 0xfffffffe, 0), 0);
  directory.set(entry("Workbook", 2, first, Math.max(4_096, stream.length)), 128);
  const file = new Uint8Array(512 * (1 + first + sectors));
  file.set(header);
  file.fill(0xff, 512, 512 * (1 + tables));
  file.set(table.flatMap(u32), 512);
  file.set(directory, 512 * (1 + tables));
  file.set(stream, 512 * (1 + first));
  return file;
}

function entry(name: string, type: number, first: number, size: number): Uint8Array {
  const bytes = new Uint8Array(128);
  bytes.set(codes(name).flatMap(u16));
  bytes.set([...u16(name.length * 2 + 2), type], 64);
  bytes.set([...u32(first), ...u32(size)], 116);
  return bytes;
}

const u16 = (value: number) => [value & 0xff, (value >> 8) & 0xff];
const u32 = (value: number) => [...u16(value), ...u16(value >>> 16)];
const f64 = (value: number) => [...new Uint8Array(Float64Array.of(value).buffer)];
const codes = (text: string) => Array.from(text, (character) => character.charCodeAt(0));

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
