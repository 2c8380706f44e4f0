import { defineSource } from "#sources/source.ts";

/** The reference rates of the European Central Bank, as the open service Frankfurter gives them. */
export const FRANKFURTER = defineSource({
  name: "frankfurter",
  official: true,
  terms: "Free with attribution: reference rates of the European Central Bank, by frankfurter.dev.",
  isRedistributable: true,
  fills: "Exchange rates of the European Central Bank: a second witness, and prices of pairs.",
  requestsPerSecond: 1,
  timeoutMs: 30_000,
  maxBytes: 4_000_000,
});
