import { defineSource } from "#sources/source.ts";

/** The lists that Nikkei Inc. publishes about its indexes. */
export const NIKKEI = defineSource({
  name: "nikkei",
  official: true,
  terms: "Free to view; Nikkei holds the copyright: personal use, no redistribution.",
  fills: "The members of the Nikkei 225.",
  requestsPerSecond: 1,
  timeoutMs: 20_000,
  maxBytes: 1_000_000,
  // Programs are refused.
  userAgent: "browser",
});
