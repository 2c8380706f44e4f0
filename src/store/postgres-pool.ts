import { existsSync } from "node:fs";
import { BourseError } from "#domain/errors.ts";

/** Connections for statements, each with one statement at a time. */
export const CONNECTIONS = 2;
/** The server itself ends a statement after this time. It answers, so the connection is kept. */
const SERVER_STATEMENT_MS = 900;
/** The server ends a transaction of a node that was stopped or cut off, so that its locks are free. */
const IDLE_TRANSACTION_MS = 2_000;
/** The server checks a silent connection after this time, in seconds. Most networks forget it after minutes. */
const KEEPALIVE_S = 60;
/** The schema of all tables. */
export const SEARCH_PATH = "bourse";

/** The address with the default of `sslmode`. @throws BourseError if it is wrong */
export function checkAddress(url: string): string {
  if (!/^postgres(ql)?:\/\/[^/]/.test(url) || !URL.canParse(url))
    throw unusable("is not a Postgres address");
  const rootCertificate = new URL(url).searchParams.get("sslrootcert");
  if (rootCertificate !== null && !existsSync(rootCertificate))
    throw unusable(`names the certificate ${rootCertificate} (sslrootcert), which does not exist`);
  const address = new URL(url);
  if (!address.searchParams.has("sslmode")) address.searchParams.set("sslmode", "prefer");
  return address.href;
}

/** Opens connections to the server when they are needed. `onBroken` is told why one closed. */
export function createPool(url: string, onBroken: (error: Error | null) => unknown): Bun.SQL {
  let connected = 0;
  return new Bun.SQL({
    url,
    max: CONNECTIONS,
    onconnect: () => void connected++,
    onclose: (error) => {
      // The statement that waits for a connection learns why that cannot be opened.
      if (connected === 0) return;
      connected--;
      onBroken(error);
    },
    connection: {
      application_name: "bourse",
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
    },
  });
}

/** The error for an address or a server that cannot be used; `problem` follows the name of the setting. */
export function unusable(problem: string): BourseError {
  const text = `BOURSE_CLUSTER ${problem}. Set it to postgres://user:password@host:5432/database of a running server.`;
  return new BourseError("unavailable", text);
}
