import { defineSource } from "#sources/source.ts";

/** Robert Shiller's long series of the S&P 500, as the "datasets" project publishes it. */
export const SHILLER = defineSource({
  name: "shiller",
  official: true,
  terms: "Public domain (PDDL).",
  isRedistributable: true,
  fills: "The monthly price/earnings history of the S&P 500, to June 2023.",
  requestsPerSecond: 1,
  // Others share the address and its limit.
  tooManyRequestsMs: 15 * 60_000,
  timeoutMs: 20_000,
  maxBytes: 4_000_000,
});
