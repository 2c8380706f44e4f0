import { defineSource } from "#sources/source.ts";

/** The chart service of Entrade (DNSE), a Vietnamese broker. */
export const ENTRADE = defineSource({
  name: "entrade",
  official: false,
  terms: "An unofficial, undocumented service of a broker: personal use, replaceable.",
  fills: "Daily prices of Viet Nam's shares, funds and indexes.",
  requestsPerSecond: 1,
  concurrency: 2,
  timeoutMs: 20_000,
  maxBytes: 8_000_000,
  userAgent: "browser",
  headers: { Accept: "application/json", Referer: "https://entrade.com.vn/" },
});
