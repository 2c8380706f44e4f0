import { closeSync, openSync, readSync, statSync } from "node:fs";
import { BourseError } from "#domain/errors.ts";

/** A text that differs for every file that was ever at that path; undefined without a file. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/**
 * Returns a check that the path still names the database file that is open now, with its log (`-wal`) and the
 * index of the log (`-shm`). Without it, the process would continue with files that no other process sees,
 * and lose at `kill -9` what it wrote there.
 *
 * @param save moves the log into the database file. The check calls it if the log or its index was removed:
 * this process still has them open.
 * @returns a function that throws BourseError if a file was removed, replaced or emptied
 */
export function createFileCheck(path: string, save: () => void): () => void {
  const opened = new Map<string, string>();
  const check = (file: string, isLog: boolean) => {
    const found = identityOf(file);
    const known = opened.get(file);
    if (known === undefined && found !== undefined) opened.set(file, found);
    if (found === known || known === undefined) return;
    // A process that has created the file again uses another log.
    if (isLog && found === undefined) save();
    throw lost(file, found === undefined ? "removed" : "replaced");
  };
  const checkAll = () => {
    check(path, false);
    if (statSync(path).size === 0) throw lost(path, "emptied");
    check(`${path}-shm`, true);
    check(`${path}-wal`, true);
    if (isLogCut(path)) throw lost(`${path}-wal`, "emptied");
  };
  checkAll();
  return checkAll;
}

function lost(file: string, what: string): BourseError {
  return new BourseError(
    "unavailable",
    `${file} was ${what} while bourse was using it. Start bourse again to use what is there now.`,
  );
}

// The header of the index (`WalIndexHdr` of SQLite's wal.c), in the byte order of this machine.
const PAGE_BYTES_AT = 14;
const FRAMES_AT = 16;
const HEADER_BYTES = 48;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** A page of 64 KiB does not fit into two bytes. */
const LARGEST_PAGE = 65_536;

/** True if the log is shorter than its index says: it was removed or emptied while a process was using it. */
export function isLogCut(path: string): boolean {
  const header = readStart(`${path}-shm`);
  if (header === null) return false;
  const read = new DataView(header.buffer);
  const frames = read.getUint32(FRAMES_AT, IS_LITTLE_ENDIAN);
  const stored = read.getUint16(PAGE_BYTES_AT, IS_LITTLE_ENDIAN);
  const pageBytes = stored === 1 ? LARGEST_PAGE : stored;
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  const least = LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageBytes);
  if (frames === 0 || (log?.size ?? 0) >= least) return false;
  // A checkpoint of another process may have emptied the log in between. It changes the index first.
  const later = readStart(`${path}-shm`);
  return later !== null && Buffer.from(header).equals(later);
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** The header of an index; null if there is none, or it is not written yet. */
function readStart(path: string): Uint8Array<ArrayBuffer> | null {
  const header = new Uint8Array(HEADER_BYTES);
  try {
    const file = openSync(path, "r");
    try {
      return readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES ? header : null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
