import { defineSource } from "#sources/source.ts";

/** The series of the Federal Reserve Bank of St. Louis, as public CSV files. */
export const FRED = defineSource({
  name: "fred",
  official: true,
  terms: "Free with attribution; some series belong to third parties and are for personal use.",
  fills: "Macro series of the US, some of Japan, world energy prices.",
  // It refuses more than two within any second.
  requestsPerSecond: 1.5,
  concurrency: 1,
  timeoutMs: 20_000,
  maxBytes: 4_000_000,
  userAgent: "program",
});
