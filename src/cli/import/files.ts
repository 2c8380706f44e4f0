import {
  accessSync,
  constants,
  closeSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type BourseError, invalidArgument } from "#domain/errors.ts";
import { cleanText } from "#imports/cells.ts";
import {
  isParquet,
  openParquetTable,
  type ParquetTable,
  parquetToCsv,
  type ReadableFile,
} from "#lib/parquet.ts";
import { ParquetError } from "#lib/parquet-error.ts";
import type { Io } from "#cli/command.ts";
import { createProgressLine } from "#cli/progress.ts";

/** A file to import. */
export interface ImportFile {
  readonly path: string;
  /** How errors name it: without its folder, and without characters that control a terminal. */
  readonly name: string;
  /** Its bytes, which are read from the disk in pieces, and only once. */
  readonly pieces: Generator<Uint8Array, void>;
  /** Its rows as columns, if it is Parquet and `work` reads columns. It has no pieces then. */
  readonly table?: ParquetTable;
}

/** What `work` reads of Parquet files. */
interface ParquetUse {
  /** The names of columns that it does not read; see `parquetToCsv`. */
  readonly unread?: readonly string[] | undefined;
  /** True for a table that it reads by columns; others are read as text. */
  readonly readsColumns?: ((table: ParquetTable) => boolean) | undefined;
}

const PIECE_BYTES = 262_144;

/**
 * Runs `work` on files. On a terminal, a line shows how much is read, and what `work` adds. It is
 * cleared at the end.
 *
 * @throws BourseError that names the file if one cannot be read
 */
export async function withFiles<T>(
  io: Io,
  paths: readonly string[],
  work: (files: readonly ImportFile[], show: (text: string) => void) => T,
  use: ParquetUse = {},
): Promise<Awaited<T>> {
  const line = createProgressLine(io);
  using temporary = new DisposableStack();
  const open = async (path: string): Promise<ImportFile> => {
    const name = printable(basename(path));
    const onRead = (bytes: number, size: number) => {
      if (bytes >= size && size > 0) return;
      const part = size > 0 ? `${Math.floor((100 * bytes) / size)} %` : `${bytes >> 20} MiB`;
      line.show(`Reading ${name}: ${part}`);
    };
    const parquet = await openParquet(path, temporary, onRead);
    if (!parquet) return { path, name, pieces: readPieces(path, onRead) };
    const table = use.readsColumns && (await columnsOf(path, parquet));
    if (table && use.readsColumns?.(table)) return { path, name, pieces: noPieces(), table };
    const source = await writeText(path, parquet, temporary, use.unread);
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

/** Called with the bytes that were read, and the size of the file, 0 of a pipe. */
type OnRead = (bytes: number, size: number) => void;

/** The bytes of a Parquet file; null for any other file. */
async function openParquet(
  path: string,
  temporary: DisposableStack,
  onRead: OnRead,
): Promise<ReadableFile | null> {
  // The bytes of a pipe can be read only once.
  if (!explained(path, () => statSync(path).isFile())) return null;
  // If the file cannot be read, its pieces throw the error.
  const start = await Bun.file(path)
    .slice(0, 4)
    .bytes()
    .catch(() => null);
  if (!start || !isParquet(start)) return null;
  const file = openSync(path, "r");
  temporary.defer(() => closeSync(file));
  const byteLength = statSync(path).size;
  let total = 0;
  const slice = (from: number, to = byteLength): ArrayBuffer => {
    const bytes = new Uint8Array(Math.max(0, to - from));
    total += readSync(file, bytes, 0, bytes.length, from);
    onRead(total, byteLength);
    return bytes.buffer;
  };
  return { byteLength, slice };
}

/** The columns of a Parquet file. */
async function columnsOf(path: string, file: ReadableFile): Promise<ParquetTable> {
  try {
    const table = await openParquetTable(file);
    return { ...table, slices };
    function* slices(wanted: readonly boolean[]): ReturnType<ParquetTable["slices"]> {
      try {
        yield* table.slices(wanted);
      } catch (error) {
        throw toUserError(path, error);
      }
    }
  } catch (error) {
    throw toUserError(path, error);
  }
}

/** Writes the rows of a Parquet file as CSV to a temporary file; returns its path. */
async function writeText(
  path: string,
  bytes: ReadableFile,
  temporary: DisposableStack,
  unread: readonly string[] | undefined,
): Promise<string> {
  try {
    const folder = mkdtempSync(join(tmpdir(), "bourse-import-"));
    temporary.defer(() => rmSync(folder, { recursive: true, force: true }));
    const target = join(folder, "rows.csv");
    const file = openSync(target, "wx", 0o600);
    temporary.defer(() => closeSync(file));
    for await (const piece of parquetToCsv(bytes, undefined, unread)) writeSync(file, piece);
    return target;
  } catch (error) {
    throw toUserError(path, error);
  }
}

/** An error about a Parquet file, or about the temporary file with its rows. */
function toUserError(path: string, error: unknown): BourseError {
  const name = printable(basename(path));
  return invalidArgument(
    error instanceof ParquetError
      ? `${name}: the Parquet file cannot be read, ${error.message}.`
      : `The rows of ${name} cannot be written to a temporary file in ${tmpdir()} (${codeOf(error)}). They need about ten times the size of the file: set TMPDIR to a folder with that much space.`,
  );
}

/** A file name on one line, without control characters and marks that change the direction of writing. */
const printable = (name: string): string => cleanText(name).slice(0, 200) || "the file";

function* noPieces(): Generator<Uint8Array, void> {}

function* readPieces(path: string, onRead: OnRead): Generator<Uint8Array, void> {
  const file = explained(path, () => openSync(path, "r"));
  // A pipe has size 0.
  const { size } = fstatSync(file);
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
      onRead(total, size);
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
