import type { GateRefusal } from "#access/ip-gate.ts";
import type { Quota } from "#access/quota.ts";

/** The headers that a browser script may read, beside those that every script may. */
const EXPOSED = [
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

/**
 * What every answer carries: any origin may read it, and no cache may serve it to another caller or
 * to a client that reads another compression.
 */
export const EVERY_ANSWER = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED.join(", "),
  Vary: "Authorization, Accept-Encoding",
};

/** What a browser is told before it lets a script call us; it may keep that for a day. */
export const PREFLIGHT = {
  "Access-Control-Allow-Methods": "GET, POST",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, If-None-Match, MCP-Protocol-Version",
  "Access-Control-Max-Age": "86400",
};

/** The day in the contract's headers, both windows in the IETF ones. */
export function quotaHeaders(quota: Quota, now: number): Record<string, string> {
  return {
    ...windowHeaders(quota),
    "X-RateLimit-Remaining": String(quota.daily.remaining),
    RateLimit: rateLimit(quota, now),
  };
}

/** Of the quota's headers those that stay the same through a day. */
export function windowHeaders({ daily, hourly }: Quota): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(daily.limit),
    "X-RateLimit-Reset": String(daily.resetAt),
    "RateLimit-Policy": `"daily";q=${daily.limit};w=86400, "hourly";q=${hourly.limit};w=3600`,
  };
}

/** The header `RateLimit`: what is left of each window, and the seconds until it ends. */
export function rateLimit({ daily, hourly }: Quota, now: number): string {
  const left = (resetAt: number) => Math.max(0, Math.ceil(resetAt - now / 1000));
  return `"daily";r=${daily.remaining};t=${left(daily.resetAt)}, "hourly";r=${hourly.remaining};t=${left(hourly.resetAt)}`;
}

/** The gate's own limit. */
export function gateHeaders({ limit, resetAt }: GateRefusal): Record<string, string> {
  return {
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": String(resetAt),
  };
}
