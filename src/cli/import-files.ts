import { BourseError } from "#domain/errors.ts";
import type { Io } from "./command.ts";
import { createProgressLine } from "./progress.ts";

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

/**
 * Runs `work`, which tells of each row that it reads; on a terminal a line says how far it has come,
 * and is gone when it is done.
 */
export function withProgress<T>(
  io: Io,
  work: (onRow: (file: string, row: number) => void) => T,
): T {
  const line = createProgressLine(io);
  try {
    return work((file, row) => {
      if (row % ROWS_A_LINE === 0)
        line.show(`Reading ${file}: ${row.toLocaleString("en-US")} rows`);
    });
  } finally {
    line.end();
  }
}
