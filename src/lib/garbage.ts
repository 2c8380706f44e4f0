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

/** The garbage of so many characters of answers is collected at once. */
const CHARACTERS_PER_COLLECTION = 8 * 2 ** 20;

/** Collects the garbage of answers regularly, beside the event loop. Without that, a crowd of large ones takes twice the memory. */
export class BackgroundCollection {
  #characters = 0;

  /** To be called after an answer of that many characters was made. */
  add(characters: number): void {
    this.#characters += characters;
    if (this.#characters < CHARACTERS_PER_COLLECTION) return;
    Bun.gc(false);
    this.#characters = 0;
  }
}
