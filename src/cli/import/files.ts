import {
  accessSync,
  constants,
  closeSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { invalidArgument } from "#domain/errors.ts";
import { cleanText } from "#imports/cells.ts";
import { isParquet, ParquetError, parquetToCsv } from "#lib/parquet.ts";
import type { Io } from "#cli/command.ts";
import { createProgressLine } from "#cli/progress.ts";

/** A file to import. */
export interface ImportFile {
  readonly path: string;
  /** How errors name it: without its folder, and without characters that control a terminal. */
  readonly name: string;
  /** Its bytes, which are read from the disk in pieces, and only once. */
  readonly pieces: Generator<Uint8Array, void>;
}

const PIECE_BYTES = 262_144;

/**
 * Runs `work` on files. On a terminal, a line shows how much is read, and what `work` adds. It is
 * cleared at the end.
 *
 * @param unread the names of columns that `work` does not read; see `parquetToCsv`
 * @throws BourseError that names the file if one cannot be read
 */
export async function withFiles<T>(
  io: Io,
  paths: readonly string[],
  work: (files: readonly ImportFile[], show: (text: string) => void) => T,
  unread: readonly string[] = [],
): Promise<Awaited<T>> {
  const line = createProgressLine(io);
  using temporary = new DisposableStack();
  const open = async (path: string): Promise<ImportFile> => {
    const name = printable(basename(path));
    const source = await textFileOf(path, temporary, unread);
    // A pipe has size 0.
    const size = explained(path, () => statSync(source).size);
    const onRead = (bytes: number) => {
      if (bytes >= size && size > 0) return;
      const part = size > 0 ? `${Math.floor((100 * bytes) / size)} %` : `${bytes >> 20} MiB`;
      line.show(`Reading ${name}: ${part}`);
    };
    return { path, name, pieces: readPieces(source, onRead) };
  };
  const files: ImportFile[] = [];
  try {
    for (const path of paths) files.push(await open(path));
    return await work(files, (text) => line.show(text));
  } finally {
    for (const { pieces } of files) pieces.return();
    line.end();
  }
}

/** The path of the file, or of its rows as CSV in a temporary file if it is Parquet. */
async function textFileOf(
  path: string,
  temporary: DisposableStack,
  unread: readonly string[],
): Promise<string> {
  // The bytes of a pipe can be read only once.
  if (!explained(path, () => statSync(path).isFile())) return path;
  const parquet = Bun.file(path);
  // If the file cannot be read, its pieces throw the error.
  const start = await parquet
    .slice(0, 4)
    .bytes()
    .catch(() => null);
  if (!start || !isParquet(start)) return path;
  const bytes = {
    byteLength: parquet.size,
    slice: (from: number, to?: number) => parquet.slice(from, to).arrayBuffer(),
  };
  try {
    const folder = mkdtempSync(join(tmpdir(), "bourse-import-"));
    temporary.defer(() => rmSync(folder, { recursive: true, force: true }));
    const target = join(folder, "rows.csv");
    const file = openSync(target, "wx", 0o600);
    temporary.defer(() => closeSync(file));
    for await (const piece of parquetToCsv(bytes, undefined, unread)) writeSync(file, piece);
    return target;
  } catch (error) {
    const name = printable(basename(path));
    throw invalidArgument(
      error instanceof ParquetError
        ? `${name}: the Parquet file cannot be read, ${error.message}.`
        : `The rows of ${name} cannot be written to a temporary file in ${tmpdir()} (${codeOf(error)}). They need about ten times the size of the file: set TMPDIR to a folder with that much space.`,
    );
  }
}

/** A file name on one line, without control characters and marks that change the direction of writing. */
const printable = (name: string): string => cleanText(name).slice(0, 200) || "the file";

function* readPieces(path: string, onRead: (bytes: number) => void): Generator<Uint8Array, void> {
  const file = explained(path, () => openSync(path, "r"));
  try {
    let total = 0;
    for (;;) {
      const piece = new Uint8Array(PIECE_BYTES);
      let filled = 0;
      // A pipe returns fewer bytes at a time than requested.
      for (let read = -1; read !== 0 && filled < PIECE_BYTES; filled += read) {
        read = explained(path, () => readSync(file, piece, filled, PIECE_BYTES - filled, null));
      }
      if (filled === 0) return;
      total += filled;
      onRead(total);
      yield piece.subarray(0, filled);
    }
  } finally {
    closeSync(file);
  }
}

/** @throws BourseError that names the first file that cannot be read */
export function refuseUnreadable(paths: readonly string[]): void {
  for (const path of paths) explained(path, () => accessSync(path, constants.R_OK));
}

function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = codeOf(error);
    throw invalidArgument(
      `${printable(path)} cannot be read: ${code === "ENOENT" ? "there is no such file" : code}.`,
    );
  }
}

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error ? String(error.code) : String(error);
