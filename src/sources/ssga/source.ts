import { defineSource } from "#sources/source.ts";

/** State Street, whose fund DIA holds the members of the Dow Jones Industrial Average. */
export const SSGA = defineSource({
  name: "ssga",
  official: true,
  terms: "Free to view; State Street holds the copyright: personal use, no redistribution.",
  fills: "The members of the Dow Jones Industrial Average, by the holdings of its fund.",
  requestsPerSecond: 0.5,
  timeoutMs: 20_000,
  maxBytes: 1_000_000,
  userAgent: "browser",
});
