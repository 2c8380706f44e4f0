import type { Postgres } from "./postgres.ts";

/** What an operator must know of the database of a cluster. */
export interface PostgresState {
  /** The database's clock, UTC milliseconds. */
  readonly now: number;
  /** The version of the server: `15.18 (Debian 15.18-0+deb12u1)`. */
  readonly version: string;
  /** The stored version of each area of tables; null if there are no tables of bourse yet. */
  readonly schemas: ReadonlyMap<string, number> | null;
  /** True if every user of the server may connect to the database. */
  readonly isOpenToAll: boolean;
  /** The version of TLS of this connection; null in clear text. */
  readonly tls: string | null;
}

const STATE = `SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS now,
  current_setting('server_version') AS version,
  has_database_privilege('public', current_database(), 'CONNECT') AS "isOpenToAll",
  (SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl) AS tls,
  to_regclass('bourse.schema_versions') IS NOT NULL AS "hasTables"`;

const SCHEMAS = "SELECT area, version FROM schema_versions";

/** Reads the state of a cluster's database and changes nothing. @throws BourseError as `Postgres.query` */
export async function readPostgresState(postgres: Postgres): Promise<PostgresState> {
  const [row] = await postgres.query<PostgresState & { hasTables: boolean }>(STATE);
  if (!row) throw new Error("The database returned no row.");
  const { hasTables, ...state } = row;
  const areas = hasTables ? await postgres.query<{ area: string; version: number }>(SCHEMAS) : null;
  return { ...state, schemas: areas && new Map(areas.map(({ area, version }) => [area, version])) };
}
