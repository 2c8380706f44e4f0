import { defineSource } from "#sources/source.ts";

/** The program's own list. It needs no network. */
export const REFERENCE = defineSource({
  name: "reference",
  official: true,
  terms: "Part of the program.",
  isRedistributable: true,
  fills: "Indices, currencies, commodities, cryptocurrencies: names and symbols, no figures.",
  requestsPerSecond: 1,
  timeoutMs: 1,
  maxBytes: 1,
  isLocal: true,
});
