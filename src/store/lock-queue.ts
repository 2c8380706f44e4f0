import { isDatabaseBusy } from "#domain/errors.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import type { AccessFile, AccessStore } from "./access.ts";
import type { SqlResult, SqlStatement, Work } from "./work.ts";

/** How long work waits for a lock of another process in all. A `token create` holds it for milliseconds. */
const WAIT_MS = 3_000;
/** The pause between two attempts. */
const PAUSE_MS = 20;

/** How a queue waits. */
export interface LockQueueOptions {
  readonly waitMs?: number;
  readonly sleep?: (ms: number) => Promise<void>;
}

/**
 * Repeats work on a file that another process keeps locked, without blocking the thread. Only one work tries the
 * file; the others wait for its attempt, so a locked file costs one attempt for each pause.
 */
export class LockQueue {
  readonly #waitMs: number;
  readonly #sleep: (ms: number) => Promise<void>;
  /** The pause before the next attempt; null if the file was free at the last one. */
  #pause: Promise<void> | null = null;

  constructor({ waitMs = WAIT_MS, sleep = Bun.sleep }: LockQueueOptions = {}) {
    this.#waitMs = waitMs;
    this.#sleep = sleep;
  }

  /**
   * The result of the work: at once if the file is free, else a promise.
   *
   * @throws Error that `isDatabaseBusy` recognises, in the promise, if the file stays locked
   */
  run<T>(work: () => T): Awaitable<T> {
    if (this.#pause) return this.#runLater(work, null);
    try {
      return work();
    } catch (error) {
      if (!isDatabaseBusy(error)) throw error;
      return this.#runLater(work, error);
    }
  }

  async #begin(): Promise<void> {
    await this.#sleep(PAUSE_MS);
    this.#pause = null;
  }

  #isPaused(): boolean {
    return this.#pause !== null;
  }

  async #runLater<T>(work: () => T, first: unknown): Promise<T> {
    let busy = first;
    for (let waitedMs = 0; waitedMs < this.#waitMs; waitedMs += PAUSE_MS) {
      await (this.#pause ??= this.#begin());
      // Another work that waited for this pause has found the file locked again.
      if (this.#isPaused()) continue;
      try {
        return work();
      } catch (error) {
        if (!isDatabaseBusy(error)) throw error;
        busy = error;
      }
    }
    // Work that never had its turn tries once.
    if (busy === null) return work();
    throw busy;
  }
}

/** An access file whose writes wait in a queue while another process keeps it locked. Reads never wait. */
export function withLockQueue(access: AccessFile, queue: LockQueue): AccessStore {
  const execute = (statement: SqlStatement) => {
    const work = () => access.run(oneStatement(statement));
    return /^\s*SELECT\b/i.test(statement.sql) ? work() : queue.run(work);
  };
  return {
    ...access,
    run: (work) => runFrom(work, () => work.next(), execute),
    transaction: (work) => queue.run(() => access.transaction(work)),
    foldHour: (hour, limit) => queue.run(() => access.foldHour(hour, limit)),
  };
}

function* oneStatement(statement: SqlStatement): Work<SqlResult> {
  return yield statement;
}

/** Runs the rest of a work, whose next statement `advance` gives. */
function runFrom<T>(
  work: Work<T>,
  advance: () => IteratorResult<SqlStatement, T>,
  execute: (statement: SqlStatement) => Awaitable<SqlResult>,
): Awaitable<T> {
  let step = advance();
  while (!step.done) {
    let result: Awaitable<SqlResult>;
    try {
      result = execute(step.value);
    } catch (error) {
      step = work.throw(error);
      continue;
    }
    if (result instanceof Promise) {
      return result.then(
        (later) => runFrom(work, () => work.next(later), execute),
        (error: unknown) => runFrom(work, () => work.throw(error), execute),
      );
    }
    step = work.next(result);
  }
  return step.value;
}
