import type { GateRefusal } from "#access/ip-gate.ts";
import type { Quota } from "#access/quota.ts";

/** The headers that a browser script may read, beside those that every script may. */
export const EXPOSED_HEADERS = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
  "Retry-After",
  "ETag",
  "X-Data-Source",
  "X-Data-Age",
  "X-Request-Id",
  "Deprecation",
  "Sunset",
  "Link",
];

const ANY_ORIGIN = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED_HEADERS.join(", "),
};

/** The day in the contract's headers, both windows in the IETF ones. */
export function quotaHeaders({ daily, hourly }: Quota, now: number): Record<string, string> {
  const left = (resetAt: number) => Math.max(0, Math.ceil(resetAt - now / 1000));
  return {
    "X-RateLimit-Limit": String(daily.limit),
    "X-RateLimit-Remaining": String(daily.remaining),
    "X-RateLimit-Reset": String(daily.resetAt),
    "RateLimit-Policy": `"daily";q=${daily.limit};w=86400, "hourly";q=${hourly.limit};w=3600`,
    RateLimit: `"daily";r=${daily.remaining};t=${left(daily.resetAt)}, "hourly";r=${hourly.remaining};t=${left(hourly.resetAt)}`,
  };
}

/** The gate's own limit; it stands before the CORS plugin, so it carries those headers itself. */
export function gateHeaders({ limit, resetAt }: GateRefusal): Record<string, string> {
  return {
    ...ANY_ORIGIN,
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": String(resetAt),
  };
}
