/**
 * Values that are remembered for a fixed time. Beyond `maxEntries` values, or a total weight of
 * `maxWeight`, the oldest are dropped; expired values are dropped when the next value is stored.
 */
export interface TtlCache<V> {
  /** The value that is remembered for the key, or undefined. */
  find(key: string): V | undefined;
  /** Remembers a value from now on. */
  set(key: string, value: V): void;
  /**
   * The value of `key`: at once where it is remembered, else the result of `load`. Concurrent misses
   * of one key run `load` once. A failed load is not remembered.
   */
  get(key: string, load: () => V | Promise<V>): V | Promise<V>;
}

/** Creates an empty cache on the given clock (UTC milliseconds). */
export function createTtlCache<V extends object>(options: {
  ttlMs: number;
  maxEntries: number;
  maxWeight: number;
  weigh: (value: V) => number;
  clock: () => number;
}): TtlCache<V> {
  const { ttlMs, maxEntries, maxWeight, weigh, clock } = options;
  const entries = new Map<string, { value: V; expiresAt: number; weight: number }>();
  const inFlight = new Map<string, Promise<V>>();
  let totalWeight = 0;

  const forget = (key: string): void => {
    totalWeight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  const remember = (key: string, value: V): V => {
    const now = clock();
    const weight = weigh(value);
    forget(key);
    // In order of age, since all have the same time to live.
    for (const [oldest, { expiresAt }] of entries) {
      const hasRoom = entries.size < maxEntries && totalWeight + weight <= maxWeight;
      if (expiresAt > now && hasRoom) break;
      forget(oldest);
    }
    entries.set(key, { value, expiresAt: now + ttlMs, weight });
    totalWeight += weight;
    return value;
  };

  const find = (key: string): V | undefined => {
    const entry = entries.get(key);
    if (!entry) return undefined;
    // A clock that stepped back must not keep an entry alive for longer than its time.
    const left = entry.expiresAt - clock();
    return left > 0 && left <= ttlMs ? entry.value : undefined;
  };

  return {
    find,
    set: (key, value) => void remember(key, value),
    get(key, load) {
      const remembered = find(key);
      if (remembered) return remembered;

      const running = inFlight.get(key);
      if (running) return running;

      const loaded = load();
      if (!(loaded instanceof Promise)) return remember(key, loaded);
      const flight = loaded
        .then((value) => remember(key, value))
        .finally(() => inFlight.delete(key));
      inFlight.set(key, flight);
      return flight;
    },
  };
}
