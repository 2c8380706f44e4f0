import { BourseError, isDatabaseBusy } from "#domain/errors.ts";
import { type CountedCalls, isPast, type Usage, type UsageStore } from "#store/usage.ts";
import type { Plan, PlanName, Plans } from "./plans.ts";

/** Calls that are not spent by then are given back. */
const LEASE_MS = 1_000;
/** How long a lock of another process is remembered, so that not every call waits for it. */
const BUSY_MS = 250;

/** Calls of one token that the file has counted already and this process may still serve. */
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

/** What leases need. */
export interface LeasesParts {
  readonly usage: UsageStore;
  readonly plans: Plans;
  /** Changes whenever another process writes to the access file. */
  readonly version: () => number;
  /** UTC milliseconds. */
  readonly clock: () => number;
}

/**
 * Counts the calls of tokens by leases: exactly, durably, and mostly without a write. One write counts
 * some calls in advance; they are served from memory, so the file has counted every call that was served.
 * The lease of a token grows with its pace, to what it calls within a second and to its plan's `lease` at
 * most; for a token that calls less than once a second, and near a ceiling, it is a single call. The rest
 * is given back after a second, at the hour, when the plan changes and at a stop; only `kill -9` leaves it
 * counted.
 *
 * A full window is remembered until `version` says that another process wrote to the file, so a denied
 * call costs no query. While another process keeps the file locked, calls that need a write are refused.
 */
export class Leases {
  readonly #parts: LeasesParts;
  readonly #leases = new Map<number, Lease>();
  /** When another process last kept the file locked, UTC milliseconds. */
  #busyAt = Number.NEGATIVE_INFINITY;

  constructor(parts: LeasesParts) {
    this.#parts = parts;
  }

  /**
   * Counts one call and returns the counters after it, or null if a ceiling is reached.
   *
   * @throws Error that `isDatabaseBusy` recognises, or for 250 ms after it BourseError `unavailable`,
   * while another process keeps the file locked
   */
  charge(tokenId: number, plan: PlanName): Usage | null {
    const now = this.#parts.clock();
    const lease = this.#leases.get(tokenId);
    if (!lease || lease.plan !== plan || isPast(lease.usage, now)) {
      return this.#takeUnlessBusy(tokenId, plan, now);
    }
    if (lease.left > 0) {
      lease.left--;
      return standing(lease);
    }
    if (lease.fullAt === this.#parts.version()) return null;
    return this.#takeUnlessBusy(tokenId, plan, now);
  }

  /** The counters at this moment, without counting a call. */
  usage(tokenId: number): Usage {
    const now = this.#parts.clock();
    const lease = this.#leases.get(tokenId);
    return lease && !isPast(lease.usage, now)
      ? standing(lease)
      : this.#parts.usage.get(tokenId, now);
  }

  /**
   * Gives back what was not spent within a second; with `all`, whatever is left. False if another process
   * writes right now: nothing has changed then.
   */
  settle({ all = false } = {}): boolean {
    const now = this.#parts.clock();
    const ending = [...this.#leases].filter(([, { takenAt }]) => {
      const age = now - takenAt;
      return all || age < 0 || age >= LEASE_MS;
    });
    const unspent = ending
      .filter(([, { left }]) => left > 0)
      .map(([tokenId, lease]) => countedAhead(tokenId, lease));
    if (unspent.length > 0 && !this.#parts.usage.giveBackIfFree(unspent)) return false;
    for (const [tokenId] of ending) this.#leases.delete(tokenId);
    return true;
  }

  #takeUnlessBusy(tokenId: number, plan: PlanName, now: number): Usage | null {
    const sinceBusy = now - this.#busyAt;
    if (sinceBusy >= 0 && sinceBusy < BUSY_MS) throw busy();
    try {
      return this.#take(tokenId, plan, now);
    } catch (error) {
      if (isDatabaseBusy(error)) this.#busyAt = now;
      throw error;
    }
  }

  #take(tokenId: number, plan: PlanName, now: number): Usage | null {
    const { usage, plans, version } = this.#parts;
    const held = this.#leases.get(tokenId);
    const size = held?.plan === plan ? nextSize(held, plans, now) : 1;
    // If this fails, the lease stays and is given back later.
    if (held && held.left > 0) usage.giveBack(countedAhead(tokenId, held));
    this.#leases.delete(tokenId);
    for (const calls of new Set([size, 1])) {
      const counted = usage.charge(tokenId, calls, plans[plan], now);
      if (!counted) continue;
      const taken = { size: calls, left: calls - 1, takenAt: now, fullAt: null };
      const lease = { plan, usage: counted, ...taken };
      this.#leases.set(tokenId, lease);
      return standing(lease);
    }
    const counted = usage.get(tokenId, now);
    if (roomIn(counted, plans[plan]) <= 0) {
      const none = { size: 0, left: 0, takenAt: now, fullAt: version() };
      this.#leases.set(tokenId, { plan, usage: counted, ...none });
    }
    return null;
  }
}

function busy(): BourseError {
  const text = "The counter of calls is locked right now. Retry shortly.";
  return new BourseError("unavailable", text, { retryAfterSeconds: 1 });
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
