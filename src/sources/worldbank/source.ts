import { defineSource } from "#sources/source.ts";

/** The indicators of the World Bank. */
export const WORLD_BANK = defineSource({
  name: "worldbank",
  official: true,
  terms: "CC BY 4.0.",
  isRedistributable: true,
  fills: "Annual macro series where no national source has one.",
  requestsPerSecond: 2,
  timeoutMs: 20_000,
  maxBytes: 4_000_000,
});
