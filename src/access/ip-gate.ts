import type { Awaitable } from "#lib/awaitable.ts";
import { BoundedMap } from "#lib/bounded-map.ts";

/** A refusal at the gate. */
export interface GateRefusal {
  readonly limit: number;
  /** Unix seconds at which the window ends. */
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

/** Addresses in memory, about 20 MB. Beyond it, the one that was counted first starts again from zero. */
export const MAX_ADDRESSES = 100_000;

/** Creates a gate of `perMinute` requests for each address; `clock` gives UTC milliseconds. */
export function createIpGate(perMinute: number, clock: () => number): LocalIpGate {
  const gate = createWindowGate(60_000, clock);
  return { check: (address) => gate.check(address, perMinute) };
}

/** Limits what each key may do in each window of the clock. */
export interface WindowGate {
  /** Counts one more; null if it may pass. */
  check(key: string, limit: number): GateRefusal | null;
}

/** Creates a gate whose windows have this length in milliseconds; `clock` gives UTC milliseconds. */
export function createWindowGate(windowMs: number, clock: () => number): WindowGate {
  let window = Number.NaN;
  const counts = new BoundedMap<{ passed: number }>(MAX_ADDRESSES);

  return {
    check(key, limit) {
      const now = clock();
      const current = Math.floor(now / windowMs);
      if (current !== window) {
        window = current;
        counts.clear();
      }
      const count = counts.get(key) ?? { passed: 0 };
      if (count.passed === 0) counts.set(key, count);
      if (count.passed < limit) {
        count.passed++;
        return null;
      }
      const resetAt = ((window + 1) * windowMs) / 1000;
      return { limit, resetAt, retryAfterSeconds: Math.max(1, Math.ceil(resetAt - now / 1000)) };
    },
  };
}
