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
