import { BourseError } from "#domain/errors.ts";
import { Memo } from "#lib/memo.ts";
import type { Usage } from "#store/usage.ts";
import { nextPlan, type PlanName, type Plans } from "./plans.ts";

/** One window of a token's quota. */
export interface QuotaWindow {
  readonly limit: number;
  /** Calls left in the window. */
  readonly remaining: number;
  /** Unix seconds at which the window ends and its counter restarts. */
  readonly resetAt: number;
}

/** What is left of a plan for a token, by UTC day and by UTC hour. */
export interface Quota {
  readonly plan: PlanName;
  readonly daily: QuotaWindow;
  readonly hourly: QuotaWindow;
}

/** The quota that a plan leaves with these counters. */
export function quotaOf(plans: Plans, plan: PlanName, usage: Usage): Quota {
  const { daily, hourly } = plans[plan];
  return {
    plan,
    daily: {
      limit: daily,
      remaining: Math.max(0, daily - usage.dayUsed),
      resetAt: (usage.day + 1) * 86_400,
    },
    hourly: {
      limit: hourly,
      remaining: Math.max(0, hourly - usage.hourUsed),
      resetAt: (usage.hour + 1) * 3_600,
    },
  };
}

/**
 * The error of a call whose windows are exhausted. Its wait ends at the later reset of the exhausted
 * windows, or after a second if other processes hold the last calls of a window.
 */
export function quotaExceeded(plans: Plans, quota: Quota, now: number): BourseError {
  const windows = (["hourly", "daily"] as const).filter((name) => quota[name].remaining === 0);
  if (windows.length === 0) {
    const text =
      "Rate limit exceeded: other processes hold the last calls of this token. Retry after 1 s.";
    return rateLimited(text, 1);
  }
  const resetAt = Math.max(...windows.map((name) => quota[name].resetAt));
  const retryAfterSeconds = Math.max(1, Math.ceil(resetAt - now / 1000));
  const larger = nextPlan(quota.plan);
  const ceilings = windows.map((name) => `${quota[name].limit} calls ${name}`).join(" and ");
  return rateLimited(
    `Rate limit exceeded (${windows.join(" and ")}): retry after ${retryAfterSeconds} s. Plan ${quota.plan} allows ${ceilings}` +
      (larger
        ? `; upgrade to ${larger} for ${plans[larger].hourly} an hour and ${plans[larger].daily} a day.`
        : "; it is the largest plan."),
    retryAfterSeconds,
  );
}

/** Callers with the same message share one error for a second, because it is serialised once. */
const sharedErrors = new Memo<BourseError>(100);

/** The error of a message, which names the wait. */
function rateLimited(message: string, retryAfterSeconds: number): BourseError {
  return sharedErrors.get(
    message,
    () => new BourseError("rate_limited", message, { retryAfterSeconds }),
  );
}
