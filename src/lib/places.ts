import { type Awaitable } from "./awaitable.ts";
import { nextTurn } from "./next-turn.ts";

/**
 * Lets a few pieces of work run at once, and the others in order after them. Work without a pause keeps its place until
 * the next turn of the event loop, so that a crowd of short pieces leaves turns to other work. `Slots` is for long tasks:
 * it refuses those that would wait too long.
 */
export class Places {
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** @param count pieces of work that run at once; Infinity where no crowd comes, so that none waits for a turn */
  constructor(count: number) {
    this.#free = count;
  }

  /** The result of the work; without a promise if a place is free and the work makes none. */
  run<T>(work: () => Awaitable<T>): Awaitable<T> {
    if (this.#free === Infinity) return work();
    if (this.#free === 0)
      return new Promise<void>((resolve) => this.#waiting.add(resolve)).then(() => this.#run(work));
    this.#free--;
    return this.#run(work);
  }

  #run<T>(work: () => Awaitable<T>): Awaitable<T> {
    const leave = () => void nextTurn().then(() => this.#leave());
    try {
      const result = work();
      if (result instanceof Promise) return result.finally(leave);
      leave();
      return result;
    } catch (error) {
      leave();
      throw error;
    }
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
