/**
 * A map by text key that drops the entry it has kept longest before it exceeds `maxEntries`. A hit changes nothing, so it
 * takes half the time of a cache that drops the least recently used entry.
 */
export class BoundedMap<V> extends Map<string, V> {
  readonly #maxEntries: number;
  /** All entries before its position are dropped. A new iterator would pass the places of thousands of them again. */
  readonly #oldest: MapIterator<string>;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
    this.#oldest = this.keys();
  }

  /** Stores a value; a value that replaces another keeps its place. */
  override set(key: string, value: V): this {
    if (this.size >= this.#maxEntries && !this.has(key)) {
      this.delete(this.#oldest.next().value ?? "");
    }
    return super.set(key, value);
  }
}
