import type { CountedCalls, Usage } from "#store/usage.ts";
import type { Plan, PlanName } from "./plans.ts";

/** Calls of one token that the store has counted already and that this process may serve. */
export interface Lease {
  readonly plan: PlanName;
  /** The stored counters, which include the whole lease. */
  readonly usage: Usage;
  readonly size: number;
  left: number;
  /** UTC milliseconds. */
  readonly takenAt: number;
}

/** The counters without the unused calls of the lease. */
export function usedOf({ usage, left }: Lease): Usage {
  const { day, dayUsed, hour, hourUsed } = usage;
  return { day, dayUsed: dayUsed - left, hour, hourUsed: hourUsed - left };
}

/** The unused calls of a token's lease, which can be given back. */
export function unusedOf(tokenId: number, { usage, left }: Lease): CountedCalls {
  return { tokenId, day: usage.day, hour: usage.hour, calls: left };
}

/**
 * The size of the lease that follows `held` at `now`: the calls of a lifetime at the rate of `held`, at least
 * 1 and at most the plan's `lease`.
 */
export function nextLeaseSize(held: Lease, plan: Plan, lifetimeMs: number, now: number): number {
  const { usage, size, left, takenAt } = held;
  const expected = now < takenAt ? 0 : ((size - left) * lifetimeMs) / Math.max(1, now - takenAt);
  // At most double, because two quick calls are not yet a rate. At most a sixteenth of the room, so that
  // other processes hold few calls when the room ends.
  const most = Math.min(2 * size, expected, plan.lease, roomIn(usage, plan) / 16);
  return Math.max(1, Math.floor(most));
}

/** How many more calls the plan allows; negative if an earlier, larger plan allowed more. */
export function roomIn({ dayUsed, hourUsed }: Usage, { daily, hourly }: Plan): number {
  return Math.min(daily - dayUsed, hourly - hourUsed);
}
