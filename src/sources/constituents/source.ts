import { defineSource } from "#sources/source.ts";

/** The members of the S&P 500, as the "datasets" project publishes them. */
export const CONSTITUENTS = defineSource({
  name: "constituents",
  official: true,
  terms: "Public domain (PDDL).",
  isRedistributable: true,
  fills: "The members of the S&P 500, and their sectors where no other source has them.",
  requestsPerSecond: 1,
  // Others share the address and its limit.
  tooManyRequestsMs: 15 * 60_000,
  timeoutMs: 20_000,
  maxBytes: 1_000_000,
});
