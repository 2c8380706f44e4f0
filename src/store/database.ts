import { Database } from "bun:sqlite";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { BourseError, isDatabaseBusy, unavailable } from "#domain/errors.ts";
import { IMPORT } from "#domain/records.ts";
import { isLogCut } from "./file-check.ts";
import { createFolder, giveToOwner } from "./files.ts";
import { prepareLate } from "./late-statements.ts";
import { findLockHolder } from "./lock-holder.ts";

/** The default time for which a statement waits for another process's lock. */
export const BUSY_TIMEOUT_MS = 5_000;
/** SQLite truncates the log (WAL) to this size after all of it is in the database file. */
const LOG_LIMIT_BYTES = 16 * 2 ** 20;

/** How much of a file its check maps into memory; it reads the rest page by page. */
const MAPPED_BYTES = 2 ** 30;

/** A kind of database file. */
export interface Schema {
  /** The name in error messages: `access`, `market`. */
  readonly name: string;
  /** Identifies the kind in the file header (`PRAGMA application_id`). */
  readonly applicationId: number;
  /** SQL scripts in order; a file's `user_version` is the number of scripts that have run on it. */
  readonly migrations: readonly string[];
  /** The size of a page of a new file; SQLite's default, 4096, if absent. */
  readonly pageBytes?: number;
  /**
   * True if the data cannot be fetched again. Then every page is read and checked at opening, which takes
   * time in proportion to the size, and the file is copied before a migration.
   */
  readonly isPrecious: boolean;
}

/** How a database file is opened. */
export interface OpenOptions {
  /** How long a statement waits for a lock of another process. */
  readonly busyTimeoutMs?: number;
  /** Called after an upgrade of a precious file, with the path of the copy of the old file. */
  readonly onUpgrade?: ((copy: string) => void) | undefined;
}

/**
 * Opens a database file and brings its schema up to date. A missing file is created with its folder.
 * Only the owner can read or write the file (mode 0600).
 *
 * @throws BourseError with one sentence if the file is damaged, belongs to another program, was written by
 * a newer version, is locked, or cannot be written. The content of the file is then unchanged.
 */
export function openDatabase(
  path: string,
  schema: Schema,
  { busyTimeoutMs = BUSY_TIMEOUT_MS, onUpgrade }: OpenOptions = {},
): Database {
  return withUserErrors(path, () => {
    createFolder(dirname(path));
    // SQLite would create the file with the permissions that the umask allows.
    createFile(path, "a");
    const database = prepareLate(new Database(path, { create: true, strict: true }));
    try {
      // First, so that every later statement waits for another process instead of failing.
      setBusyTimeout(database, BUSY_TIMEOUT_MS);
      // It has no effect on an existing file.
      if (schema.pageBytes !== undefined) database.run(`PRAGMA page_size = ${schema.pageBytes}`);
      // In one transaction, because another process may be creating the file now.
      database.transaction(() => refuseOtherFormat(database, path, schema))();
      if (schema.isPrecious) refuseDamaged(database, path);
      restrictToOwner(path);
      // Readers never wait for a writer, and a killed process loses nothing that was committed.
      switchToWal(database);
      // In WAL, NORMAL survives kill -9; only a power cut can take the last commits, never the file.
      database.run("PRAGMA synchronous = NORMAL");
      database.run("PRAGMA foreign_keys = ON");
      database.run(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
      const copy = migrate(database, path, schema);
      if (copy !== null) onUpgrade?.(copy);
      setBusyTimeout(database, busyTimeoutMs);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Creates an empty file that only its owner can read; with the flag `a`, it may exist. */
export function createFile(path: string, flag: "a" | "ax"): void {
  // POSIX releases all locks of a process on a file when the process closes any handle of that file.
  if (flag === "a" && existsSync(path)) return;
  closeSync(openSync(path, flag, 0o600));
  // SQLite gives its log to the owner of the database file.
  giveToOwner(path);
}

/** A second, read-only connection to a file that `openDatabase` created; it sees committed data only. */
export function openReader(path: string): Database {
  const database = prepareLate(new Database(path, { readonly: true, strict: true }));
  setBusyTimeout(database, BUSY_TIMEOUT_MS);
  return database;
}

/** Sets how long the connection's statements wait for a lock of another connection. */
export function setBusyTimeout(database: Database, ms: number): void {
  database.run(`PRAGMA busy_timeout = ${ms}`);
}

/**
 * True if any process has the file open, idle or not. A missing or damaged file is not in use. Changes
 * nothing in the file.
 */
export function isInUse(path: string): boolean {
  if (!existsSync(path)) return false;
  return withUserErrors(path, () => {
    const database = new Database(path);
    try {
      setBusyTimeout(database, 0);
      // Every connection in WAL mode holds a shared lock. This mode needs an exclusive one.
      database.run("PRAGMA locking_mode = EXCLUSIVE");
      database.run("BEGIN EXCLUSIVE");
      return false;
    } catch (error) {
      return isDatabaseBusy(error);
    } finally {
      database.close();
    }
  });
}

/** The condition of an upsert that keeps fetched records from replacing imported ones. */
export function importsWin(table: string): string {
  return `${table}.source <> '${IMPORT}' OR excluded.source = '${IMPORT}'`;
}

/** The number of migrations that have run on the file. */
export function schemaVersion(database: Database): number {
  return pragmaNumber(database, "user_version");
}

function refuseDamaged(database: Database, path: string): void {
  // Reading each page with a call of its own would take almost twice the time.
  database.run(`PRAGMA mmap_size = ${MAPPED_BYTES}`);
  const report = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
  database.run("PRAGMA mmap_size = 0");
  if (report?.quick_check !== "ok") throw damagedFile(path);
}

/** Removes the permissions of other users from an existing file and its log. */
function restrictToOwner(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const stats = statSync(file, { throwIfNoEntry: false });
    // Only the owner and root may change the mode. Root does not change files of other users.
    if (!stats || (stats.mode & 0o077) === 0 || stats.uid !== process.getuid?.()) continue;
    chmodSync(file, 0o600);
  }
}

/** All attempts together take about three seconds at most. */
const SWITCH_ATTEMPTS = 200;

/**
 * Switches a new file to WAL. The switch needs an exclusive lock. SQLite waits for it in some cases
 * only, so each attempt here fails at once and is repeated.
 */
function switchToWal(database: Database): void {
  const mode = database.query<{ journal_mode: string }, []>("PRAGMA journal_mode").get();
  if (mode?.journal_mode === "wal") return;
  setBusyTimeout(database, 0);
  for (let attempt = 1; ; attempt++) {
    try {
      database.run("PRAGMA journal_mode = WAL");
      break;
    } catch (error) {
      if (!isDatabaseBusy(error) || attempt === SWITCH_ATTEMPTS) throw error;
      // The pause varies, so that processes that start together do not retry together.
      Bun.sleepSync(5 + ((attempt * 7 + process.pid) % 20));
    }
  }
  setBusyTimeout(database, BUSY_TIMEOUT_MS);
}

/** @throws BourseError if the file belongs to another program or was written by a newer version */
export function refuseOtherFormat(database: Database, path: string, schema: Schema): void {
  const version = schemaVersion(database);
  const applicationId = pragmaNumber(database, "application_id");
  const tables = database.query("SELECT 1 FROM sqlite_schema LIMIT 1").get();
  if (tables !== null && applicationId !== schema.applicationId) {
    throw unavailable(
      `${path} is a database, but not a bourse ${schema.name} file; move it away or name another data folder.`,
    );
  }
  if (version > schema.migrations.length) {
    throw unavailable(
      `${path} was written by a newer bourse (schema ${version}, this one knows ${schema.migrations.length}); upgrade bourse, run \`restore\` with an archive of this version${schema.isPrecious ? "" : ", start `serve --reset-market` to delete the market with its imports"}, or name another data folder.`,
    );
  }
}

/** Returns the path of the copy of the file before the upgrade; null if there is none. */
function migrate(database: Database, path: string, schema: Schema): string | null {
  const { migrations } = schema;
  if (schemaVersion(database) === migrations.length) return null;
  return database
    .transaction(() => {
      // Read again inside the lock: another process may have migrated the file meanwhile.
      const version = schemaVersion(database);
      if (version === migrations.length) return null;
      const copy = schema.isPrecious && version > 0 ? `${path}.before-${migrations.length}` : null;
      if (copy !== null) keepCopy(path, copy);
      for (const script of migrations.slice(version)) database.run(script);
      database.run(`PRAGMA application_id = ${schema.applicationId}`);
      database.run(`PRAGMA user_version = ${migrations.length}`);
      return copy;
    })
    .immediate();
}

/** Copies a file that this process has locked; a crash leaves no incomplete copy of that name. */
function keepCopy(path: string, copy: string): void {
  const partial = `${copy}.partial`;
  rmSync(partial, { force: true });
  const reader = openReader(path);
  try {
    copyInto(reader, partial);
  } finally {
    reader.close();
  }
  renameSync(partial, copy);
}

/**
 * Copies the committed data of a connection to a new file that only its owner can read. Writers do not wait
 * for it, but the thread does.
 *
 * @throws BourseError that names the copy if there is no space for it
 */
export function copyInto(database: Database, copy: string): void {
  // SQLite would create the copy with the permissions that the umask allows.
  withUserErrors(copy, () => createFile(copy, "ax"));
  try {
    database.query("VACUUM INTO ?").run(copy);
  } catch (error) {
    const isFull = error instanceof Error && "code" in error && error.code === "SQLITE_FULL";
    throw isFull ? toUserError(copy, error) : error;
  }
}

function pragmaNumber(database: Database, name: "user_version" | "application_id"): number {
  const [value] = database.query(`PRAGMA ${name}`).values()[0] ?? [];
  return Number(value);
}

function damagedFile(path: string): BourseError {
  return unavailable(
    `${path} is damaged and was not changed; replace it with a backup or move it away.`,
  );
}

function cutLog(path: string): BourseError {
  return unavailable(
    `${path}-wal was removed or emptied while bourse was using ${path}. The file itself is whole. Stop all bourse programs that use it and start again.`,
  );
}

/** Runs `work` on a file and converts its errors by `toUserError`. */
export function withUserErrors<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toUserError(path, error);
  }
}

/** True if this user may not read the file or look into its folder. */
export function isForbidden(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return false;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EACCES";
  }
}

/** A `BourseError` that names the file if it is damaged, locked, not readable or not writable, else the error itself. */
export function toUserError(path: string, error: unknown): unknown {
  if (error instanceof BourseError || !(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  if (isForbidden(path)) {
    return unavailable(
      `${path} cannot be read (EACCES). Run bourse as the owner of the data folder, or give the folder to this user (chown -R).`,
    );
  }
  if (isDatabaseBusy(error)) {
    const pid = findLockHolder(path);
    return unavailable(
      `${path} is locked by another process${pid === null ? "" : ` (${pid})`}. Stop that process or try again.`,
    );
  }
  if (code === "SQLITE_NOTADB" || /^SQLITE_(CORRUPT|IOERR_SHORT_READ)/.test(code))
    return isLogCut(path) ? cutLog(path) : damagedFile(path);
  if (
    /^(SQLITE_(CANTOPEN|READONLY|FULL|IOERR|PERM|AUTH)|EACCES|ENOENT|EROFS|ENOTDIR|EISDIR|EEXIST|ENOSPC|EPERM)/.test(
      code,
    )
  ) {
    return unavailable(
      `${path} cannot be written (${code}); check that its folder exists, is writable and has free space.`,
    );
  }
  return error;
}
