import { type BourseError, unavailable } from "#domain/errors.ts";
import type { Postgres } from "./postgres.ts";
import { LOCKS } from "./postgres-transaction.ts";
import { refusalCode } from "./postgres-failure.ts";
import sharedSchema from "./postgres.sql" with { type: "text" };
import versionsTable from "./postgres-versions.sql" with { type: "text" };

/**
 * The tables of one area of a cluster's database: the access store, the market log.
 *
 * All areas are in the Postgres schema `bourse`, which is the search path, so names need no prefix and must
 * differ between areas. `cluster_now()` is the clock of the cluster, UTC milliseconds.
 */
export interface PostgresSchema {
  /** The name of the area in error messages. */
  readonly name: string;
  /**
   * SQL scripts in order. The stored version of the area is the number of scripts that have run. A script
   * that was released never changes. A new one may only add to the tables, because nodes of the version
   * before it still run during an upgrade.
   */
  readonly migrations: readonly string[];
}

/** How long a statement of a script, or the wait for the migration of another node, may take. */
const MIGRATION_MS = 60_000;
/** SQLSTATE. */
const INSUFFICIENT_PRIVILEGE = "42501";

/**
 * Brings the tables of an area up to date. If several nodes start at the same time, one runs the scripts
 * and the others wait. A failed script changes nothing.
 *
 * @throws BourseError `unavailable` if a newer bourse has changed the tables, if the user may not create
 * tables, or if the database cannot be used
 */
export async function migratePostgres(
  postgres: Postgres,
  { name, migrations }: PostgresSchema,
): Promise<void> {
  await createVersions(postgres);
  const migrated = postgres.transaction(
    async (transaction) => {
      await transaction.runScript(sharedSchema);
      const [row] = await transaction.query<{ version: number }>(
        "SELECT version FROM schema_versions WHERE area = $1",
        [name],
      );
      const version = row?.version ?? 0;
      if (version > migrations.length) throw tooOld(name, version, migrations.length);
      if (version === migrations.length) return;
      for (const script of migrations.slice(version)) await transaction.runScript(script);
      await transaction.query(
        `INSERT INTO schema_versions (area, version) VALUES ($1, $2)
         ON CONFLICT (area) DO UPDATE SET version = excluded.version`,
        [name, migrations.length],
      );
    },
    { lock: LOCKS.schema, statementMs: MIGRATION_MS },
  );
  await migrated.catch(explain);
}

/** Creates the table that migrations lock, unless it is there. */
async function createVersions(postgres: Postgres): Promise<void> {
  const isThere = async () => {
    const sql = "SELECT to_regclass('bourse.schema_versions') IS NOT NULL AS \"isThere\"";
    const [row] = await postgres.query<{ isThere: boolean }>(sql);
    return row?.isThere === true;
  };
  if (await isThere()) return;
  try {
    await postgres.transaction((transaction) => transaction.runScript(versionsTable));
  } catch (error) {
    // Another node may have created it at the same time.
    if (!(await isThere())) explain(error);
  }
}

function explain(error: unknown): never {
  throw refusalCode(error) === INSUFFICIENT_PRIVILEGE ? forbidden() : error;
}

function forbidden(): BourseError {
  return unavailable(
    "The user in BOURSE_CLUSTER may not create tables. Let the user own the database: ALTER DATABASE … OWNER TO ….",
  );
}

function tooOld(name: string, version: number, known: number): BourseError {
  return unavailable(
    `The cluster's database was upgraded by a newer bourse (${name}: schema ${version}, this one knows ${known}); upgrade bourse on this machine.`,
  );
}
