import { defineSource } from "#sources/source.ts";

/** The company filings of the U.S. Securities and Exchange Commission. */
export const SEC = defineSource({
  name: "sec",
  official: true,
  terms: "Public domain; at most 10 requests a second, with a contact in the User-Agent.",
  isRedistributable: true,
  fills: "Statements of all US companies, and the list of US symbols where Nasdaq's fails.",
  requestsPerSecond: 8,
  concurrency: 2,
  timeoutMs: 30_000,
  // The facts of a large company are 4 to 15 MB of JSON.
  maxBytes: 64 * 1024 * 1024,
  userAgent: "contact",
});
