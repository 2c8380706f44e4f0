import { inflateRawSync } from "node:zlib";
import { WorkbookError } from "./workbook-error.ts";

/** The usual maximum size of an inflated part. The sheet of a list of 4,000 companies has 3 MB. */
const MAX_PART_BYTES = 16 * 1024 * 1024;
const MAX_PARTS = 10_000;

const END_OF_DIRECTORY = 0x06_05_4b_50;
const DIRECTORY_ENTRY = 0x02_01_4b_50;
const END_BYTES = 22;
/** ZIP64 (APPNOTE 4.3.14 to 4.3.16): a second end record, and 20 bytes before the first that say where it is. */
const END_64 = 0x06_06_4b_50;
const LOCATOR_64 = 0x07_06_4b_50;
const LOCATOR_BYTES = 20;
/** A field of four bytes whose value is in a field of eight bytes. */
const FULL = 0xff_ff_ff_ff;
const MAX_COMMENT_BYTES = 65_535;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly start: number;
  readonly compressedBytes: number;
}

/**
 * The parts of a ZIP file by name. Each part is inflated when it is read, up to 16 MB or `maxPartBytes`.
 *
 * @throws WorkbookError if the file is damaged or encrypted, or a part is too large
 */
export class ZipFile {
  readonly #bytes: Uint8Array;
  readonly #maxPartBytes: number;
  readonly #entries = new Map<string, Entry>();

  constructor(bytes: Uint8Array, maxPartBytes = MAX_PART_BYTES) {
    this.#bytes = bytes;
    this.#maxPartBytes = maxPartBytes;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    try {
      const { count, start } = findDirectory(view);
      if (count > MAX_PARTS) throw new WorkbookError("it has too many parts");
      let at = start;
      for (let i = 0; i < count; i++) at = this.#readEntry(view, at);
    } catch (error) {
      throw error instanceof RangeError ? new WorkbookError("it is damaged or cut off") : error;
    }
  }

  /** The names of the parts. */
  get names(): string[] {
    return [...this.#entries.keys()];
  }

  /** The bytes of a part, or null if the file has no part of that name. */
  read(name: string): Uint8Array | null {
    const entry = this.#entries.get(name);
    if (!entry) return null;
    if (entry.isEncrypted) throw new WorkbookError("it is locked with a password");
    const end = entry.start + entry.compressedBytes;
    if (end > this.#bytes.length) throw new WorkbookError("it is damaged or cut off");
    const compressed = this.#bytes.subarray(entry.start, end);
    if (entry.method === STORED && compressed.length > this.#maxPartBytes) throw tooLarge();
    if (entry.method === STORED) return compressed;
    if (entry.method !== DEFLATED) throw new WorkbookError("it is compressed in an unknown way");
    try {
      return inflateRawSync(compressed, { maxOutputLength: this.#maxPartBytes });
    } catch (error) {
      throw error instanceof RangeError ? tooLarge() : new WorkbookError("it is damaged");
    }
  }

  /** Reads a directory entry and returns the position of the next one. */
  #readEntry(view: DataView, at: number): number {
    if (view.getUint32(at, true) !== DIRECTORY_ENTRY) throw new WorkbookError("it is damaged");
    const nameLength = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(this.#bytes.subarray(at + 46, at + 46 + nameLength));
    const extraLength = view.getUint16(at + 30, true);
    const [, compressedBytes, header] = fieldsOf(view, at, at + 46 + nameLength, extraLength);
    this.#entries.set(name, {
      method: view.getUint16(at + 10, true),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      // The lengths of the name and the extra field can differ in the local header.
      start: header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true),
      compressedBytes,
    });
    return at + 46 + nameLength + extraLength + view.getUint16(at + 32, true);
  }
}

/** The size, the compressed size and the position of an entry. A full field is in the extra field of ZIP64, in this order. */
function fieldsOf(view: DataView, at: number, extra: number, length: number) {
  let wide = extra;
  while (wide < extra + length && view.getUint16(wide, true) !== 1)
    wide += 4 + view.getUint16(wide + 2, true);
  wide += 4;
  const next = (position: number): number => {
    const short = view.getUint32(position, true);
    if (short !== FULL) return short;
    wide += 8;
    return Number(view.getBigUint64(wide - 8, true));
  };
  return [next(at + 24), next(at + 20), next(at + 42)] as const;
}

/** The number of entries and the position of the first. */
function findDirectory(view: DataView): { count: number; start: number } {
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  if (start !== FULL && count !== 0xff_ff) return { count, start };
  const locator = end - LOCATOR_BYTES;
  if (view.getUint32(locator, true) !== LOCATOR_64) throw new WorkbookError("it is damaged");
  const wide = Number(view.getBigUint64(locator + 8, true));
  if (view.getUint32(wide, true) !== END_64) throw new WorkbookError("it is damaged");
  return {
    count: Number(view.getBigUint64(wide + 32, true)),
    start: Number(view.getBigUint64(wide + 48, true)),
  };
}

const tooLarge = () => new WorkbookError("it has a part that is larger than 16 MB");

/** The position of the end record of the directory. Only a comment can follow it. */
function findEnd(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT_BYTES); at--)
    if (view.getUint32(at, true) === END_OF_DIRECTORY) return at;
  throw new WorkbookError("it is damaged or cut off");
}
