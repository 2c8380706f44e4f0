import type { GateRefusal } from "#access/ip-gate.ts";
import type { Quota } from "#access/quota.ts";
import { CORS_HEADERS } from "./cors.ts";

/**
 * What every answer carries: any origin may read it, and no cache may serve it to another caller or
 * to a client that accepts other encodings.
 */
export const EVERY_ANSWER = { ...CORS_HEADERS, Vary: "Authorization, Accept-Encoding" };

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
