import { defineSource } from "#sources/source.ts";

/** Yahoo Finance: the requests of its web pages, without a key and without a licence. */
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

/** The host of all requests except the one for the session cookie. */
export const YAHOO_API = "https://query1.finance.yahoo.com";
