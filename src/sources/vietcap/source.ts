import { defineSource } from "#sources/source.ts";

/** The company database behind the pages of Vietcap, a Vietnamese broker. */
export const VIETCAP = defineSource({
  name: "vietcap",
  official: false,
  terms: "An unofficial, undocumented service of a broker: personal use, replaceable.",
  fills:
    "Viet Nam's listed companies, their sectors, prices, statements, share counts, dividends, profiles and price targets.",
  requestsPerSecond: 0.5,
  timeoutMs: 30_000,
  maxBytes: 24_000_000,
  userAgent: "browser",
  headers: {
    Accept: "application/json",
    Origin: "https://trading.vietcap.com.vn",
    Referer: "https://trading.vietcap.com.vn/",
  },
});
