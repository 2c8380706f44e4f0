import type { PlanName } from "#access/plans.ts";
import type { Quota } from "#access/quota.ts";
import { rateLimit, windowHeaders } from "./headers.ts";
import type { HeaderBag } from "./responses.ts";

/** The headers of many answers in one object, of which only what has changed is set. */
export interface ReadyHeaders {
  /** To be given to `Response`, which copies them. */
  readonly headers: Headers;
  setQuota(quota: Quota, now: number): void;
}

/** Headers of which these stay the same. */
export function createReadyHeaders(fixed: HeaderBag): ReadyHeaders {
  const headers = new Headers(fixed);
  let plan: PlanName | null = null;
  let resetAt = 0;
  return {
    headers,
    setQuota(quota, now) {
      const { daily } = quota;
      if (plan !== quota.plan || resetAt !== daily.resetAt) {
        ({ plan } = quota);
        ({ resetAt } = daily);
        for (const [name, value] of Object.entries(windowHeaders(quota))) headers.set(name, value);
      }
      headers.set("X-RateLimit-Remaining", String(daily.remaining));
      headers.set("RateLimit", rateLimit(quota, now));
    },
  };
}
