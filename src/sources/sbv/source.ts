import { defineSource } from "#sources/source.ts";

/** The State Bank of Viet Nam: the articles of its site, and its figures at the IMF. */
export const SBV = defineSource({
  name: "sbv",
  official: true,
  terms: "Public figures of the bank, with attribution; the IMF's copies too.",
  fills: "Money supply, policy rate and exchange rate of Viet Nam.",
  requestsPerSecond: 1,
  timeoutMs: 20_000,
  maxBytes: 8_000_000,
  // The bank's own site has no file of rates since it moved, so these come from the second host.
  doors: [{ host: "sbv.gov.vn" }, { host: "api.imf.org" }],
});
