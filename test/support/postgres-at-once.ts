import { deserialize } from "bun:jsc";
import { changesTokens, type SqlStatement, type SqlResult, type Work } from "#store/work.ts";

/** The state of the shared memory: waiting for the worker, a result, or an error. */
const WAITING = 0;
export const DONE = 1;
export const FAILED = 2;
/** Int32 numbers at the start of the shared memory: the state and the length of the answer. */
export const HEAD_BYTES = 8;
const MEMORY_BYTES = 4 * 2 ** 20;

/**
 * The access store in Postgres for tests, whose methods return values as those of SQLite. The thread waits
 * while a worker runs each statement, so this is no store for a service.
 */
export class PostgresAtOnce {
  readonly #memory = new SharedArrayBuffer(MEMORY_BYTES);
  readonly #head = new Int32Array(this.#memory, 0, 2);
  readonly #worker: Worker;
  /** The number of statements that have changed users or tokens. */
  changes = 0;

  /** @param url `postgres://user@host:port/database`, whose schema exists */
  constructor(url: string) {
    this.#worker = new Worker(new URL("postgres-worker.ts", import.meta.url));
    this.#worker.unref();
    this.#send({ url, memory: this.#memory });
  }

  /** Runs one statement and returns its result. */
  execute(sql: string, values: SqlStatement["values"] = {}): SqlResult {
    const result = this.#send({ sql, values });
    if (changesTokens(sql)) this.changes++;
    return result;
  }

  /** As `AccessStore.run`. */
  run<T>(work: Work<T>): T {
    let step = work.next();
    while (!step.done) {
      let result: SqlResult;
      try {
        result = this.execute(step.value.sql, step.value.values);
      } catch (error) {
        step = work.throw(error);
        continue;
      }
      step = work.next(result);
    }
    return step.value;
  }

  /** As `AccessStore.transaction`. */
  transaction<T>(work: () => Work<T>): T {
    this.execute("BEGIN");
    try {
      const result = this.run(work());
      this.execute("COMMIT");
      return result;
    } catch (error) {
      this.execute("ROLLBACK");
      throw error;
    }
  }

  /** Ends the worker. */
  close(): void {
    this.#worker.terminate();
  }

  #send(message: object): SqlResult {
    Atomics.store(this.#head, 0, WAITING);
    this.#worker.postMessage(message);
    Atomics.wait(this.#head, 0, WAITING);
    const answer = new Uint8Array(this.#memory, HEAD_BYTES, this.#head[1]).slice();
    const value: unknown = deserialize(answer);
    if (this.#head[0] === FAILED) throw new Error(String(value));
    return value as SqlResult;
  }
}
