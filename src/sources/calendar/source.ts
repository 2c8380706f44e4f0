import { NASDAQ_HEADERS } from "#sources/nasdaq/source.ts";
import { defineSource } from "#sources/source.ts";

/** Two public calendars, called together, because neither has all facts about an event. */
export const CALENDAR = defineSource({
  name: "calendar",
  official: false,
  terms: "Unofficial: a public export and the calls of a public page; personal use, called rarely.",
  fills: "The economic calendar of the United States and Japan, two weeks ahead.",
  requestsPerSecond: 1,
  timeoutMs: 20_000,
  maxBytes: 4_000_000,
  userAgent: "page",
  headers: NASDAQ_HEADERS,
});
