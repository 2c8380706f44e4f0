import { BoundedMap } from "./bounded-map.ts";

/** Longer keys are counted by their characters: a client could fill the memory with them. */
const MAX_SHORT_KEY = 512;
/** The most characters of all longer keys, and of one of them: a list of some thousand symbols. */
const MAX_LONG_CHARACTERS = 524_288;
const MAX_LONG_KEY = 32_768;

/**
 * A cache of values that depend only on their keys. Beyond `maxEntries`, the oldest are dropped. Long keys are dropped
 * beyond half a million characters in all.
 */
export class Memo<V extends NonNullable<unknown>> {
  readonly #values;
  readonly #long;
  #longCharacters = 0;

  constructor(maxEntries: number) {
    this.#values = new BoundedMap<V>(maxEntries);
    this.#long = new Map<string, V>();
  }

  /** The stored value of a key, or undefined. */
  find(key: string): V | undefined {
    return key.length <= MAX_SHORT_KEY ? this.#values.get(key) : this.#long.get(key);
  }

  /** The stored value of a key, or the result of `make`, which is then stored. Errors are not stored. */
  get(key: string, make: () => V): V {
    const stored = this.find(key);
    if (stored !== undefined) return stored;
    const made = make();
    if (key.length <= MAX_SHORT_KEY) this.#values.set(key, made);
    else if (key.length <= MAX_LONG_KEY) this.#storeLong(key, made);
    return made;
  }

  #storeLong(key: string, value: V): void {
    // `make` may have stored it.
    if (!this.#long.has(key)) this.#longCharacters += key.length;
    this.#long.set(key, value);
    for (const oldest of this.#long.keys()) {
      if (this.#longCharacters <= MAX_LONG_CHARACTERS) return;
      this.#long.delete(oldest);
      this.#longCharacters -= oldest.length;
    }
  }
}
