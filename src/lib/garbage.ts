/** The garbage of so many values is collected at once. */
const VALUES_PER_COLLECTION = 1_000_000;

/** Collects the garbage of long work regularly. Without that, memory grows to twice of what is in use. */
export class GarbageCollection {
  #values = 0;

  /** To be called after work on that many values. Blocks for some milliseconds when it collects. */
  add(values: number): void {
    this.#values += values;
    if (this.#values < VALUES_PER_COLLECTION) return;
    Bun.gc(true);
    this.#values = 0;
  }
}
