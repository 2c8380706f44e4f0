import type { WindowCounters } from "#lib/window-counters.ts";

/** A refusal at the gate. */
export interface GateRefusal {
  readonly limit: number;
  /** Unix seconds at which the minute ends. */
  readonly resetAt: number;
  readonly retryAfterSeconds: number;
}

/** Lets so many requests of an address through in each minute of the clock. */
export interface IpGate {
  /** Null where the request may pass. */
  check(address: string): GateRefusal | null;
}

/** A gate of `perMinute` requests an address; gates with the same counters are one gate. */
export function createIpGate(parts: {
  perMinute: number;
  counters: WindowCounters;
  clock: () => number;
}): IpGate {
  const { perMinute, counters, clock } = parts;
  return {
    check(address) {
      const now = clock();
      const minute = Math.floor(now / 60_000);
      if (counters.count(address, minute, perMinute)) return null;
      const resetAt = (minute + 1) * 60;
      return {
        limit: perMinute,
        resetAt,
        retryAfterSeconds: Math.max(1, Math.ceil(resetAt - now / 1000)),
      };
    },
  };
}
