import { LRUCache } from "lru-cache";

/** A cache by text key. */
export type LruCache<V extends NonNullable<unknown>> = LRUCache<string, V>;

/** Creates a cache by text key. Beyond `maxEntries`, it drops the least recently used entry. */
export function createLruCache<V extends NonNullable<unknown>>(maxEntries: number): LruCache<V> {
  // The option `max` would allocate all entries in advance: a quarter of the time to the first answer.
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
