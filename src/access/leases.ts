import type { Usage, UsageStore } from "#store/usage.ts";
import { type PlanName, PLANS } from "./plans.ts";

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
}

/** Counts the calls of tokens: exactly, durably, and for most calls without a write. */
export type Leases = ReturnType<typeof createLeases>;

/**
 * Counts by leases. A write counts some calls ahead; they are let through from memory, so that no
 * call is ever let through that the file has not counted. The lease of a token grows with its pace,
 * to what it calls within a second and to its plan's `lease` at most; of a token that calls less than
 * once a second, and near a ceiling, it is a single call. What is left of it is given back after
 * a second, at the hour, when the plan changes and at a stop; only `kill -9` leaves it counted.
 */
export function createLeases({ usage, clock }: { usage: UsageStore; clock: () => number }) {
  const leases = new Map<number, Lease>();

  const giveBack = (tokenId: number, lease: Lease): void => {
    leases.delete(tokenId);
    if (lease.left > 0) usage.giveBack(tokenId, lease.usage, lease.left);
  };

  const take = (tokenId: number, plan: PlanName, now: number): Usage | null => {
    const held = leases.get(tokenId);
    const size = held?.plan === plan ? nextSize(held, now) : 1;
    if (held) giveBack(tokenId, held);
    for (const calls of new Set([size, 1])) {
      const counted = usage.charge(tokenId, calls, PLANS[plan], now);
      if (!counted) continue;
      const lease = { plan, usage: counted, size: calls, left: calls - 1, takenAt: now };
      leases.set(tokenId, lease);
      return standing(lease);
    }
    return null;
  };

  return {
    /** Counts one call and returns the counters after it, or null where a ceiling is reached. */
    charge(tokenId: number, plan: PlanName): Usage | null {
      const now = clock();
      const lease = leases.get(tokenId);
      if (!lease || lease.left === 0 || lease.plan !== plan || isOver(lease, now)) {
        return take(tokenId, plan, now);
      }
      lease.left--;
      return standing(lease);
    },

    /** The counters as they stand, without counting a call. */
    usage(tokenId: number): Usage {
      const now = clock();
      const lease = leases.get(tokenId);
      return lease && !isOver(lease, now) ? standing(lease) : usage.get(tokenId, now);
    },

    /** Gives back what was not spent within a second; with `all`, whatever is left. */
    settle({ all = false } = {}): void {
      const now = clock();
      for (const [tokenId, lease] of leases) {
        const age = now - lease.takenAt;
        if (all || age < 0 || age >= LEASE_MS) giveBack(tokenId, lease);
      }
    },
  };
}

/** The counters without what the lease still holds. */
function standing({ usage, left }: Lease): Usage {
  const { day, dayUsed, hour, hourUsed } = usage;
  return { day, dayUsed: dayUsed - left, hour, hourUsed: hourUsed - left };
}

/** Whether the lease's hour has ended. Where the clock stepped back, calls count in the later hour. */
function isOver({ usage }: Lease, now: number): boolean {
  return now >= (usage.hour + 1) * 3_600_000;
}

/** How many calls to take now that `held` was taken, and spent but for what is left of it. */
function nextSize({ plan, usage, size, left, takenAt }: Lease, now: number): number {
  const { daily, hourly, lease } = PLANS[plan];
  const room = Math.min(daily - usage.dayUsed, hourly - usage.hourUsed);
  const perSecond = now < takenAt ? 0 : ((size - left) * LEASE_MS) / Math.max(1, now - takenAt);
  // Doubling, so that two calls in a row are not yet a pace; a sixteenth of the room, so that what
  // other processes may hold of it is little when it ends.
  const most = Math.min(2 * size, perSecond, lease, room / 16);
  return Math.max(1, Math.floor(most));
}
