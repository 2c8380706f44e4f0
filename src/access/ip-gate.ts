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
  check(address: string): GateRefusal | null;
}

/** Addresses in memory, about 20 MB. Beyond it, the oldest address is dropped and starts again from zero. */
const MAX_ADDRESSES = 100_000;

/** Creates a gate of `perMinute` requests for each address; `clock` gives UTC milliseconds. */
export function createIpGate(perMinute: number, clock: () => number): IpGate {
  let minute = Number.NaN;
  let counts = new Map<string, { passed: number }>();
  let oldestFirst = counts.keys();

  const countOf = (address: string): { passed: number } => {
    const held = counts.get(address);
    if (held) return held;
    if (counts.size >= MAX_ADDRESSES) counts.delete(oldestFirst.next().value ?? "");
    const count = { passed: 0 };
    counts.set(address, count);
    return count;
  };

  return {
    check(address) {
      const now = clock();
      const current = Math.floor(now / 60_000);
      if (current !== minute) {
        minute = current;
        counts = new Map();
        oldestFirst = counts.keys();
      }
      const count = countOf(address);
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
