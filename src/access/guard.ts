import type { BourseError } from "#domain/errors.ts";
import type { AccessStore } from "#store/index.ts";
import type { Usage } from "#store/usage.ts";
import { Leases } from "./leases.ts";
import { PLANS, type Plans } from "./plans.ts";
import { INVALID_TOKEN, type Principal, Principals } from "./principals.ts";
import { type Quota, quotaExceeded, quotaOf } from "./quota.ts";

/** The result of charging a call. If `denied` is an error, the call was not counted. */
export interface Charge {
  readonly quota: Quota;
  readonly denied: BourseError | null;
}

/** Authenticates callers and counts their calls. */
export type Guard = ReturnType<typeof createGuard>;

/** Creates a guard over the access file, on the given clock (UTC milliseconds). */
export function createGuard(parts: { access: AccessStore; plans?: Plans; clock: () => number }) {
  const { access, plans = PLANS, clock } = parts;
  const principals = new Principals(access, clock);
  const leases = new Leases({ usage: access.usage, plans, version: access.version, clock });
  const deny = (tokenId: number, { hour }: Usage, quota: Quota): Charge => {
    leases.countDenied(tokenId, hour);
    return { quota, denied: quotaExceeded(plans, quota, clock()) };
  };

  return {
    /**
     * The principal of an `Authorization` header.
     *
     * @throws BourseError as `Principals.authenticate`
     */
    authenticate: (authorization: string | null): Principal =>
      principals.authenticate(authorization),

    /**
     * Counts one call against both windows, or denies it.
     *
     * @throws BourseError `invalid_token` if the token has just ended
     */
    charge({ tokenId, plan }: Principal): Charge {
      const usage = leases.charge(tokenId, plan);
      if (usage) return { quota: quotaOf(plans, plan, usage), denied: null };
      const full = leases.usage(tokenId);
      const quota = quotaOf(plans, plan, full);
      if (quota.daily.remaining === 0 || quota.hourly.remaining === 0) {
        return deny(tokenId, full, quota);
      }
      // Another process has just given calls back, or has ended the token.
      const second = leases.charge(tokenId, plan);
      if (second) return { quota: quotaOf(plans, plan, second), denied: null };
      if (!access.tokens.isLive(tokenId, clock())) throw INVALID_TOKEN;
      return deny(tokenId, full, quota);
    },

    /** The quota at this moment, without counting a call. */
    quota: ({ tokenId, plan }: Principal): Quota => quotaOf(plans, plan, leases.usage(tokenId)),

    /** Gives back unused calls that were counted in advance and stores refused calls. Call it every second, and at a stop until it returns true. */
    settle: (options?: { all?: boolean }): boolean => leases.settle(options),
  };
}
