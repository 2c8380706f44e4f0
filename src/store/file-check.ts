import type { Database } from "bun:sqlite";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { type BourseError, unavailable } from "#domain/errors.ts";

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
 * If the log or its index was removed, the check moves the log into the database file: this process still has
 * both open.
 *
 * @returns a function that throws BourseError if a file was removed, replaced or emptied
 */
export function createFileCheck(path: string, database: Database): () => void {
  const opened = new Map<string, string>();
  const check = (file: string, isLog: boolean) => {
    const found = identityOf(file);
    const known = opened.get(file);
    if (known === undefined && found !== undefined) opened.set(file, found);
    if (found === known || known === undefined) return;
    // A process that has created the file again uses another log.
    if (isLog && found === undefined) saveLog(database);
    throw lost(file, found === undefined ? "removed" : "replaced");
  };
  const checkAll = () => {
    check(path, false);
    if (statSync(path).size === 0) throw lost(path, "emptied");
    check(`${path}-shm`, true);
    check(`${path}-wal`, true);
    if (isLogEmptied(path, database)) throw lost(`${path}-wal`, "emptied");
  };
  checkAll();
  return checkAll;
}

function lost(file: string, what: string): BourseError {
  return unavailable(
    `${file} was ${what} while bourse was using it. Start bourse again to use what is there now.`,
  );
}

/** Moves the log into the database file as far as possible; a later close moves the rest. Returns the pages in the log. */
function saveLog(database: Database): number {
  try {
    const state = database.query<{ log: number }, []>("PRAGMA wal_checkpoint(PASSIVE)").get();
    return state?.log ?? 0;
  } catch (error) {
    // During a transaction of this connection. Any other error comes from reading the log.
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return /^SQLITE_(BUSY|LOCKED)/.test(code) ? 0 : 1;
  }
}

/** How often an empty log must lack the pages that SQLite has written. */
const LOOKS = 3;

/** True if the log has fewer pages than SQLite has written. */
function isLogEmptied(path: string, database: Database): boolean {
  const log = `${path}-wal`;
  const size = sizeOf(log);
  if (size === undefined) return false;
  // After a later write, a log that was emptied has zeros instead of its header.
  if (size > 0) return !hasLogHeader(log);
  // Another process may begin the log between both looks, and a checkpoint may empty it again.
  return Array.from({ length: LOOKS }).every(() => saveLog(database) > 0 && sizeOf(log) === 0);
}

/** The bytes of a file; undefined without a file. */
const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size;

/** The first three of four bytes of every log, in both byte orders. */
const LOG_MAGIC = Buffer.from([0x37, 0x7f, 0x06]);

function hasLogHeader(log: string): boolean {
  // Unlike the other files, SQLite has no lock on the log, which closing it here would release.
  const file = openSync(log, "r");
  try {
    const start = Buffer.alloc(LOG_MAGIC.length);
    return readSync(file, start, 0, start.length, 0) < start.length || start.equals(LOG_MAGIC);
  } finally {
    closeSync(file);
  }
}

// The header of the index (`WalIndexHdr` of SQLite's wal.c), in the byte order of this machine.
const FRAMES_AT = 16;
const HEADER_BYTES = 48;

/**
 * The open indexes, by path and identity. They stay open: closing one would release the locks that SQLite has on
 * it in this process, and the next process would empty the index while this one reads it.
 */
const indexes = new Map<string, number>();

function openIndex(path: string): number {
  const key = `${path} ${identityOf(path)}`;
  const index = indexes.get(key) ?? openSync(path, "r");
  indexes.set(key, index);
  return index;
}

/**
 * True if the log is empty although its index has pages: it was removed or emptied while a process was using
 * it. Call it only after SQLite has refused to read the file.
 */
export function isLogCut(path: string): boolean {
  const log = `${path}-wal`;
  const size = sizeOf(log) ?? 0;
  if (size > 0) return !hasLogHeader(log);
  const header = Buffer.alloc(HEADER_BYTES);
  try {
    const index = openIndex(`${path}-shm`);
    const isWhole = readSync(index, header, 0, HEADER_BYTES, 0) === HEADER_BYTES;
    return isWhole && new Uint32Array(header.buffer, header.byteOffset + FRAMES_AT, 1)[0] !== 0;
  } catch {
    return false;
  }
}
