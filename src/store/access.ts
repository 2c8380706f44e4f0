import { join } from "node:path";
import type { Awaitable } from "#lib/awaitable.ts";
import {
  BUSY_TIMEOUT_MS,
  type OpenOptions,
  openDatabase,
  type Schema,
  toUserError,
} from "./database.ts";
import accessSchema from "./access.sql" with { type: "text" };
import alertsSchema from "./access-alerts.sql" with { type: "text" };
import briefsSchema from "./access-briefs.sql" with { type: "text" };
import consoleSchema from "./access-console.sql" with { type: "text" };
import datedSchema from "./access-dated.sql" with { type: "text" };
import documentsSchema from "./access-documents.sql" with { type: "text" };
import identitiesSchema from "./access-identities.sql" with { type: "text" };
import invitationsSchema from "./access-invitations.sql" with { type: "text" };
import listsSchema from "./access-lists.sql" with { type: "text" };
import outboxSchema from "./access-outbox.sql" with { type: "text" };
import refusalsSchema from "./access-refusals.sql" with { type: "text" };
import rightsSchema from "./access-rights.sql" with { type: "text" };
import { createFileCheck } from "./file-check.ts";
import { createFileUsage, type FileUsage } from "./file-usage.ts";
import { createFileRunner } from "./file-work.ts";
import { readLinkSecret } from "./link-secret.ts";
import type { SessionUse, StoredSession } from "./sessions.ts";
import { changesDocuments, changesTokens, type Work } from "./work.ts";

/** The schema of `access.db`. */
export const ACCESS: Schema = {
  name: "access",
  applicationId: 0x62_6f_75_61, // "boua"
  migrations: [
    accessSchema,
    consoleSchema,
    documentsSchema,
    rightsSchema,
    listsSchema,
    briefsSchema,
    datedSchema,
    // All are new in one release.
    alertsSchema + refusalsSchema,
    identitiesSchema + outboxSchema + invitationsSchema,
  ],
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
   * Runs work in one transaction that no other one overlaps, of this or another process. An error undoes the
   * whole transaction.
   */
  transaction<T>(work: () => Work<T>): Awaitable<T>;
  /**
   * The live session of each hash, or null, in order; notes their use. Only a store whose statements are round
   * trips has it: one statement for all.
   */
  findSessions?(
    hashes: readonly Uint8Array[],
    use: SessionUse,
  ): Promise<readonly (StoredSession | null)[]>;
  /** Folds rows of the history: see `FileUsage.foldHour`. */
  foldHour(hour: number, limit: number): Awaitable<number>;
  /**
   * A number that changes whenever a user or a token may have changed: by this store or by another process.
   */
  version(): number;
  /**
   * A number that changes whenever a document of a user may have changed: by this store or by another process. Only a store
   * that knows it without a statement has it.
   */
  documentsVersion?(): number;
  /** The key of links to files: the same for all processes and nodes, and in no backup. */
  linkSecret(): Awaitable<Uint8Array>;
  /** A BourseError in one sentence if the database is the cause, else the error itself. */
  toUserError(error: unknown): unknown;
  close(): Awaitable<void>;
}

/** The store in `access.db`: nothing of it returns a promise. */
export interface AccessFile extends AccessStore {
  run<T>(work: Work<T>): T;
  transaction<T>(work: () => Work<T>): T;
  linkSecret(): Uint8Array;
  foldHour(hour: number, limit: number): number;
  readonly usage: FileUsage;
  /** Throws BourseError if the file was removed or replaced since it was opened. */
  checkFile(): void;
  close(): void;
}

/**
 * Opens `access.db` in the data folder and creates it if it is missing. Every page of the file is checked.
 *
 * A statement waits `busyTimeoutMs` for a lock of another process and then throws an error that
 * `isDatabaseBusy` recognises. The wait blocks the thread, so a service sets a short one.
 */
export function openAccess(
  folder: string,
  { busyTimeoutMs = BUSY_TIMEOUT_MS, onUpgrade }: OpenOptions = {},
): AccessFile {
  const path = join(folder, "access.db");
  const database = openDatabase(path, ACCESS, { busyTimeoutMs, onUpgrade });
  const dataVersion = database.query<{ data_version: number }, []>("PRAGMA data_version");
  /** As read in this turn of the event loop; null before the first read. */
  let othersChanges: number | null = null;
  const own = { tokens: 0, documents: 0 };
  const run = createFileRunner(database, (sql) => {
    if (changesTokens(sql)) own.tokens++;
    if (changesDocuments(sql)) own.documents++;
  });
  const usage = createFileUsage(database, run, busyTimeoutMs);
  return {
    run,
    transaction: (work) => database.transaction(() => run(work())).immediate(),
    usage,
    foldHour: usage.foldHour,
    version: () => findOthersChanges() + own.tokens,
    documentsVersion: () => findOthersChanges() + own.documents,
    linkSecret: () => readLinkSecret(folder),
    checkFile: createFileCheck(path, database),
    toUserError: (error) => toUserError(path, error),
    close: () => database.close(),
  };

  function findOthersChanges(): number {
    // The query takes a third of the time of a request, so it runs once in each turn of the event
    // loop. Requests that arrive within one turn were sent before any change within it. A mapped
    // log index would cost less, but closing its file would drop SQLite's locks on it.
    if (othersChanges === null) {
      othersChanges = dataVersion.get()?.data_version ?? 0;
      setImmediate(() => (othersChanges = null));
    }
    return othersChanges;
  }
}
