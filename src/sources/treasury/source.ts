import { defineSource } from "#sources/source.ts";

/** The daily rates that the US Department of the Treasury publishes. */
export const TREASURY = defineSource({
  name: "treasury",
  official: true,
  terms: "Public domain: a work of the US government.",
  isRedistributable: true,
  fills: "The yield curve of the United States by day, 14 maturities.",
  requestsPerSecond: 0.5,
  timeoutMs: 30_000,
  maxBytes: 1_000_000,
});
