import { Database, SQLiteError } from "bun:sqlite";
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { BourseError } from "#domain/errors.ts";
import { IMPORT } from "#domain/records.ts";

/** A kind of file: what it is called, how it is known, and how it came to its tables. */
export interface Schema {
  /** What the file is, in an error's words: `access`, `market`. */
  readonly name: string;
  /** Marks the file as ours in its header (`PRAGMA application_id`). */
  readonly applicationId: number;
  /** SQL scripts in order; a file's `user_version` counts how many of them it has had. */
  readonly migrations: readonly string[];
  /** Whether every page is read before the file is used, which takes time with its size. */
  readonly isPrecious: boolean;
}

/**
 * Opens a database file, making it and its folder where absent, and brings its schema up to date.
 *
 * @throws BourseError with one sentence for people where the file is damaged, is not ours, was
 * written by a newer version, or cannot be written. The file is left as it is.
 */
export function openDatabase(path: string, schema: Schema): Database {
  return explained(path, () => {
    // For the operator alone: the files tell who calls, and hold the hashes of tokens.
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const database = new Database(path, { create: true, strict: true });
    try {
      // First of all, so that every later statement waits for another process instead of failing.
      database.run("PRAGMA busy_timeout = 5000");
      // In one transaction, for another process may be making the file at this moment.
      database.transaction(() => refuseForeign(database, path, schema))();
      if (schema.isPrecious) refuseDamaged(database, path);
      // Readers never wait for a writer, and a killed process loses nothing that was committed.
      switchToWal(database);
      // In WAL, NORMAL survives kill -9; only a power cut can take the last commits, never the file.
      database.run("PRAGMA synchronous = NORMAL");
      database.run("PRAGMA foreign_keys = ON");
      migrate(database, schema);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** A second connection to a file that `openDatabase` has made, which sees commits and never locks. */
export function openReader(path: string): Database {
  const database = new Database(path, { readonly: true, strict: true });
  database.run("PRAGMA busy_timeout = 5000");
  return database;
}

/** Whether anybody has the file open, idle or not; a file that is absent or damaged is in nobody's use. */
export function isInUse(path: string): boolean {
  if (!existsSync(path)) return false;
  return explained(path, () => {
    const database = new Database(path);
    try {
      database.run("PRAGMA busy_timeout = 0");
      // Each connection in WAL holds a shared lock for its life, and leaving WAL needs the file alone.
      database.run("PRAGMA journal_mode = DELETE");
      return false;
    } catch (error) {
      return error instanceof SQLiteError && error.code === "SQLITE_BUSY";
    } finally {
      database.close();
    }
  });
}

/** The condition of an upsert under which nothing fetched takes the place of what was imported. */
export function importsWin(table: string): string {
  return `${table}.source <> '${IMPORT}' OR excluded.source = '${IMPORT}'`;
}

/** How many migrations the file has had. */
export function schemaVersion(database: Database): number {
  return pragmaNumber(database, "user_version");
}

function refuseDamaged(database: Database, path: string): void {
  const report = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
  if (report?.quick_check !== "ok") throw damaged(path);
}

/** The switch needs the file alone and, unlike all else, does not wait for that by itself. */
function switchToWal(database: Database): void {
  for (let attempt = 1; ; attempt++) {
    try {
      database.run("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      const isBusy = error instanceof SQLiteError && error.code === "SQLITE_BUSY";
      if (!isBusy || attempt === 200) throw error;
      Bun.sleepSync(5 + Math.random() * 20);
    }
  }
}

function refuseForeign(database: Database, path: string, schema: Schema): void {
  const version = schemaVersion(database);
  const applicationId = pragmaNumber(database, "application_id");
  const tables = database.query("SELECT 1 FROM sqlite_schema LIMIT 1").get();
  if (tables !== null && applicationId !== schema.applicationId) {
    throw new BourseError(
      "unavailable",
      `${path} is a database, but not a bourse ${schema.name} file; move it away or name another data folder.`,
    );
  }
  if (version > schema.migrations.length) {
    throw new BourseError(
      "unavailable",
      `${path} was written by a newer bourse (schema ${version}, this one knows ${schema.migrations.length}); upgrade bourse or name another data folder.`,
    );
  }
}

function migrate(database: Database, schema: Schema): void {
  if (schemaVersion(database) === schema.migrations.length) return;
  database
    .transaction(() => {
      // Read again inside the lock: another process may have migrated meanwhile.
      for (const script of schema.migrations.slice(schemaVersion(database))) database.run(script);
      database.run(`PRAGMA application_id = ${schema.applicationId}`);
      database.run(`PRAGMA user_version = ${schema.migrations.length}`);
    })
    .immediate();
}

function pragmaNumber(database: Database, name: "user_version" | "application_id"): number {
  const [value] = database.query(`PRAGMA ${name}`).values()[0] ?? [];
  return Number(value);
}

function damaged(path: string): BourseError {
  return new BourseError(
    "unavailable",
    `${path} is damaged and was left as it is; put a back-up in its place or move it away.`,
  );
}

/** Runs `work` on a file; what it throws is put into words. */
export function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw inWords(path, error);
  }
}

/** A `BourseError` that names the file where it is damaged or cannot be written, else the error itself. */
export function inWords(path: string, error: unknown): unknown {
  if (error instanceof BourseError || !(error instanceof Error)) return error;
  const code = "code" in error ? String(error.code) : "";
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT")) return damaged(path);
  if (
    /^(SQLITE_(CANTOPEN|READONLY|FULL|IOERR|PERM|AUTH)|EACCES|EROFS|ENOTDIR|EEXIST|ENOSPC|EPERM)/.test(
      code,
    )
  ) {
    return new BourseError(
      "unavailable",
      `${path} cannot be written (${code}); check that the data folder exists, has room and may be written.`,
    );
  }
  return error;
}
