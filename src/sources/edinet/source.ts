import { defineSource } from "#sources/source.ts";

/** EDINET: the reports that companies file with Japan's Financial Services Agency, version 2 of its API. */
export const EDINET = defineSource({
  name: "edinet",
  official: true,
  terms: "Public Data License 1.0: free with attribution to EDINET; a free key is needed.",
  isRedistributable: true,
  fills: "Japan's statements as filed: years and half-years, with the day of filing.",
  // It names no limit and asks for restraint.
  requestsPerSecond: 1,
  concurrency: 1,
  tooManyRequestsMs: 10 * 60_000,
  timeoutMs: 30_000,
  // The reports of a day have up to 2 MB, the figures and texts of a report up to some 10 MB.
  maxBytes: 32_000_000,
  userAgent: "program",
  key: { variable: "EDINET_API_KEY", required: true },
});
