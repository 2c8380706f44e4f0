/** No slot became free in time, or too many tasks wait for one. */
export class NoSlot extends Error {}

/** The limits of `Slots`. */
export interface SlotLimits {
  /** Tasks that run at once. */
  readonly slots: number;
  /** Tasks that wait. Any further one is refused at once. */
  readonly maxWaiting: number;
  /** How long a task waits. */
  readonly patienceMs: number;
}

/** Lets a limited number of tasks run at once. The others wait in order, but not for long. */
export class Slots {
  readonly #limits: SlotLimits;
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
    this.#free = limits.slots;
  }

  /** Runs a task in a slot. @throws NoSlot if it could not begin */
  async use<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait();
    try {
      return await task();
    } finally {
      const [next] = this.#waiting;
      if (next) {
        this.#waiting.delete(next);
        next();
      } else this.#free++;
    }
  }

  async #wait(): Promise<void> {
    if (this.#waiting.size >= this.#limits.maxWaiting) throw new NoSlot();
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn.resolve);
    const timer = setTimeout(() => {
      if (this.#waiting.delete(turn.resolve)) turn.reject(new NoSlot());
    }, this.#limits.patienceMs);
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
    }
  }
}
