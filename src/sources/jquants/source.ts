import { defineSource } from "#sources/source.ts";

/** J-Quants: the data service of the Tokyo exchange for private persons, version 2. */
export const JQUANTS = defineSource({
  name: "jquants",
  official: true,
  terms: "Personal use with your own key, no redistribution; the free plan's data is 12 weeks old.",
  fills: "Japan's listing in English, statements, prices, splits and forecasts of companies.",
  // What the free plan allows: 5 a minute.
  requestsPerSecond: 5 / 60,
  // Its manual: a 429 names no time, wait for a minute, or two to be safe.
  tooManyRequestsMs: 2 * 60_000,
  timeoutMs: 30_000,
  // It splits answers at 5 MB.
  maxBytes: 8_000_000,
  key: { variable: "JQUANTS_API_KEY", required: true },
});
