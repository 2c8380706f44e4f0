/**
 * Values that are remembered for a fixed time, at most `maxEntries` of them and at most `maxWeight`
 * together (the oldest goes first).
 * A value whose time is over is let go when the next one comes.
 * Concurrent misses of one key run `load` once; a failed load is not remembered.
 */
export interface TtlCache<V> {
  /** The value of `key`: at once where it is remembered, else what `load` gives. */
  get(key: string, load: () => V | Promise<V>): V | Promise<V>;
}

/** A cache that is empty, on the given clock (UTC milliseconds). */
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

  return {
    get(key, load) {
      const entry = entries.get(key);
      // A clock that stepped back must not keep an entry alive for longer than its time.
      const left = entry ? entry.expiresAt - clock() : 0;
      if (entry && left > 0 && left <= ttlMs) return entry.value;

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
