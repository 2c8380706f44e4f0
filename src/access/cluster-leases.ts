import { isUnavailable } from "#domain/errors.ts";
import { Batch } from "#lib/batch.ts";
import type { ClusterAccess } from "#store/access-cluster.ts";
import type { GrantedCalls, SeenUsage, WantedCalls } from "#store/cluster-usage.ts";
import type { CountedCalls, DeniedCalls, Usage } from "#store/usage.ts";
import type { CallCounter } from "./call-counter.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { DeniedCounter } from "./denied-counter.ts";
import { type Lease, nextLeaseSize, unusedOf, usedOf } from "./lease.ts";
import type { PlanName, Plans } from "./plans.ts";
import { INVALID_TOKEN } from "./principals.ts";

/** Calls that are not used within this time are given back. */
const LEASE_MS = 10_000;
/** A full window is asked for room again after this time, because other nodes give calls back. */
const FULL_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Calls or leases in one statement, so that it stays far below the second that it may take. */
const MAX_ROWS = 500;
/** Tokens whose counters a node remembers: some 10 MB. */
const MAX_SEEN = 50_000;

/** A lease of calls that the database has counted. Times are of this node's clock, UTC milliseconds. */
interface ClusterLease extends Lease {
  /** When the lease is 10 s old or its hour ends. */
  readonly endsAt: number;
  /** Until then, calls without a lease are refused; 0 if the database had room. */
  readonly fullUntil: number;
}

/** A call that waits for a lease. */
interface WaitingCall {
  readonly tokenId: number;
  readonly plan: PlanName;
}

/** A lease that calls wait for. */
interface WantedLease extends WaitingCall, WantedCalls {}

/** The dependencies of `ClusterLeases`. */
export interface ClusterLeasesParts {
  readonly access: {
    readonly usage: Pick<ClusterAccess["usage"], "charge" | "settle" | "list" | "raise">;
    /** The number of outages of the database so far. */
    readonly outages: number;
    /** True while statements fail without being sent. */
    readonly isDown: boolean;
  };
  readonly plans: Plans;
  readonly clock: DatabaseClock;
}

/**
 * Counts the calls of a node of a cluster, as `Leases` does for one machine: Postgres has counted every call
 * before it is served. A lease lives 10 s, so that a busy token costs a statement in 10 s and not in each
 * second. All leases that are wanted in a turn of the event loop are one statement.
 *
 * The clock of the database decides when a window ends. While it cannot be reached, leases in hand are
 * served until they are used up or 10 s old; then calls are `unavailable`. A statement that failed may have
 * run, so its calls stay counted: a lost answer never leads to a call above the ceiling.
 *
 * After an outage the database may have gone back in time, and lost calls that were served. So a node first
 * raises the counters of today's tokens to what it saw, where a charge is missing.
 */
export class ClusterLeases implements CallCounter {
  readonly #parts: ClusterLeasesParts;
  readonly #leases = new Map<number, ClusterLease>();
  readonly #charges = new Batch((calls: readonly WaitingCall[]) => this.#charge(calls), MAX_ROWS);
  readonly #reads = new Batch((tokenIds: readonly number[]) => this.#read(tokenIds), MAX_ROWS);
  /** Calls of ended leases that `settle` gives back. */
  #unused: CountedCalls[] = [];
  readonly #denied = new DeniedCounter();
  /** The counters after the last charge of each token, the most recent ones. */
  readonly #seen = new Map<number, SeenUsage>();
  /** The number of outages after which the counters were raised. */
  #raisedAfter: number;

  constructor(parts: ClusterLeasesParts) {
    this.#parts = parts;
    this.#raisedAfter = parts.access.outages;
  }

  /** The number of leases in memory. */
  get held(): number {
    return this.#leases.size;
  }

  /**
   * Counts one call and returns the counters after it, or null if a ceiling is reached. It is a promise
   * unless the call is served or refused from memory.
   *
   * @throws BourseError `unavailable` if the database cannot be reached; `invalid_token` if the token has ended
   */
  charge(tokenId: number, plan: PlanName): Usage | null | Promise<Usage | null> {
    const served = this.#serve(tokenId, plan, this.#parts.clock.local());
    return served === undefined ? this.#charges.add({ tokenId, plan }) : served;
  }

  /** @throws BourseError `unavailable` */
  usage(tokenId: number): Usage | Promise<Usage> {
    const lease = this.#leases.get(tokenId);
    return lease && isCurrent(lease, this.#parts.clock.local())
      ? usedOf(lease)
      : this.#reads.add(tokenId);
  }

  unused(tokenId: number): CountedCalls | null {
    const lease = this.#leases.get(tokenId);
    return lease ? unusedOf(tokenId, lease) : null;
  }

  countDenied(tokenId: number, hour: number): void {
    this.#denied.add({ tokenId, hour, denied: 1 });
  }

  settle({ all = false } = {}): boolean | Promise<boolean> {
    const now = this.#parts.clock.local();
    for (const [tokenId, lease] of this.#leases) {
      if (!all && isCurrent(lease, now)) continue;
      this.#end(tokenId, lease);
      this.#leases.delete(tokenId);
    }
    const denied = this.#denied.list();
    const isBehind = this.#raisedAfter !== this.#parts.access.outages;
    if (this.#unused.length === 0 && denied.length === 0)
      return isBehind && !this.#parts.access.isDown ? this.#canRaise().then(() => true) : true;
    const unused = this.#unused;
    this.#unused = [];
    this.#denied.clear();
    return this.#settle(unused, denied);
  }

  /** The result of a call that needs no statement, or undefined. */
  #serve(tokenId: number, plan: PlanName, now: number): Usage | null | undefined {
    const lease = this.#leases.get(tokenId);
    if (lease?.plan !== plan || !isCurrent(lease, now)) return undefined;
    if (lease.left > 0) return useCall(lease);
    return now < lease.fullUntil ? null : undefined;
  }

  /** Answers waiting calls, in order, from leases of an earlier batch or from new ones. */
  async #charge(calls: readonly WaitingCall[]): Promise<(Usage | null | Error)[]> {
    const now = this.#parts.clock.local();
    const served = calls.map(({ tokenId, plan }) => this.#serve(tokenId, plan, now));
    const waiting = calls.filter((_, i) => served[i] === undefined);
    const failure = waiting.length > 0 ? await this.#takeLeases(waiting, now) : null;
    return calls.map(({ tokenId }, i) => {
      const usage = served[i];
      return usage === undefined ? (failure ?? this.#serveTaken(tokenId)) : usage;
    });
  }

  /** Takes one lease for all calls of a token. Returns the error if that failed; calls may be counted then. */
  async #takeLeases(calls: readonly WaitingCall[], now: number): Promise<Error | null> {
    const { access, clock } = this.#parts;
    try {
      await this.#raise();
    } catch (error) {
      return toError(error);
    }
    const wanted = this.#listWanted(calls, now);
    try {
      const answer = await access.usage.charge(wanted);
      clock.observe(now, answer.now);
      for (const [i, one] of wanted.entries()) {
        const granted = answer.granted[i] ?? null;
        if (granted) {
          this.#leases.set(one.tokenId, leaseOf(one, granted, now, answer.now));
          this.#remember({ tokenId: one.tokenId, ...granted.usage, at: answer.now });
        } else this.#leases.delete(one.tokenId);
      }
      return null;
    } catch (error) {
      return toError(error);
    }
  }

  /** Notes the newest counters of a token. The oldest of too many is forgotten. */
  #remember(usage: SeenUsage): void {
    this.#seen.delete(usage.tokenId);
    this.#seen.set(usage.tokenId, usage);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > MAX_SEEN && oldest !== undefined) this.#seen.delete(oldest);
  }

  /** Subtracts calls that were given back, because they were not served. */
  #forget({ tokenId, day, hour, calls }: CountedCalls): void {
    const seen = this.#seen.get(tokenId);
    if (!seen) return;
    const dayUsed = seen.dayUsed - (seen.day === day ? calls : 0);
    const hourUsed = seen.hourUsed - (seen.hour === hour ? calls : 0);
    this.#seen.set(tokenId, { ...seen, dayUsed, hourUsed });
  }

  async #canRaise(): Promise<boolean> {
    try {
      await this.#raise();
      return true;
    } catch (error) {
      if (isUnavailable(error)) return false;
      throw error;
    }
  }

  /** Once after each outage, before any other statement: raises what the database has lost. */
  async #raise(): Promise<void> {
    const { access } = this.#parts;
    const { outages } = access;
    if (outages === this.#raisedAfter) return;
    const seen = [...this.#seen.values()];
    for (let i = 0; i < seen.length; i += MAX_ROWS)
      await access.usage.raise(seen.slice(i, i + MAX_ROWS));
    this.#raisedAfter = outages;
  }

  /** The leases that calls wait for, one for each token. The leases before them end. */
  #listWanted(calls: readonly WaitingCall[], now: number): WantedLease[] {
    const { plans } = this.#parts;
    const waiting = new Map<number, { plan: PlanName; calls: number }>();
    // If the plan has just changed, the last call knows the new one.
    for (const { tokenId, plan } of calls)
      waiting.set(tokenId, { plan, calls: (waiting.get(tokenId)?.calls ?? 0) + 1 });
    return [...waiting].map(([tokenId, { plan, calls }]) => {
      const held = this.#leases.get(tokenId);
      const size = held?.plan === plan ? nextLeaseSize(held, plans[plan], LEASE_MS, now) : 1;
      if (held) this.#end(tokenId, held);
      return { tokenId, plan, calls: calls - 1 + size, ceilings: plans[plan] };
    });
  }

  /** The result of a call for which a lease was just taken. */
  #serveTaken(tokenId: number): Usage | null | Error {
    const lease = this.#leases.get(tokenId);
    if (!lease) return INVALID_TOKEN;
    return lease.left > 0 ? useCall(lease) : null;
  }

  #end(tokenId: number, lease: ClusterLease): void {
    if (lease.left > 0) this.#unused.push(unusedOf(tokenId, lease));
    lease.left = 0;
  }

  async #settle(unused: CountedCalls[], denied: DeniedCalls[]): Promise<boolean> {
    const { access } = this.#parts;
    while (unused.length > 0 || denied.length > 0) {
      const [calls, refused] = [unused.slice(0, MAX_ROWS), denied.slice(0, MAX_ROWS)];
      try {
        if (access.isDown || !(await this.#canRaise())) return this.#keep(unused, denied);
        await access.usage.settle(calls, refused);
        for (const one of calls) this.#forget(one);
      } catch (error) {
        // It may have run, and calls must not be given back twice. So they stay counted.
        if (!isUnavailable(error)) {
          this.#keep(unused, denied);
          throw error;
        }
      }
      unused = unused.slice(MAX_ROWS);
      denied = denied.slice(MAX_ROWS);
    }
    return true;
  }

  /** Keeps calls for the next `settle`. */
  #keep(unused: CountedCalls[], denied: DeniedCalls[]): false {
    this.#unused = [...this.#unused, ...unused];
    for (const one of denied) this.#denied.add(one);
    return false;
  }

  async #read(tokenIds: readonly number[]): Promise<Usage[]> {
    const { access, clock } = this.#parts;
    const sentAt = clock.local();
    const unique = [...new Set(tokenIds)];
    const { now, usages } = await access.usage.list(unique);
    clock.observe(sentAt, now);
    const found = new Map(unique.map((tokenId, i) => [tokenId, usages[i] as Usage]));
    return tokenIds.map((tokenId) => found.get(tokenId) as Usage);
  }
}

const toError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

/** True while the calls of a lease may be served: it is neither too old nor outside its hour. */
function isCurrent({ takenAt, endsAt }: ClusterLease, now: number): boolean {
  return now >= takenAt && now < endsAt;
}

function useCall(lease: ClusterLease): Usage {
  lease.left--;
  return usedOf(lease);
}

/** The lease of calls that were granted at `databaseNow`, for a statement that was sent at `sentAt`. */
function leaseOf(
  { plan, calls }: WantedLease,
  granted: GrantedCalls,
  sentAt: number,
  databaseNow: number,
): ClusterLease {
  const { usage } = granted;
  return {
    plan,
    usage,
    size: granted.calls,
    left: granted.calls,
    takenAt: sentAt,
    endsAt: sentAt + Math.min(LEASE_MS, (usage.hour + 1) * HOUR_MS - databaseNow),
    fullUntil: granted.calls < calls ? sentAt + FULL_MS : 0,
  };
}
