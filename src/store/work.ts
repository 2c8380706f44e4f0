/** A value that SQLite and Postgres store alike. */
export type SqlValue = string | number | null | Uint8Array;

/** One statement, in SQL that SQLite and Postgres both understand. Parameters are named: `$userId`. */
export interface SqlStatement {
  readonly sql: string;
  readonly values: Readonly<Record<string, SqlValue>>;
}

/** What a statement returned. */
export interface SqlResult {
  readonly rows: readonly unknown[];
  /** The number of rows that it inserted, updated or deleted. */
  readonly changes: number;
}

/**
 * Work on a database, independent of the engine. It yields statements and receives their results. SQLite
 * runs all of it at once, so nothing can happen in between; Postgres awaits each statement. The error of a
 * statement is thrown at its `yield`.
 */
export type Work<T> = Generator<SqlStatement, T, SqlResult>;

/** True for a statement that changes users or tokens. */
export function changesTokens(sql: string): boolean {
  return /^\s*(?:INSERT INTO|UPDATE|DELETE FROM) (?:users|tokens)\b/.test(sql);
}

/** True for a statement that changes documents of users. */
export function changesDocuments(sql: string): boolean {
  return /^\s*(?:INSERT INTO|UPDATE|DELETE FROM) (?:users|user_documents)\b/.test(sql);
}

type Values = SqlStatement["values"];

/** The rows of a statement, in its order. Aliases need quotes to keep their letter case: `AS "createdAt"`. */
export function* listRows<Row>(sql: string, values: Values = {}): Work<Row[]> {
  const { rows } = yield { sql, values };
  return rows as Row[];
}

/** The first row of a statement, or null. */
export function* findRow<Row>(sql: string, values: Values = {}): Work<Row | null> {
  const [row = null] = yield* listRows<Row>(sql, values);
  return row;
}

/** Runs a statement for its effect; returns the number of rows that it changed. */
export function* runStatement(sql: string, values: Values = {}): Work<number> {
  const { changes } = yield { sql, values };
  return changes;
}
