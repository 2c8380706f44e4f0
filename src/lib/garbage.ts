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
/** A collection that blocks the thread for longer shows a large heap. Large answers cause collections of 30 to 150 ms. */
const SLOW_MS = 250;

/**
 * Collects garbage while a process uses much memory. The engine alone lets its heap double. A collection blocks for
 * longer the more is in use, so after a slow one they run beside the event loop.
 */
export class MemoryWatch {
  readonly #used: () => number;
  readonly #collect: (blocks: boolean) => void;
  readonly #stopwatch: () => number;
  #blocks = true;
  /** The least use since the last collection. */
  #least = 0;

  /** @param used memory of the process, in bytes @param stopwatch milliseconds */
  constructor(used: () => number, collect: (blocks: boolean) => void, stopwatch: () => number) {
    this.#used = used;
    this.#collect = collect;
    this.#stopwatch = stopwatch;
  }

  /** To be called regularly. */
  check(): void {
    const used = this.#used();
    this.#least = Math.min(this.#least, used);
    if (used < CALM_BYTES || used < this.#least + GROWTH_BYTES) return;
    const startedAt = this.#stopwatch();
    this.#collect(this.#blocks);
    if (this.#stopwatch() - startedAt > SLOW_MS) this.#blocks = false;
    this.#least = this.#used();
  }
}
