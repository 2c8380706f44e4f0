import { defineSource } from "#sources/source.ts";

/** The price board of SSI, a Vietnamese broker. */
export const SSI = defineSource({
  name: "ssi",
  official: false,
  terms: "An unofficial, undocumented service of a broker: personal use, replaceable.",
  fills:
    "Viet Nam's trades of foreigners, the members of the VN30; the listed shares and their prices where Vietcap and Yahoo refuse; no sectors.",
  requestsPerSecond: 0.5,
  timeoutMs: 20_000,
  maxBytes: 16_000_000,
  userAgent: "browser",
  headers: {
    Accept: "application/json",
    Origin: "https://iboard.ssi.com.vn",
    Referer: "https://iboard.ssi.com.vn/",
  },
});
