import { defineSource } from "#sources/source.ts";

/** The summary data page of Viet Nam. */
export const NSO = defineSource({
  name: "nso",
  official: true,
  terms: "Public under the IMF's e-GDDS; attribution.",
  fills: "Macro series of Viet Nam.",
  requestsPerSecond: 1,
  timeoutMs: 60_000,
  maxBytes: 16_000_000,
});
