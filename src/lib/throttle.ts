import { AsyncLocalStorage } from "node:async_hooks";

/**
 * How urgent work is. `urgent`: a person waits for it. `series`: a piece of long work, whose next piece follows
 * when this one has ended. `single`: nothing waits for it.
 */
export type Urgency = "urgent" | "series" | "single";

/** The caller that waits for work. Its urgency may change meanwhile. */
export interface WorkCaller {
  urgency: Urgency;
}

/** The most urgent first. */
const URGENCIES: readonly Urgency[] = ["urgent", "series", "single"];

/** How many starts of more urgent work may pass waiting work by. Then it has its turn. */
const MOST_PASSES: Readonly<Record<Urgency, number>> = { urgent: Infinity, series: 3, single: 60 };

/** The caller of the functions that run now. Fetchers hand their client on and do not know their caller. */
const caller = new AsyncLocalStorage<WorkCaller>();

/** Runs `work` for a caller: every throttle that it meets orders it by the caller's urgency. */
export function runFor<T>(one: WorkCaller, work: () => T): T {
  return caller.run(one, work);
}

interface ThrottleOptions {
  readonly intervalMs: number;
  readonly concurrency: number;
  readonly clock: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

interface Waiting {
  /** As it is now: the caller may change it. */
  readonly urgency: () => Urgency;
  readonly start: (urgency: Urgency) => void;
}

/**
 * Runs work with a limited rate and a limited concurrency: it starts at least `intervalMs` apart. Urgent work starts
 * first, then series, then single work, each in the order of the calls. Work without a caller is urgent. No urgency
 * waits for ever: after three starts of urgent work a series has its turn, and after 60 other starts single work. If
 * several pieces may run at once, one place stays free for urgent work, so that it does not wait for answers to other
 * work.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #waiting: Waiting[] = [];
  /** The starts of other work since the last start of each urgency, while such work waited. */
  readonly #passes: Record<Urgency, number> = { urgent: 0, series: 0, single: 0 };
  /** The running work of each urgency at its start. */
  readonly #running: Record<Urgency, number> = { urgent: 0, series: 0, single: 0 };
  #nextStart = 0;
  #isSleeping = false;
  /** Single work waits until then for the next piece of a series. */
  #seriesUntil = 0;
  #isHolding = false;

  /** @param options read at each start, so that limits can change */
  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  /** The result of the work, after its turn has come. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const known = caller.getStore();
    const urgency = await new Promise<Urgency>((start) => {
      this.#waiting.push({ urgency: () => known?.urgency ?? "urgent", start });
      this.#startNext();
    });
    try {
      return await work();
    } finally {
      this.#running[urgency]--;
      if (urgency === "series")
        this.#seriesUntil = this.#options.clock() + this.#options.intervalMs;
      this.#startNext();
    }
  }

  /** Starts as much waiting work as may start now. */
  #startNext(): void {
    const { clock, concurrency, intervalMs, sleep } = this.#options;
    while (!this.#isSleeping) {
      const next = this.#findNext();
      if (!next || this.#isHeld(next)) return;
      const now = clock();
      // At most `concurrency` starts can be in the future. More means that the clock was set back.
      const latest = now + intervalMs * concurrency;
      const start = Math.max(now, Math.min(this.#nextStart, latest));
      if (start > now) {
        this.#isSleeping = true;
        void sleep(start - now).then(() => {
          this.#isSleeping = false;
          // More urgent work may have arrived meanwhile.
          this.#start(this.#findNext() ?? next, start);
          this.#startNext();
        });
        return;
      }
      this.#start(next, now);
    }
  }

  #start(one: Waiting, at: number): void {
    this.#waiting.splice(this.#waiting.indexOf(one), 1);
    this.#nextStart = at + this.#options.intervalMs;
    for (const passed of new Set(this.#waiting.map((waiting) => waiting.urgency())))
      this.#passes[passed]++;
    const urgency = one.urgency();
    this.#passes[urgency] = 0;
    this.#running[urgency]++;
    one.start(urgency);
  }

  /** True if a place is free for such work. */
  #hasPlace(urgency: Urgency): boolean {
    const { concurrency } = this.#options;
    const { urgent, series, single } = this.#running;
    const others = series + single;
    return (
      urgent + others < concurrency &&
      (urgency === "urgent" || others < Math.max(1, concurrency - 1))
    );
  }

  /** The work that starts next; undefined if none waits for which a place is free. */
  #findNext(): Waiting | undefined {
    const isPassed = (urgency: Urgency) => this.#passes[urgency] >= MOST_PASSES[urgency];
    const first = (urgency: Urgency) =>
      this.#waiting.find((waiting) => waiting.urgency() === urgency);
    for (const urgency of [...URGENCIES.filter(isPassed), ...URGENCIES]) {
      const found = this.#hasPlace(urgency) ? first(urgency) : undefined;
      if (found) return found;
    }
    return undefined;
  }

  /**
   * True if single work must wait because a series goes on. Its next piece comes when the last one is stored,
   * which takes less than an interval. Without this, single work would take every second start.
   */
  #isHeld(next: Waiting): boolean {
    const { clock, sleep } = this.#options;
    if (next.urgency() !== "single" || this.#passes.single >= MOST_PASSES.single) return false;
    if (this.#running.series > 0) return true;
    const leftMs = Math.min(this.#seriesUntil - clock(), this.#options.intervalMs);
    if (leftMs <= 0) return false;
    if (this.#isHolding) return true;
    this.#isHolding = true;
    void sleep(leftMs).then(() => {
      this.#isHolding = false;
      this.#seriesUntil = 0;
      this.#startNext();
    });
    return true;
  }
}
