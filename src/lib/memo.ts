import { BoundedMap } from "./bounded-map.ts";

/** Longer keys are not remembered: a client could fill the memory with them. */
const MAX_KEY_LENGTH = 512;

/** A cache of values that depend only on their keys. Beyond `maxEntries`, the oldest are dropped. */
export class Memo<V extends NonNullable<unknown>> {
  readonly #values;

  constructor(maxEntries: number) {
    this.#values = new BoundedMap<V>(maxEntries);
  }

  /** The stored value of a key, or undefined. */
  find(key: string): V | undefined {
    return this.#values.get(key);
  }

  /** The stored value of a key, or the result of `make`, which is then stored. Errors are not stored. */
  get(key: string, make: () => V): V {
    const stored = this.#values.get(key);
    if (stored !== undefined) return stored;
    const made = make();
    if (key.length <= MAX_KEY_LENGTH) this.#values.set(key, made);
    return made;
  }
}
