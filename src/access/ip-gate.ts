/** The most addresses that are counted at once; beyond it the one that came first is forgotten. */
const MAX_ADDRESSES = 100_000;

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

/** A gate of `perMinute` requests an address. */
export function createIpGate({
  perMinute,
  clock,
}: {
  perMinute: number;
  clock: () => number;
}): IpGate {
  const counts = new Map<string, number>();
  // One iterator for good: a new one would step over everything forgotten before, every time.
  const oldestFirst = counts.keys();
  let minute = Number.NaN;

  return {
    check(address) {
      const now = clock();
      const current = Math.floor(now / 60_000);
      if (current !== minute) {
        minute = current;
        counts.clear();
      }
      const count = counts.get(address) ?? 0;
      if (count >= perMinute) {
        const resetAt = (minute + 1) * 60;
        return {
          limit: perMinute,
          resetAt,
          retryAfterSeconds: Math.max(1, Math.ceil(resetAt - now / 1000)),
        };
      }
      if (count === 0 && counts.size >= MAX_ADDRESSES) {
        const oldest = oldestFirst.next();
        if (!oldest.done) counts.delete(oldest.value);
      }
      counts.set(address, count + 1);
      return null;
    },
  };
}
