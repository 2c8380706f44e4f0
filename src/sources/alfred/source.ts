import { defineSource } from "#sources/source.ts";

/** The vintages of the series of FRED: the API of FRED with a key, the public CSV files of ALFRED without one. */
export const ALFRED = defineSource({
  name: "alfred",
  official: true,
  terms: "Free with attribution; some series belong to third parties and are for personal use.",
  fills: "Macro series of the US as they were known on earlier days.",
  requestsPerSecond: 1,
  timeoutMs: 30_000,
  maxBytes: 8_000_000,
  key: { variable: "FRED_API_KEY", required: false },
  doors: [
    // Its terms allow 120 requests a minute.
    { host: "api.stlouisfed.org", needsKey: true, requestsPerSecond: 2 },
    { host: "alfred.stlouisfed.org" },
  ],
});
