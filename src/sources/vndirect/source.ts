import { defineSource } from "#sources/source.ts";

/** The figures behind the pages of VNDirect, a Vietnamese broker. */
export const VNDIRECT = defineSource({
  name: "vndirect",
  official: false,
  terms: "An unofficial, undocumented service of a broker: personal use, replaceable.",
  fills: "The price/earnings history of the VN-Index, since December 2017.",
  requestsPerSecond: 0.5,
  timeoutMs: 30_000,
  maxBytes: 4_000_000,
  userAgent: "browser",
  headers: { Accept: "application/json" },
});
