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
