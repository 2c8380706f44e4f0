import type { Awaitable } from "#lib/awaitable.ts";
import { createLruCache } from "#lib/lru-cache.ts";

/** A refusal at the gate. */
export interface GateRefusal {
  readonly limit: number;
  /** Unix seconds at which the minute ends. */
  readonly resetAt: number;
  readonly retryAfterSeconds: number;
}

/** Limits the requests of each address in each minute of the clock. */
export interface IpGate {
  /** Counts a request; null if it may pass. */
  check(address: string): Awaitable<GateRefusal | null>;
}

/** A gate that counts in the memory of this process. */
export interface LocalIpGate extends IpGate {
  check(address: string): GateRefusal | null;
}

/** Addresses in memory, about 20 MB. Beyond it, the least recently used one starts again from zero. */
export const MAX_ADDRESSES = 100_000;

/** Creates a gate of `perMinute` requests for each address; `clock` gives UTC milliseconds. */
export function createIpGate(perMinute: number, clock: () => number): LocalIpGate {
  let minute = Number.NaN;
  const counts = createLruCache<{ passed: number }>(MAX_ADDRESSES);

  return {
    check(address) {
      const now = clock();
      const current = Math.floor(now / 60_000);
      if (current !== minute) {
        minute = current;
        counts.clear();
      }
      const count = counts.get(address) ?? { passed: 0 };
      if (count.passed === 0) counts.set(address, count);
      if (count.passed < perMinute) {
        count.passed++;
        return null;
      }
      const resetAt = (minute + 1) * 60;
      return {
        limit: perMinute,
        resetAt,
        retryAfterSeconds: Math.max(1, Math.ceil(resetAt - now / 1000)),
      };
    },
  };
}
