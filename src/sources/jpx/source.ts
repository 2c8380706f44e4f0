import { defineSource } from "#sources/source.ts";

/** Japan Exchange Group: the list of issues in Tokyo, updated every month. */
export const JPX = defineSource({
  name: "jpx",
  official: true,
  terms: "Free to view and for your own use; no resale or redistribution.",
  fills:
    "The listing of Japan with types, segments and sectors, and the announced dates of reports.",
  requestsPerSecond: 0.5,
  timeoutMs: 30_000,
  maxBytes: 8 * 1_024 * 1_024,
});
