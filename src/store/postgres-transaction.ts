import type { PostgresValue } from "./postgres-statement.ts";
import type { Work } from "./work.ts";

/** The statements of one transaction. It ends when the work ends. */
export interface PostgresTransaction {
  /** As `Postgres.query`, inside the transaction. */
  query<Row>(sql: string, values?: readonly PostgresValue[]): Promise<Row[]>;
  /** As `Postgres.run`, inside the transaction. */
  run<T>(work: Work<T>, before?: (sql: string) => void): Promise<T>;
  /** Runs several statements without parameters, separated by semicolons. */
  runScript(sql: string): Promise<void>;
}

/**
 * The statements by which transactions lock, so that no two of a kind overlap in the cluster. They lock rows
 * and tables, which needs a right on them. Any user of a database can take an advisory lock.
 */
export const LOCKS = {
  schema: "LOCK TABLE schema_versions IN SHARE ROW EXCLUSIVE MODE",
  access: "SELECT FROM access_version FOR UPDATE",
} as const;

/** How a transaction runs. */
export interface TransactionOptions {
  /** `READ COMMITTED` if absent. */
  readonly isolation?: "REPEATABLE READ";
  /** How long each of its statements may take; one second if absent. */
  readonly statementMs?: number;
  /** A lock that it takes first and holds until its end. */
  readonly lock?: (typeof LOCKS)[keyof typeof LOCKS];
}
