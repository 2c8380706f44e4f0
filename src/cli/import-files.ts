import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { BourseError } from "#domain/errors.ts";
import { cleanText } from "#imports/cells.ts";
import type { Io } from "./command.ts";
import { createProgressLine } from "./progress.ts";

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
 * @throws BourseError that names the file if one cannot be read
 */
export async function withFiles<T>(
  io: Io,
  paths: readonly string[],
  work: (files: readonly ImportFile[], show: (text: string) => void) => T,
): Promise<Awaited<T>> {
  const line = createProgressLine(io);
  const open = (path: string): ImportFile => {
    const name = printable(basename(path));
    // A pipe has size 0.
    const size = explained(path, () => statSync(path).size);
    const onRead = (bytes: number) => {
      if (bytes >= size && size > 0) return;
      const part = size > 0 ? `${Math.floor((100 * bytes) / size)} %` : `${bytes >> 20} MiB`;
      line.show(`Reading ${name}: ${part}`);
    };
    return { path, name, pieces: readPieces(path, onRead) };
  };
  const files = paths.map(open);
  try {
    return await work(files, (text) => line.show(text));
  } finally {
    for (const { pieces } of files) pieces.return();
    line.end();
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

function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new BourseError(
      "invalid_argument",
      `${printable(path)} cannot be read: ${code === "ENOENT" ? "there is no such file" : code}.`,
    );
  }
}
