import { createMemo } from "./memo.ts";

/** Keys whose hashes are remembered. */
const MAX_HASHES = 10_000;
/** Each slot has four words: its window, its count, and the two halves of its key's hash. */
const WORDS = 4;
const SLOTS = 2 ** 17;
/** How far from its place a key may stand. */
const PROBES = 64;
/** Stands for the window of a slot while somebody writes its key. */
const TAKING = -1;
const MOST_SPINS = 10_000;

/** How much memory counters take: 2 MiB, whatever is counted. */
export const WINDOW_COUNTERS_BYTES = SLOTS * WORDS * Int32Array.BYTES_PER_ELEMENT;

/** A seed that nobody can foresee. */
export function unknownSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

/** Counts by key within windows of time. */
export interface WindowCounters {
  /** Counts one for the key, unless the window has `limit` of it already; whether it was counted. */
  count(key: string, window: number, limit: number): boolean;
}

/**
 * Counters in a memory that several processes may share: none of them ever counts beyond the limit.
 * Windows are whole numbers that grow; where the clock steps back by more than one, the key's count
 * begins anew. Of more keys than there is room for, some are forgotten and begin anew too.
 *
 * @param memory of `WINDOW_COUNTERS_BYTES`, all zero at first; this process's own where left out
 * @param seed the same in every process, and unknown to whoever chooses the keys
 */
export function createWindowCounters(
  memory: ArrayBufferLike = new ArrayBuffer(WINDOW_COUNTERS_BYTES),
  seed = unknownSeed(),
): WindowCounters {
  const words = new Int32Array(memory);
  const hashes = createMemo<{ readonly low: number; readonly high: number }>(MAX_HASHES);

  /** The window of a slot, once nobody writes its key any more. */
  const settledWindow = (slot: number): number => {
    let window = Atomics.load(words, slot);
    for (let spins = 0; window === TAKING && spins < MOST_SPINS; spins++) {
      window = Atomics.load(words, slot);
    }
    return window;
  };
  const countUpTo = (limit: number, slot: number): boolean => {
    for (;;) {
      const count = Atomics.load(words, slot + 1);
      if (count >= limit) return false;
      if (Atomics.compareExchange(words, slot + 1, count, count + 1) === count) return true;
    }
  };

  return {
    count(key, window, limit) {
      const { low, high } = hashes.get(key, () => ({
        low: Bun.hash.xxHash32(key, seed) | 0,
        high: Bun.hash.xxHash32(key, ~seed >>> 0) | 0,
      }));
      const take = (slot: number, from: number): boolean => {
        if (Atomics.compareExchange(words, slot, from, TAKING) !== from) return false;
        words[slot + 1] = 1;
        words[slot + 2] = low;
        words[slot + 3] = high;
        Atomics.store(words, slot, window);
        return true;
      };
      const slotAt = (probe: number) => ((low + probe) & (SLOTS - 1)) * WORDS;
      for (let probe = 0; probe < PROBES; probe++) {
        const slot = slotAt(probe);
        const held = settledWindow(slot);
        // Of the next window where this process read its clock just before the other.
        const isCurrent = held === window || held === window + 1;
        // Also from who was killed while it wrote its key.
        if (!isCurrent && take(slot, held)) return true;
        // Whoever was faster may have taken it for this key.
        if (!isCurrent && settledWindow(slot) !== window) continue;
        if (words[slot + 2] === low && words[slot + 3] === high) return countUpTo(limit, slot);
      }
      // Every place is taken: whoever stands at the first is forgotten.
      take(slotAt(0), Atomics.load(words, slotAt(0)));
      return true;
    },
  };
}
