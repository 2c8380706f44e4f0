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
  /** Milliseconds. With it, a task is refused as soon as the pace of the others shows that it would wait too long. */
  readonly clock?: () => number;
}

/** The share of its patience after which a task judges the pace. */
const JUDGED_AFTER = 1 / 4;
/** Fewer tasks that have begun meanwhile show no pace. */
const LEAST_BEGUN = 4;
/** The pace may double: a crowd is slow until its tasks wait instead of beginning. */
const MAY_SPEED_UP = 2;

/** A task that waits. */
interface Waiting {
  readonly begin: () => void;
  readonly refuse: () => void;
  readonly since: number;
  /** How many tasks had waited and begun when it came. */
  readonly begun: number;
}

/** Lets a limited number of tasks run at once. The others wait in order, but not for long. */
export class Slots {
  readonly #limits: SlotLimits;
  #free: number;
  readonly #waiting = new Set<Waiting>();
  /** How many tasks waited and then began. */
  #begun = 0;

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
        this.#begun++;
        next.begin();
        this.#refuseLate();
      } else this.#free++;
    }
  }

  async #wait(): Promise<void> {
    const { maxWaiting, patienceMs, clock } = this.#limits;
    if (this.#waiting.size >= maxWaiting) throw new NoSlot();
    const turn = Promise.withResolvers<void>();
    const refuse = () => {
      if (this.#waiting.delete(waiting)) turn.reject(new NoSlot());
    };
    const since = clock?.() ?? 0;
    const waiting = { begin: turn.resolve, refuse, since, begun: this.#begun };
    this.#waiting.add(waiting);
    const timer = setTimeout(refuse, patienceMs);
    try {
      await turn.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  #refuseLate(): void {
    const { patienceMs, clock } = this.#limits;
    const now = clock?.() ?? 0;
    let before = 0;
    for (const waiting of this.#waiting) {
      const waited = now - waiting.since;
      const begun = this.#begun - waiting.begun;
      const msEach = waited / begun;
      const isLate = msEach * (before + 1) > MAY_SPEED_UP * (patienceMs - waited);
      const isKnown = waited > JUDGED_AFTER * patienceMs && begun >= LEAST_BEGUN;
      if (isKnown && isLate) waiting.refuse();
      else before++;
    }
  }
}
