import { Database } from "bun:sqlite";
import { unavailable } from "#domain/errors.ts";
import { ACCESS } from "./access.ts";
import {
  copyInto,
  openReader,
  refuseOtherFormat,
  schemaVersion,
  withUserErrors,
} from "./database.ts";
import { createFileRunner } from "./file-work.ts";
import { CLUSTER_ID, LOG_FINGERPRINT, LOG_NUMBER, MARKET } from "./market.ts";
import { countUsedClients } from "./oauth.ts";

/** The database files of a data folder. */
export const DATABASES = { "access.db": ACCESS, "market.db": MARKET } as const;

/** The name of a database file. */
export type DatabaseName = keyof typeof DATABASES;

/** What a database file contains. */
export interface DatabaseContent {
  /** The number of migrations that have run on it. */
  readonly schema: number;
  /** The number of rows of each table, by name. */
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * Copies a database file as it is at this moment, while other processes read and write it. Blocks the
 * thread until all is copied. Only the owner can read the copy.
 *
 * @param copy a path where no file is
 * @throws BourseError with one sentence if the file is missing or damaged, belongs to another program, was
 * written by a newer version, or the copy cannot be written
 */
export function copyDatabase(path: string, copy: string, name: DatabaseName): void {
  withUserErrors(path, () => {
    const database = openReader(path);
    try {
      refuseOtherFormat(database, path, DATABASES[name]);
      copyInto(database, copy);
    } finally {
      database.close();
    }
  });
}

/**
 * Reads every page of a copy and counts its rows.
 *
 * @throws BourseError as `copyDatabase`
 */
export function inspectDatabase(path: string, name: DatabaseName): DatabaseContent {
  return withUserErrors(path, () => {
    const database = openReader(path);
    try {
      refuseOtherFormat(database, path, DATABASES[name]);
      const report = database
        .query<{ integrity_check: string }, []>("PRAGMA integrity_check")
        .get();
      if (report?.integrity_check !== "ok") {
        throw unavailable(`${path} is damaged.`);
      }
      return { schema: schemaVersion(database), rows: countRows(database) };
    } finally {
      database.close();
    }
  });
}

/**
 * Opens a database file and counts the rows of one table, without reading the rest.
 *
 * @throws BourseError as `copyDatabase`
 */
export function glanceAtDatabase(
  path: string,
  name: DatabaseName,
  table: string,
): { readonly schema: number; readonly count: number } {
  return withUserErrors(path, () => {
    const database = openReader(path);
    try {
      refuseOtherFormat(database, path, DATABASES[name]);
      return { schema: schemaVersion(database), count: countOf(database, table) };
    } finally {
      database.close();
    }
  });
}

/**
 * Checks that a database file of an archive has only the triggers and views of its migrations, because
 * SQLite would run them with the next statement.
 *
 * @throws BourseError that names the first other one; also as `copyDatabase`
 */
export function refuseForeignCode(path: string, name: DatabaseName): void {
  withUserErrors(path, () => {
    const database = openReader(path);
    using own = new Database(":memory:");
    try {
      for (const script of DATABASES[name].migrations.slice(0, schemaVersion(database)))
        own.run(script);
      const known = new Map(listCode(own).map((one) => [one.name, one.sql]));
      const foreign = listCode(database).find((one) => known.get(one.name) !== one.sql);
      if (!foreign) return;
      throw unavailable(
        `${name} of the archive has a ${foreign.type} that is not of bourse (${foreign.name.slice(0, 64)}); nothing was restored.`,
      );
    } finally {
      database.close();
    }
  });
}

function listCode(database: Database) {
  return database
    .query<{ type: string; name: string; sql: string }, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view') ORDER BY name",
    )
    .all();
}

/** The number of registered OAuth clients with a live token at `now` (UTC milliseconds) in an `access.db`. */
export function countPlacesTaken(path: string, now: number): number {
  return withUserErrors(path, () => {
    const database = openReader(path);
    try {
      // The first version had none of them.
      return schemaVersion(database) < 2
        ? 0
        : createFileRunner(database, () => {})(countUsedClients(now));
    } finally {
      database.close();
    }
  });
}

/** The tables of what signs a person in without a password or a token. */
const SIGN_INS = ["sessions", "sign_in_keys", "oauth_codes", "invitations"];

/**
 * Ends the sessions, sign-in links, codes of OAuth and invitations in a copy of `access.db`: one that was stolen or used,
 * and ended after the copy was made, must not become valid again.
 *
 * @throws BourseError as `copyDatabase`
 */
export function endSignIns(path: string): void {
  withUserErrors(path, () => {
    const database = new Database(path);
    try {
      const has = database.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
      // An older version does not have all of them.
      for (const table of SIGN_INS)
        if (has.get(table) !== null) database.run(`DELETE FROM ${table}`);
    } finally {
      database.close();
    }
  });
}

function countRows(database: Database): Record<string, number> {
  const tables = database
    .query<{ name: string }, []>(
      `SELECT name FROM sqlite_schema
       WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name`,
    )
    .all();
  return Object.fromEntries(tables.map(({ name }) => [name, countOf(database, name)]));
}

function countOf(database: Database, table: string): number {
  const [count] = database.query(`SELECT count(*) FROM "${table}"`).values()[0] ?? [];
  return Number(count);
}

/** True if that file is a node's `market.db`. False if it is missing or cannot be read. */
export function isMarketOfCluster(path: string): boolean {
  try {
    const database = openReader(path);
    try {
      return database.query("SELECT 1 FROM settings WHERE name = ?").get(CLUSTER_ID) !== null;
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

/**
 * Makes a copy of a node's `market.db` a market of one machine, so that it can be used without the cluster.
 *
 * @throws BourseError as `copyDatabase`
 */
export function leaveCluster(path: string): void {
  withUserErrors(path, () => {
    const database = new Database(path);
    try {
      const names = [CLUSTER_ID, LOG_NUMBER, LOG_FINGERPRINT];
      database.query("DELETE FROM settings WHERE name IN (?, ?, ?)").run(...names);
    } finally {
      database.close();
    }
  });
}
