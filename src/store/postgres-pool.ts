import { existsSync } from "node:fs";
import { type BourseError, unavailable } from "#domain/errors.ts";
import { parseAddress, type PostgresAddress } from "#lib/postgres-address.ts";

/** The server itself ends a statement after this time. It answers, so the connection is kept. */
const SERVER_STATEMENT_MS = 900;
/** The server ends a transaction of a node that was stopped or cut off, so that its locks are free. */
const IDLE_TRANSACTION_MS = 2_000;
/** The server checks a silent connection after this time, in seconds. Most networks forget it after minutes. */
const KEEPALIVE_S = 60;
/** The schema of all tables. */
export const SEARCH_PATH = "bourse";

/**
 * What the statements rely on. A connection pooler refuses them at the start of a connection, so they are
 * also set by a statement.
 */
const SETTINGS = {
  search_path: SEARCH_PATH,
  // Other defaults of the database would refuse calls that two nodes count at the same moment, and lose
  // counted calls in a crash.
  default_transaction_isolation: "read committed",
  synchronous_commit: "on",
  // A plan that was made while a table was small is kept while the table grows.
  enable_seqscan: "off",
  // Small tables without statistics look large to the planner, and compiling a statement takes 500 ms.
  jit: "off",
  // Planning again takes most of the time of a statement for one token.
  plan_cache_mode: "force_generic_plan",
  // A network that forgets idle connections would cut off the listening one without an error.
  tcp_keepalives_idle: String(KEEPALIVE_S),
  statement_timeout: String(SERVER_STATEMENT_MS),
  idle_in_transaction_session_timeout: String(IDLE_TRANSACTION_MS),
} as const;

/** Gives a connection the settings. */
export const CONFIGURE = `SELECT ${Object.entries(SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(", ")}`;

const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/** The address with the default of `sslmode`. @throws BourseError if it is wrong */
export function checkAddress(text: string): PostgresAddress {
  const address = parseAddress(text);
  if (address === null) throw unusable("is not a Postgres address");
  const { url, socket } = address;
  const rootCertificate = url.searchParams.get("sslrootcert");
  if (rootCertificate !== null && !existsSync(rootCertificate))
    throw unusable(`names the certificate ${rootCertificate} (sslrootcert), which does not exist`);
  const mode = url.searchParams.get("sslmode");
  if (mode !== null && !SSL_MODES.includes(mode))
    throw unusable(`has the sslmode ${mode}, which is none of ${SSL_MODES.join(", ")}`);
  if (mode === null) url.searchParams.set("sslmode", socket === null ? "prefer" : "disable");
  return address;
}

/** How a pool connects. */
export interface PoolOptions {
  readonly address: PostgresAddress;
  /** All of them are opened at once. */
  readonly connections: number;
  /** True if the settings must be set by statements. */
  readonly isPooled: boolean;
  /** Called when a connection closes, with the reason. */
  readonly onBroken: (error: Error | null) => unknown;
}

/** Opens connections to the server when they are needed. */
export function createPool({ address, connections, isPooled, onBroken }: PoolOptions): Bun.SQL {
  let connected = 0;
  return new Bun.SQL({
    url: address.url,
    ...(address.socket !== null && { path: address.socket }),
    max: connections,
    onconnect: () => void connected++,
    onclose: (error) => {
      // The statement that waits for a connection learns why that cannot be opened.
      if (connected === 0) return;
      connected--;
      onBroken(error);
    },
    connection: { application_name: "bourse", ...(!isPooled && SETTINGS) },
  });
}

/** The error for an address or a server that cannot be used; `problem` follows the name of the setting. */
export function unusable(problem: string): BourseError {
  const text = `BOURSE_CLUSTER ${problem}. Set it to postgres://user:password@host:5432/database of a running server.`;
  return unavailable(text);
}
