import { defineSource } from "#sources/source.ts";

/** Nasdaq's calendar of company reports. */
export const NASDAQ_EARNINGS = defineSource({
  name: "nasdaq-earnings",
  official: false,
  terms: "The unofficial calls of a public page: personal use, called rarely.",
  fills: "When US companies report, with the analysts' earnings estimate.",
  requestsPerSecond: 1,
  concurrency: 1,
  timeoutMs: 20_000,
  maxBytes: 4_000_000,
  userAgent: "browser",
  headers: {
    Accept: "application/json, text/plain, */*",
    "Accept-Language": "en-US,en;q=0.9",
    Referer: "https://www.nasdaq.com/",
  },
});
