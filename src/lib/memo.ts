/** Longer keys are not remembered: a client could fill the memory with them. */
const MAX_KEY_LENGTH = 512;

/** Values that depend on their keys alone. */
export interface Memo<V> {
  /** The value of a key where it is remembered. */
  find(key: string): V | undefined;
  /** The value of a key: the one remembered, or what `make` makes of it. What that throws is not. */
  get(key: string, make: () => V): V;
}

/** A memo that remembers the values of its `maxEntries` newest keys. */
export function createMemo<V>(maxEntries: number): Memo<V> {
  const values = new Map<string, V>();
  // One iterator for good: a new one would step over everything forgotten before, every time.
  const oldestFirst = values.keys();
  return {
    find: (key) => values.get(key),
    get(key, make) {
      const held = values.get(key);
      if (held !== undefined) return held;
      const made = make();
      if (key.length > MAX_KEY_LENGTH) return made;
      if (values.size >= maxEntries) values.delete(oldestFirst.next().value ?? "");
      values.set(key, made);
      return made;
    },
  };
}
