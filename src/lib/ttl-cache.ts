/**
 * A cache whose entries expire after a fixed time. Beyond `maxEntries` entries or a total weight of
 * `maxWeight`, the oldest are dropped. Expired entries are dropped when the next value is stored.
 */
export interface TtlCache<V> {
  /** The cached value of the key, or undefined. */
  find(key: string): V | undefined;
  /** Stores a value, which expires after the fixed time. */
  set(key: string, value: V): void;
  /**
   * The cached value of `key`, without a promise, or the result of `load`. Concurrent misses of one key
   * run `load` once. A failed load is not cached.
   */
  get(key: string, load: () => V | Promise<V>): V | Promise<V>;
}

/** Creates an empty cache on the given clock (UTC milliseconds). */
export function createTtlCache<V extends object>(options: {
  ttlMs: number;
  /** The last end of a value that is stored at `now`, if that is before its fixed time. */
  endsBy?: (now: number) => number;
  /** False for a value that is not cached. */
  isKept?: (value: V) => boolean;
  maxEntries: number;
  maxWeight: number;
  weigh: (value: V) => number;
  clock: () => number;
}): TtlCache<V> {
  const { ttlMs, endsBy = () => Infinity, isKept, maxEntries, maxWeight, weigh, clock } = options;
  const entries = new Map<string, { value: V; expiresAt: number; weight: number }>();
  const inFlight = new Map<string, Promise<V>>();
  let totalWeight = 0;

  const remove = (key: string): void => {
    totalWeight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  const store = (key: string, value: V): V => {
    if (isKept?.(value) === false) return value;
    const now = clock();
    const weight = weigh(value);
    remove(key);
    // The map is in order of age, because no entry ends before an older one.
    for (const [oldest, { expiresAt }] of entries) {
      const hasRoom = entries.size < maxEntries && totalWeight + weight <= maxWeight;
      if (expiresAt > now && hasRoom) break;
      remove(oldest);
    }
    entries.set(key, { value, expiresAt: Math.min(now + ttlMs, endsBy(now)), weight });
    totalWeight += weight;
    return value;
  };

  const find = (key: string): V | undefined => {
    const entry = entries.get(key);
    if (!entry) return undefined;
    // A clock that was set back must not extend the lifetime of an entry.
    const left = entry.expiresAt - clock();
    return left > 0 && left <= ttlMs ? entry.value : undefined;
  };

  return {
    find,
    set: (key, value) => void store(key, value),
    get(key, load) {
      const cached = find(key);
      if (cached) return cached;

      const running = inFlight.get(key);
      if (running) return running;

      const loaded = load();
      if (!(loaded instanceof Promise)) return store(key, loaded);
      const flight = loaded.then((value) => store(key, value)).finally(() => inFlight.delete(key));
      inFlight.set(key, flight);
      return flight;
    },
  };
}
