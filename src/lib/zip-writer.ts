import { crc32, deflateRawSync } from "node:zlib";

/** A file of an archive, in memory. */
export interface ZippedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Its permissions; 0o644 if left out. */
  readonly mode?: number;
}

/** A ZIP file (PKWARE APPNOTE) without 64-bit fields. Equal files give equal bytes: all are of 1980-01-01. */
export function zip(files: readonly ZippedFile[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const { name, bytes, mode = 0o644 } of files) {
    const packed = deflateRawSync(bytes);
    const path = new TextEncoder().encode(name);
    const common = fields([
      [2, 20], // the version that can read it
      [2, 0x800], // names are UTF-8
      [2, 8], // deflate
      [4, 0x21_0000], // 1980-01-01 00:00
      [4, crc32(bytes)],
      [4, packed.length],
      [4, bytes.length],
      [2, path.length],
      [2, 0], // no extra fields
    ]);
    parts.push(fields([[4, 0x04_03_4b_50]]), common, path, packed);
    const place = fields([
      [2, 0], // no comment
      [2, 0], // the first disk
      [2, 0],
      [4, (0o100_000 + mode) * 0x1_0000],
      [4, offset],
    ]);
    const madeByUnix = fields([
      [4, 0x02_01_4b_50],
      [2, 0x3_14],
    ]);
    directory.push(madeByUnix, common, place, path);
    offset += 30 + path.length + packed.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = fields([
    [4, 0x06_05_4b_50],
    [4, 0], // one disk
    [2, files.length],
    [2, files.length],
    [4, size],
    [4, offset],
    [2, 0], // no comment
  ]);
  return new Uint8Array(Buffer.concat([...parts, ...directory, end]));
}

/** Numbers as little-endian fields of so many bytes. */
function fields(values: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array {
  const buffer = Buffer.alloc(values.reduce((sum, [bytes]) => sum + bytes, 0));
  let offset = 0;
  for (const [bytes, value] of values) offset = buffer.writeUIntLE(value, offset, bytes);
  return buffer;
}
