import { defineSource } from "#sources/source.ts";

/**
 * The headers of a page of nasdaq.com. Its API refuses (403) or never answers a request that does not look
 * like one of its pages.
 */
export const NASDAQ_HEADERS = {
  Accept: "application/json, text/plain, */*",
  "Accept-Language": "en-US,en;q=0.9",
  Referer: "https://www.nasdaq.com/",
};

/** The screener and price histories of nasdaq.com, and the Nasdaq Trader symbol directory. */
export const NASDAQ = defineSource({
  name: "nasdaq",
  official: false,
  terms: "No licence offered for the screener: personal use, throttled, replaceable.",
  fills: "US symbols with sectors and ETFs, the latest price of every share, daily bars.",
  requestsPerSecond: 0.5,
  timeoutMs: 60_000,
  maxBytes: 32 * 1024 * 1024,
  userAgent: "page",
  headers: { ...NASDAQ_HEADERS, Origin: "https://www.nasdaq.com" },
});
