import type { SqlStatement, SqlValue, SqlResult, Work } from "./work.ts";

/** A value of a parameter. An array needs a cast in the statement: `$1::integer[]`. */
export type PostgresValue = SqlValue | readonly SqlValue[];

/** What Bun.SQL resolves with: the rows, with properties of the statement. */
export type PostgresAnswer = readonly unknown[] & {
  readonly command: string;
  readonly count: number;
};
/** Sends a statement with its parameters. */
export type Sender = (sql: string, values: readonly PostgresValue[]) => Promise<PostgresAnswer>;

/** The rows of an answer. */
export const rowsOf = <Row>(answer: PostgresAnswer): Row[] => [...(answer as readonly Row[])];

/** Postgres cannot store the character 0. Only a hostile text has it. */
export const toStorable = (value: SqlValue): SqlValue =>
  typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value;

/** Runs work that both engines understand, each statement by `send`. */
export async function perform<T>(
  work: Work<T>,
  send: Sender,
  before?: (sql: string) => void,
): Promise<T> {
  let step = work.next();
  while (!step.done) {
    let result: SqlResult;
    before?.(step.value.sql);
    try {
      const { sql, values } = numbered(step.value);
      const answer = await send(sql, values);
      result = { rows: rowsOf(answer), changes: answer.count };
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    step = work.next(result);
  }
  return step.value;
}

interface NumberedText {
  readonly sql: string;
  readonly names: readonly string[];
}

/** By the text of the statement; there are as many as in the source code. */
const numberedTexts = new Map<string, NumberedText>();

/** The statement with `$1` and so on for its named parameters. */
function numbered({ sql, values }: SqlStatement): { sql: string; values: SqlValue[] } {
  let text = numberedTexts.get(sql);
  if (!text) {
    const names: string[] = [];
    const numberOf = (name: string) => names.indexOf(name) + 1 || names.push(name);
    text = {
      sql: sql.replace(/\$([A-Za-z]\w*)/g, (_, name: string) => `$${numberOf(name)}`),
      names,
    };
    numberedTexts.set(sql, text);
  }
  return {
    sql: text.sql,
    values: text.names.map((name) => {
      const value = values[name];
      if (value === undefined) throw new Error(`The statement has no value for $${name}.`);
      return value;
    }),
  };
}
