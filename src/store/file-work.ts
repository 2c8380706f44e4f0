import type { Database } from "bun:sqlite";
import {
  changesDocuments,
  changesTokens,
  type SqlValue,
  type SqlStatement,
  type SqlResult,
  type Work,
} from "./work.ts";

/** Runs a statement of work on a database and returns its result. */
type Execute = (statement: SqlStatement) => SqlResult;

/**
 * Creates the function that runs work on a migrated database: all of it at once, before the function returns.
 * Each text is compiled once. The texts are constants, so they are few.
 *
 * @param onChange is called with each statement that changes users, tokens or documents, before it runs
 */
export function createFileRunner(
  database: Database,
  onChange: (sql: string) => void,
): <T>(work: Work<T>) => T {
  const compiled = new Map<string, Execute>();
  const execute: Execute = ({ sql, values }) => {
    let one = compiled.get(sql);
    if (!one) compiled.set(sql, (one = compile(database, sql, onChange)));
    return one({ sql, values });
  };
  return (work) => {
    let step = work.next();
    while (!step.done) {
      let result: SqlResult;
      try {
        result = execute(step.value);
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(result);
    }
    return step.value;
  };
}

function compile(database: Database, sql: string, onChange: (sql: string) => void): Execute {
  const statement = database.query<unknown, Record<string, SqlValue>>(sql);
  const run: Execute =
    statement.columnNames.length === 0
      ? ({ values }) => ({ rows: [], changes: statement.run(values).changes })
      : ({ values }) => {
          const rows = statement.all(values);
          return { rows, changes: rows.length };
        };
  if (!changesTokens(sql) && !changesDocuments(sql)) return run;
  return (one) => {
    onChange(sql);
    return run(one);
  };
}
