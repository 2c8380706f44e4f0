/**
 * The result of the work, or the error of `late` if it takes longer. The work then continues, and its result is
 * dropped.
 *
 * @param ms milliseconds
 */
export async function withDeadline<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Work under a `SharedDeadline`. */
interface Watched {
  ticks: number;
  readonly fail: (error: unknown) => void;
}

/** The ticks of a `SharedDeadline` within its time. */
const TICKS = 8;

/** The error of work that a `SharedDeadline` has ended. */
export const LATE = new Error("too late");

/** A deadline for many short pieces of work. They share one timer, because one for each would take half a microsecond. */
export class SharedDeadline {
  readonly #ms: number;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | null = null;

  /** @param ms milliseconds; an eighth more may pass */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /**
   * The result of the work, or an error if it takes longer. The work then continues, and its result is dropped.
   *
   * @param explain makes the error from what the work threw, or from `LATE`
   */
  watch<T>(work: Promise<T>, explain: (thrown: unknown) => unknown): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (thrown: unknown) => {
        this.#watched.delete(watched);
        reject(explain(thrown));
      };
      const watched = { ticks: 0, fail };
      this.#watched.add(watched);
      this.#timer ??= setInterval(() => this.#tick(), this.#ms / TICKS).unref();
      work.then((value) => {
        this.#watched.delete(watched);
        resolve(value);
      }, fail);
    });
  }

  #tick(): void {
    if (this.#timer && this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    for (const watched of this.#watched) {
      // The first tick may come at once.
      if (watched.ticks++ === TICKS) watched.fail(LATE);
    }
  }
}

/** How long a call waits in all for its sources and for the figures of all companies, in milliseconds. */
export const WAIT_MS = 2_500;

/** The time for which one call may still wait. Its waits share it, so that they do not add up. */
export class Patience {
  readonly #clock: () => number;
  #leftMs: number;

  /** @param clock gives UTC milliseconds */
  constructor(clock: () => number, ms: number = WAIT_MS) {
    this.#clock = clock;
    this.#leftMs = ms;
  }

  /** Milliseconds, not below zero. */
  get leftMs(): number {
    return Math.max(0, this.#leftMs);
  }

  /** The result of a wait, whose time is no longer left. */
  async spend<T>(wait: Promise<T>): Promise<T> {
    const began = this.#clock();
    try {
      return await wait;
    } finally {
      // The clock may have been set back.
      this.#leftMs -= Math.max(0, this.#clock() - began);
    }
  }
}
