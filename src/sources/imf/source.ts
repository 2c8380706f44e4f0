import { defineSource } from "#sources/source.ts";

/** The World Economic Outlook of the IMF. */
export const IMF = defineSource({
  name: "imf",
  official: true,
  terms: "Free with attribution; redistribution in bulk needs the IMF's permission.",
  fills: "Macro forecasts of Viet Nam (of the US and Japan where the OECD fails), public finances.",
  requestsPerSecond: 1,
  timeoutMs: 30_000,
  maxBytes: 8_000_000,
  // The second one refuses programs at times.
  doors: [{ host: "api.imf.org" }, { host: "www.imf.org" }],
});
