import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";

/**
 * Makes `query` of a connection prepare its statement when that first runs: a start of the service runs few of the
 * statements of its stores. Returns the connection.
 */
export function prepareLate(database: Database): Database {
  const prepare: (sql: string) => Statement = database.query.bind(database);
  const query = (sql: string): Used => new LateStatement(() => prepare(sql));
  return Object.assign(database, { query });
}

/** What the stores use of a statement. */
type Used = Pick<Statement, "get" | "all" | "values" | "run" | "iterate" | "columnNames">;

class LateStatement implements Used {
  readonly #prepare: () => Statement;
  #prepared: Statement | null = null;

  constructor(prepare: () => Statement) {
    this.#prepare = prepare;
  }

  get #statement(): Statement {
    return (this.#prepared ??= this.#prepare());
  }

  get columnNames() {
    return this.#statement.columnNames;
  }

  get(...values: SQLQueryBindings[]) {
    return this.#statement.get(...values);
  }

  all(...values: SQLQueryBindings[]) {
    return this.#statement.all(...values);
  }

  values(...values: SQLQueryBindings[]) {
    return this.#statement.values(...values);
  }

  run(...values: SQLQueryBindings[]) {
    return this.#statement.run(...values);
  }

  iterate(...values: SQLQueryBindings[]) {
    return this.#statement.iterate(...values);
  }
}
