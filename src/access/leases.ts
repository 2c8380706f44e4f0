import { isDatabaseBusy, unavailable } from "#domain/errors.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import type { AccessFile, LockQueue } from "#store/index.ts";
import { type CountedCalls, isOutsideWindows, type Usage } from "#store/usage.ts";
import type { CallCounter } from "./call-counter.ts";
import { DeniedCounter } from "./denied-counter.ts";
import { type Lease, nextLeaseSize, roomIn, unusedOf, usedOf } from "./lease.ts";
import type { PlanName, Plans } from "./plans.ts";

/** Calls that are not used within this time are given back. */
const LEASE_MS = 1_000;

/** A lease of calls that the file has counted. */
interface FileLease extends Lease {
  /** The version of the access file at which a window was full; null if there was room. */
  readonly fullAt: number | null;
}

/** The dependencies of `Leases`. */
export interface LeasesParts {
  readonly access: Pick<AccessFile, "usage" | "version">;
  readonly plans: Plans;
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** In which calls wait while another process keeps the file locked. */
  readonly queue: LockQueue;
}

/**
 * Counts calls exactly and durably, mostly without a write. One write counts several calls in advance (a
 * lease), which are then served from memory; so the file has counted every call that was served. A lease
 * is as large as the token's calls in a second, and at most its plan's `lease`. It is a single call for a
 * token that calls less than once a second, and near a ceiling. Unused calls are given back after a second,
 * at the hour, when the plan changes and at a stop; only `kill -9` leaves them counted. `settle` changes
 * nothing while another process writes.
 *
 * A full window is cached until `version` changes, so a denied call costs no query. While another process
 * keeps the file locked, calls that need a write wait for it, and are refused after some seconds.
 */
export class Leases implements CallCounter {
  readonly #parts: LeasesParts;
  readonly #leases = new Map<number, FileLease>();
  readonly #denied = new DeniedCounter();

  constructor(parts: LeasesParts) {
    this.#parts = parts;
  }

  /**
   * Counts one call and returns the counters after it, or null if a ceiling is reached.
   *
   * @throws BourseError `unavailable`, in a promise, if another process keeps the file locked
   */
  charge(tokenId: number, plan: PlanName): Awaitable<Usage | null> {
    const known = this.#use(tokenId, plan);
    if (known !== undefined) return known;
    const taken = this.#parts.queue.run(() => {
      // A call that waited before this one may have taken a lease for both.
      const meanwhile = this.#use(tokenId, plan);
      return meanwhile === undefined ? this.#take(tokenId, plan) : meanwhile;
    });
    return taken instanceof Promise ? taken.catch(refuseLocked) : taken;
  }

  /** Counts one call without a write; undefined if it needs one. */
  #use(tokenId: number, plan: PlanName): Usage | null | undefined {
    const lease = this.#leases.get(tokenId);
    if (lease?.plan !== plan || isOutsideWindows(lease.usage, this.#parts.clock()))
      return undefined;
    if (lease.left > 0) {
      lease.left--;
      return usedOf(lease);
    }
    return lease.fullAt === this.#parts.access.version() ? null : undefined;
  }

  usage(tokenId: number): Usage {
    const now = this.#parts.clock();
    const lease = this.#leases.get(tokenId);
    return lease && !isOutsideWindows(lease.usage, now)
      ? usedOf(lease)
      : this.#parts.access.usage.get(tokenId, now);
  }

  unused(tokenId: number): CountedCalls | null {
    const lease = this.#leases.get(tokenId);
    return lease ? unusedOf(tokenId, lease) : null;
  }

  countDenied(tokenId: number, hour: number): void {
    this.#denied.add({ tokenId, hour, denied: 1 });
  }

  settle({ all = false } = {}): boolean {
    const now = this.#parts.clock();
    const expired = [...this.#leases].filter(([, { takenAt }]) => {
      const age = now - takenAt;
      return all || age < 0 || age >= LEASE_MS;
    });
    const unused = expired
      .filter(([, { left }]) => left > 0)
      .map(([tokenId, lease]) => unusedOf(tokenId, lease));
    const denied = this.#denied.list();
    const hasWork = unused.length > 0 || denied.length > 0;
    if (hasWork && !this.#parts.access.usage.settleIfFree(unused, denied)) return false;
    this.#denied.clear();
    for (const [tokenId] of expired) this.#leases.delete(tokenId);
    return true;
  }

  #take(tokenId: number, plan: PlanName): Usage | null {
    const { access, plans, clock } = this.#parts;
    const { usage } = access;
    // The clock and the lease may have changed while the call waited.
    const now = clock();
    const held = this.#leases.get(tokenId);
    const size = held?.plan === plan ? nextLeaseSize(held, plans[plan], LEASE_MS, now) : 1;
    // If this throws, the lease stays and is given back later.
    if (held && held.left > 0) {
      usage.refund(unusedOf(tokenId, held));
      this.#leases.delete(tokenId);
    }
    for (const calls of size > 1 ? [size, 1] : [1]) {
      const counted = usage.charge(tokenId, calls, plans[plan], now);
      if (!counted) continue;
      const taken = { size: calls, left: calls - 1, takenAt: now, fullAt: null };
      const lease = { plan, usage: counted, ...taken };
      this.#leases.set(tokenId, lease);
      return usedOf(lease);
    }
    const counted = usage.get(tokenId, now);
    if (roomIn(counted, plans[plan]) <= 0) {
      const none = { size: 0, left: 0, takenAt: now, fullAt: access.version() };
      this.#leases.set(tokenId, { plan, usage: counted, ...none });
    }
    return null;
  }
}

function refuseLocked(error: unknown): never {
  if (!isDatabaseBusy(error)) throw error;
  const text = "The counter of calls is locked by another process. Retry shortly.";
  throw unavailable(text, { retryAfterSeconds: 1 });
}
