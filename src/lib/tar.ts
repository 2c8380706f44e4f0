/** The size of a block; every header and every content fills whole blocks. */
const BLOCK = 512;
/** The largest size that eleven octal digits can write: 8 GiB. */
const MAX_SIZE = 8 ** 11 - 1;

/** A file of an archive. */
export interface TarFile {
  /** At most 100 characters of ASCII. With a slash at the end, it is a folder, whose size is 0. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /** Its permissions; 0600 if left out. Reading an archive leaves them out. */
  readonly mode?: number;
  /** The number of its user and group; 0 if left out. Reading an archive leaves it out. */
  readonly owner?: number;
  /** Exactly `size` bytes. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** The bytes are not an archive, or end too early. */
export class TarError extends Error {}

/**
 * Writes files as a tar archive (ustar) that any `tar` opens. It never holds a whole file. The files
 * belong to user 0, unless they name another one.
 *
 * @param modifiedAt the time of all files, UTC milliseconds
 * @throws TarError if a name or a size does not fit
 */
export async function* writeTar(
  files: Iterable<TarFile>,
  modifiedAt: number,
): AsyncGenerator<Uint8Array> {
  for (const file of files) {
    yield headerOf(file, modifiedAt);
    let length = 0;
    for await (const chunk of file.content) {
      length += chunk.length;
      yield chunk;
    }
    if (length !== file.size) throw new TarError(`${file.name} changed while it was read.`);
    yield new Uint8Array(padding(length));
  }
  yield new Uint8Array(2 * BLOCK);
}

/**
 * Reads the files of a tar archive in their order. Read the content of a file before the next file.
 *
 * @throws TarError for anything that `writeTar` does not write, such as links and long names
 */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarFile> {
  const reader = new ByteReader(bytes);
  for (;;) {
    const header = await reader.take(BLOCK);
    if (header.every((byte) => byte === 0)) return reader.skipRest();
    const { name, size } = parseHeader(header);
    yield { name, size, content: reader.read(size) };
    await reader.take(padding(size));
  }
}

function headerOf(
  { name, size, mode = 0o600, owner = 0 }: TarFile,
  modifiedAt: number,
): Uint8Array {
  if (!/^[ -~]{1,100}$/.test(name)) throw new TarError(`${name} is not a name for an archive.`);
  if (size > MAX_SIZE) throw new TarError(`${name} is larger than 8 GiB.`);
  const header = new Uint8Array(BLOCK);
  const write = (offset: number, text: string) =>
    header.set(new TextEncoder().encode(text), offset);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  write(0, name);
  write(100, `${octal(mode, 7)}\0`);
  write(108, `${octal(owner, 7)}\0`); // user
  write(116, `${octal(owner, 7)}\0`); // group
  write(124, `${octal(size, 11)}\0`);
  write(136, `${octal(Math.floor(modifiedAt / 1000), 11)}\0`);
  write(156, name.endsWith("/") ? "5" : "0"); // a folder or a plain file
  write(257, "ustar\0" + "00");
  write(148, `${octal(checksum(header), 6)}\0 `);
  return header;
}

function parseHeader(header: Uint8Array): { name: string; size: number } {
  const text = (from: number, length: number) => {
    const field = header.subarray(from, from + length);
    const end = field.indexOf(0);
    return new TextDecoder("latin1").decode(end < 0 ? field : field.subarray(0, end));
  };
  const size = text(124, 12).trim();
  const isPlainFile = ["0", ""].includes(text(156, 1)) && text(345, 155) === "";
  const isIntact = Number.parseInt(text(148, 8), 8) === checksum(header);
  if (!isIntact || !isPlainFile || !/^[0-7]{1,11}$/.test(size)) {
    throw new TarError("This is not an archive of plain files.");
  }
  return { name: text(0, 100), size: Number.parseInt(size, 8) };
}

/** The sum of a header's bytes, with spaces instead of the sum itself. */
function checksum(header: Uint8Array): number {
  return header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 32 : byte), 0);
}

/** The bytes that fill the last block of a content. */
function padding(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

/** Reads given numbers of bytes from chunks of any size. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array();

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** The next `count` bytes in pieces. */
  async *read(count: number): AsyncGenerator<Uint8Array> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0) {
        const { done, value } = await this.#chunks.next();
        if (done) throw new TarError("The archive ends too early.");
        this.#rest = value;
        continue;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** Reads to the end, so that a stream that is cut off after the last file fails. */
  async skipRest(): Promise<void> {
    while (!(await this.#chunks.next()).done);
  }

  /** The next `count` bytes. */
  async take(count: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.read(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }
}
