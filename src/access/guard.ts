import type { BourseError } from "#domain/errors.ts";
import type { AccessStore } from "#store/index.ts";
import { Leases } from "./leases.ts";
import { PLANS, type Plans } from "./plans.ts";
import { INVALID_TOKEN, type Principal, Principals } from "./principals.ts";
import { type Quota, quotaExceeded, quotaOf } from "./quota.ts";

/** Whether a call was counted; if it was not, `denied` says why and nothing has changed. */
export interface Charge {
  readonly quota: Quota;
  readonly denied: BourseError | null;
}

/** Says who may call, and counts. */
export type Guard = ReturnType<typeof createGuard>;

/** A guard over the access file, on the given clock (UTC milliseconds). */
export function createGuard(parts: { access: AccessStore; plans?: Plans; clock: () => number }) {
  const { access, plans = PLANS, clock } = parts;
  const principals = new Principals(access, clock);
  const leases = new Leases({ usage: access.usage, plans, version: access.version, clock });

  return {
    /**
     * The principal behind an `Authorization` header.
     *
     * @throws BourseError as `Principals.authenticate`
     */
    authenticate: (authorization: string | null): Principal =>
      principals.authenticate(authorization),

    /**
     * Counts one call against both windows, or says why not.
     *
     * @throws BourseError `invalid_token` if the token has ended meanwhile
     */
    charge({ tokenId, plan }: Principal): Charge {
      const usage = leases.charge(tokenId, plan);
      if (usage) return { quota: quotaOf(plans, plan, usage), denied: null };
      const quota = quotaOf(plans, plan, leases.usage(tokenId));
      if (quota.daily.remaining === 0 || quota.hourly.remaining === 0) {
        return { quota, denied: quotaExceeded(plans, quota, clock()) };
      }
      // Another process has given calls back meanwhile, or has ended the token.
      const second = leases.charge(tokenId, plan);
      if (second) return { quota: quotaOf(plans, plan, second), denied: null };
      if (!access.tokens.isLive(tokenId, clock())) throw INVALID_TOKEN;
      return { quota, denied: quotaExceeded(plans, quota, clock()) };
    },

    /** The quota at this moment; counts nothing. */
    quota: ({ tokenId, plan }: Principal): Quota => quotaOf(plans, plan, leases.usage(tokenId)),

    /** Gives back what was counted in advance and not used. Call it every second, and at a stop until true. */
    settle: (options?: { all?: boolean }): boolean => leases.settle(options),
  };
}
