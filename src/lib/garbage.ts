/** The amount of work after which its garbage is collected, and if the collection blocks the thread. */
const KINDS = {
  /** Values of long work. A collection blocks for some milliseconds. */
  values: { limit: 1_000_000, blocks: true },
  /** Characters of answers, collected beside the event loop. */
  characters: { limit: 8 * 2 ** 20, blocks: false },
} as const;

/** Collects the garbage of work regularly. Without that, memory grows to twice of what is in use. */
export class GarbageCollection {
  readonly #kind: (typeof KINDS)[keyof typeof KINDS];
  #amount = 0;

  constructor(kind: keyof typeof KINDS) {
    this.#kind = KINDS[kind];
  }

  /** To be called after work on so many values or characters. */
  add(amount: number): void {
    this.#amount += amount;
    if (this.#amount < this.#kind.limit) return;
    Bun.gc(this.#kind.blocks);
    this.#amount = 0;
  }
}

/** Memory in use, in bytes, below which the engine alone collects garbage. */
const CALM_BYTES = 320 * 2 ** 20;
/** Growth after which garbage is collected, in bytes. */
const GROWTH_BYTES = 64 * 2 ** 20;
/**
 * A collection that computes for longer shows a large heap. It blocks two idle cores for half of the time. Collections
 * of large answers compute for 50 to 250 ms. The time on a clock would show other work of the machine too.
 */
const SLOW_MS = 400;

/**
 * Collects garbage while a process uses much memory. The engine alone lets its heap double. A collection blocks for
 * longer the more is in use, so after a slow one they run beside the event loop.
 */
export class MemoryWatch {
  readonly #used: () => number;
  readonly #collect: (blocks: boolean) => void;
  readonly #computedMs: () => number;
  #blocks = true;
  /** The least use since the last collection. */
  #least = 0;

  /** @param used memory of the process, in bytes @param computedMs the time that all threads have computed */
  constructor(used: () => number, collect: (blocks: boolean) => void, computedMs: () => number) {
    this.#used = used;
    this.#collect = collect;
    this.#computedMs = computedMs;
  }

  /** To be called regularly. */
  check(): void {
    const used = this.#used();
    this.#least = Math.min(this.#least, used);
    if (used < CALM_BYTES || used < this.#least + GROWTH_BYTES) return;
    const before = this.#computedMs();
    this.#collect(this.#blocks);
    if (this.#computedMs() - before > SLOW_MS) this.#blocks = false;
    this.#least = this.#used();
  }
}
