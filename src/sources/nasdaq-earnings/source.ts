import { NASDAQ_HEADERS } from "#sources/nasdaq/source.ts";
import { defineSource } from "#sources/source.ts";

/** Nasdaq's calendar of company reports. */
export const NASDAQ_EARNINGS = defineSource({
  name: "nasdaq-earnings",
  official: false,
  terms: "The unofficial calls of a public page: personal use, called rarely.",
  fills: "When US companies report or have reported, with earnings and the analysts' estimate.",
  requestsPerSecond: 1,
  timeoutMs: 20_000,
  maxBytes: 4_000_000,
  userAgent: "page",
  headers: NASDAQ_HEADERS,
});
