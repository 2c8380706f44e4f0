import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";
import { BourseError } from "#domain/errors.ts";
import type { Io } from "./command.ts";
import { createProgressLine } from "./progress.ts";

/** A file to import. */
export interface ImportFile {
  readonly path: string;
  /** How errors name it. */
  readonly name: string;
  /** Its bytes, read from the disk as they are taken, once. */
  readonly pieces: Generator<Uint8Array, void>;
}

const PIECE_BYTES = 262_144;

/**
 * Runs `work` on files; on a terminal a line says how far their reading has come, and what `work`
 * has to say besides, and is gone when it is done.
 *
 * @throws BourseError that names the file where one cannot be read
 */
export function withFiles<T>(
  io: Io,
  paths: readonly string[],
  work: (files: readonly ImportFile[], show: (text: string) => void) => T,
): T {
  const line = createProgressLine(io);
  const open = (path: string): ImportFile => {
    const name = basename(path);
    // Of a pipe it is 0: nobody knows how much is to come.
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
    return work(files, (text) => line.show(text));
  } finally {
    for (const { pieces } of files) pieces.return();
    line.end();
  }
}

function* readPieces(path: string, onRead: (bytes: number) => void): Generator<Uint8Array, void> {
  const file = explained(path, () => openSync(path, "r"));
  try {
    let total = 0;
    for (;;) {
      const piece = new Uint8Array(PIECE_BYTES);
      let filled = 0;
      // A pipe gives less at a time than it is asked for.
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
      `${path} cannot be read: ${code === "ENOENT" ? "there is no such file" : code}.`,
    );
  }
}
