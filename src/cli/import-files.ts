import { BourseError } from "#domain/errors.ts";
import type { Io } from "./command.ts";

/** @throws BourseError that names the file where it cannot be read */
export async function readBytes(path: string): Promise<Uint8Array> {
  try {
    return await Bun.file(path).bytes();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new BourseError(
      "invalid_argument",
      `${path} cannot be read: ${code === "ENOENT" ? "there is no such file" : code}.`,
    );
  }
}

/** Rows from one progress line to the next: a file with fewer is read before anybody looks. */
const ROWS_A_LINE = 20_000;
const CLEAR_LINE = "\r\u001B[2K";

/**
 * Runs `work`, which tells of each row that it reads; on a terminal a line says how far it has come,
 * and is gone when it is done.
 */
export function withProgress<T>(
  io: Io,
  work: (onRow: (file: string, row: number) => void) => T,
): T {
  let isShown = false;
  try {
    return work((file, row) => {
      if (!io.isTerminal || row % ROWS_A_LINE !== 0) return;
      io.stderr(`${CLEAR_LINE}Reading ${file}: ${row.toLocaleString("en-US")} rows`);
      isShown = true;
    });
  } finally {
    if (isShown) io.stderr(CLEAR_LINE);
  }
}
