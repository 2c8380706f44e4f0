import { defineSource } from "#sources/source.ts";

/** The series of the Federal Reserve Bank of St. Louis: its API with a key, public CSV files without one. */
export const FRED = defineSource({
  name: "fred",
  official: true,
  terms: "Free with attribution; some series belong to third parties and are for personal use.",
  fills: "Macro series of the US, some of Japan, world energy prices.",
  // It refuses more than two within any second.
  requestsPerSecond: 1.5,
  timeoutMs: 20_000,
  maxBytes: 4_000_000,
  key: { variable: "FRED_API_KEY", required: false },
  doors: [
    // Its terms allow 120 requests a minute.
    { host: "api.stlouisfed.org", needsKey: true, requestsPerSecond: 2 },
    { host: "fred.stlouisfed.org" },
  ],
});
