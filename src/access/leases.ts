import { type CountedCalls, isPast, type Usage, type UsageStore } from "#store/usage.ts";
import type { Plan, PlanName, Plans } from "./plans.ts";

/** What is not spent by then is given back. */
const LEASE_MS = 1_000;

/** Calls of one token that the file has counted already and that this process may still let through. */
interface Lease {
  readonly plan: PlanName;
  /** The counters as stored, the whole lease counted. */
  readonly usage: Usage;
  readonly size: number;
  left: number;
  readonly takenAt: number;
  /** The version of the access file at which a window was full; null where there was room. */
  readonly fullAt: number | null;
}

/**
 * Counts the calls of tokens by leases: exactly, durably, and mostly without a write. A write counts
 * some calls ahead; they are let through from memory, so that no call is ever let through that the
 * file has not counted. The lease of a token grows with its pace, to what it calls within a second
 * and to its plan's `lease` at most; of a token that calls less than once a second, and near a
 * ceiling, it is a single call. What is left of it is given back after
 * a second, at the hour, when the plan changes and at a stop; only `kill -9` leaves it counted.
 *
 * That a window is full is remembered while nobody else writes to the file, as `version` tells: a call
 * that is denied then costs nothing.
 */
export function createLeases(parts: {
  usage: UsageStore;
  plans: Plans;
  version: () => number;
  clock: () => number;
}) {
  const { usage, plans, version, clock } = parts;
  const leases = new Map<number, Lease>();

  const take = (tokenId: number, plan: PlanName, now: number): Usage | null => {
    const held = leases.get(tokenId);
    const size = held?.plan === plan ? nextSize(held, plans, now) : 1;
    leases.delete(tokenId);
    if (held && held.left > 0) usage.giveBack(countedAhead(tokenId, held));
    for (const calls of new Set([size, 1])) {
      const counted = usage.charge(tokenId, calls, plans[plan], now);
      if (!counted) continue;
      const taken = { size: calls, left: calls - 1, takenAt: now, fullAt: null };
      const lease = { plan, usage: counted, ...taken };
      leases.set(tokenId, lease);
      return standing(lease);
    }
    const counted = usage.get(tokenId, now);
    if (roomIn(counted, plans[plan]) <= 0) {
      const none = { size: 0, left: 0, takenAt: now, fullAt: version() };
      leases.set(tokenId, { plan, usage: counted, ...none });
    }
    return null;
  };

  return {
    /** Counts one call and returns the counters after it, or null where a ceiling is reached. */
    charge(tokenId: number, plan: PlanName): Usage | null {
      const now = clock();
      const lease = leases.get(tokenId);
      if (!lease || lease.plan !== plan || isPast(lease.usage, now))
        return take(tokenId, plan, now);
      if (lease.left > 0) {
        lease.left--;
        return standing(lease);
      }
      return lease.fullAt === version() ? null : take(tokenId, plan, now);
    },

    /** The counters as they stand, without counting a call. */
    usage(tokenId: number): Usage {
      const now = clock();
      const lease = leases.get(tokenId);
      return lease && !isPast(lease.usage, now) ? standing(lease) : usage.get(tokenId, now);
    },

    /**
     * Gives back what was not spent within a second, or later where another process writes just now;
     * with `all`, whatever is left.
     */
    settle({ all = false } = {}): void {
      const now = clock();
      const ending = [...leases].filter(([, { takenAt }]) => {
        const age = now - takenAt;
        return all || age < 0 || age >= LEASE_MS;
      });
      const unspent = ending
        .filter(([, { left }]) => left > 0)
        .map(([tokenId, lease]) => countedAhead(tokenId, lease));
      if (all) unspent.forEach((one) => usage.giveBack(one));
      else if (unspent.length > 0 && !usage.giveBackIfFree(unspent)) return;
      for (const [tokenId] of ending) leases.delete(tokenId);
    },
  };
}

const countedAhead = (tokenId: number, { usage, left }: Lease): CountedCalls => ({
  tokenId,
  day: usage.day,
  hour: usage.hour,
  calls: left,
});

/** The counters without what the lease still holds. */
function standing({ usage, left }: Lease): Usage {
  const { day, dayUsed, hour, hourUsed } = usage;
  return { day, dayUsed: dayUsed - left, hour, hourUsed: hourUsed - left };
}

/** How many calls to take now that `held` was taken, and spent but for what is left of it. */
function nextSize(held: Lease, plans: Plans, now: number): number {
  const { usage, size, left, takenAt } = held;
  const plan = plans[held.plan];
  const perSecond = now < takenAt ? 0 : ((size - left) * LEASE_MS) / Math.max(1, now - takenAt);
  // Doubling, so that two calls in a row are not yet a pace; a sixteenth of the room, so that what
  // other processes may hold of it is little when it ends.
  const most = Math.min(2 * size, perSecond, plan.lease, roomIn(usage, plan) / 16);
  return Math.max(1, Math.floor(most));
}

/** How many calls more the plan allows; below 0 where a larger one allowed more. */
function roomIn({ dayUsed, hourUsed }: Usage, { daily, hourly }: Plan): number {
  return Math.min(daily - dayUsed, hourly - hourUsed);
}
