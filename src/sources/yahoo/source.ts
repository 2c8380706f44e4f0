import { defineSource, type Door } from "#sources/source.ts";

/**
 * Yahoo Finance: the requests of its web pages, without a key and without a licence. It refuses the name of
 * a whole browser, because the rest of the connection is not a browser's.
 */
export const YAHOO = defineSource({
  name: "yahoo",
  official: false,
  terms: "No licence is offered: personal use only, nothing may be redistributed.",
  fills:
    "Prices, quotes, sectors, dividends, splits, profiles, analysts, earnings dates, statements; all countries.",
  requestsPerSecond: 1,
  concurrency: 2,
  tooManyRequestsMs: 15 * 60_000,
  timeoutMs: 15_000,
  maxBytes: 8_000_000,
  userAgent: "browser",
});

/** The hosts that set the session cookie. Ad blockers block the first one. */
export const COOKIE_DOORS: readonly Door[] = [
  { host: "fc.yahoo.com" },
  { host: "finance.yahoo.com" },
];

/** The host of all requests except those for the session cookie. */
export const YAHOO_API = "https://query1.finance.yahoo.com";
