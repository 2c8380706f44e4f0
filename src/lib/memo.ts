/** Longer keys are not remembered: a client could fill the memory with them. */
const MAX_KEY_LENGTH = 512;

/** A cache of values that depend only on their keys. */
export interface Memo<V> {
  /** The stored value of a key, or undefined. */
  find(key: string): V | undefined;
  /** The stored value of a key, or the result of `make`, which is then stored. Errors are not stored. */
  get(key: string, make: () => V): V;
}

/** Creates a memo that stores the values of the `maxEntries` newest keys. */
export function createMemo<V>(maxEntries: number): Memo<V> {
  const values = new Map<string, V>();
  // One iterator for the lifetime: a new one would skip all deleted entries again on every use.
  const oldestFirst = values.keys();
  return {
    find: (key) => values.get(key),
    get(key, make) {
      const stored = values.get(key);
      if (stored !== undefined) return stored;
      const made = make();
      if (key.length > MAX_KEY_LENGTH) return made;
      if (values.size >= maxEntries) values.delete(oldestFirst.next().value ?? "");
      values.set(key, made);
      return made;
    },
  };
}
