import { join } from "node:path";
import type { Awaitable } from "#lib/awaitable.ts";
import {
  BUSY_TIMEOUT_MS,
  createFileCheck,
  type OpenOptions,
  openDatabase,
  type Schema,
  schemaVersion,
  toUserError,
} from "./database.ts";
import accessSchema from "./access.sql" with { type: "text" };
import consoleSchema from "./access-console.sql" with { type: "text" };
import { createAuditStore } from "./audit.ts";
import { createOAuthStore } from "./oauth.ts";
import { createSessionStore } from "./sessions.ts";
import { createTokenStore } from "./tokens.ts";
import { createUsageStore } from "./usage.ts";
import { createUserStore } from "./users.ts";
import type { Work } from "./work.ts";

/** The schema of `access.db`. */
export const ACCESS: Schema = {
  name: "access",
  applicationId: 0x62_6f_75_61, // "boua"
  migrations: [accessSchema, consoleSchema],
  // A write of a counter logs a page. A small page makes it a quarter to a half cheaper.
  pageBytes: 1_024,
  isPrecious: true,
};

/** The store of users, tokens, sessions and clients; the engine is SQLite or Postgres. */
export interface AccessStore {
  /**
   * Runs work outside of a transaction. SQLite runs all of it at once and returns the value; Postgres returns a
   * promise. An error of a statement is thrown at its `yield`.
   */
  run<T>(work: Work<T>): Awaitable<T>;
  /**
   * Runs work in one transaction that no other one overlaps, of this or another process. An error undoes all
   * of it.
   */
  transaction<T>(work: () => Work<T>): Awaitable<T>;
  /**
   * A number that changes whenever a user or a token may have changed: by a transaction of this store or of
   * another process.
   */
  version(): number;
  /** A BourseError in one sentence if the database is the cause, else the error itself. */
  toUserError(error: unknown): unknown;
  close(): Awaitable<void>;
}

/** The store in `access.db`. Every page of its file is checked when it is opened. */
export type AccessFile = ReturnType<typeof openAccess>;

/**
 * Opens `access.db` in the data folder and creates it if it is missing.
 *
 * A statement waits `busyTimeoutMs` for a lock of another process and then throws an error that
 * `isDatabaseBusy` recognises. The wait blocks the thread, so a service sets a short one.
 */
export function openAccess(
  folder: string,
  { busyTimeoutMs = BUSY_TIMEOUT_MS, onUpgrade }: OpenOptions = {},
) {
  const path = join(folder, "access.db");
  const database = openDatabase(path, ACCESS, { busyTimeoutMs, onUpgrade });
  const dataVersion = database.query<{ data_version: number }, []>("PRAGMA data_version");
  /** As read in this turn of the event loop; null before the first read. */
  let othersChanges: number | null = null;
  let ownChanges = 0;
  const onChange = () => void ownChanges++;
  return {
    users: createUserStore(database, onChange),
    tokens: createTokenStore(database, onChange),
    usage: createUsageStore(database, busyTimeoutMs),
    oauth: createOAuthStore(database),
    audit: createAuditStore(database),
    sessions: createSessionStore(database),
    /** Runs `work` in one transaction that no other process writes into; an error undoes all of it. */
    transaction: <T>(work: () => T): T => database.transaction(work).immediate(),
    /**
     * A number that grows whenever a user or a token may have changed: by a write of this store or of
     * another process.
     */
    version: (): number => {
      // The query takes a third of the time of a request, so it runs once in each turn of the event
      // loop. Requests that arrive within one turn were sent before any change within it.
      if (othersChanges === null) {
        othersChanges = dataVersion.get()?.data_version ?? 0;
        setImmediate(() => (othersChanges = null));
      }
      return othersChanges + ownChanges;
    },
    schemaVersion: () => schemaVersion(database),
    /** Throws BourseError if the file was removed or replaced since it was opened. */
    checkFile: createFileCheck(path),
    /** A BourseError that names the file if the file is the cause, else the error itself. */
    toUserError: (error: unknown): unknown => toUserError(path, error),
    close: () => database.close(),
  };
}
