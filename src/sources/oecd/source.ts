import { defineSource } from "#sources/source.ts";

/** The SDMX service of the OECD. */
export const OECD = defineSource({
  name: "oecd",
  official: true,
  terms: "CC BY 4.0; about 60 requests an hour from one address.",
  isRedistributable: true,
  fills: "Macro series of Japan, macro forecasts of the US and Japan by quarter.",
  requestsPerSecond: 0.5,
  timeoutMs: 60_000,
  maxBytes: 16_000_000,
  headers: { accept: "application/vnd.sdmx.data+csv; charset=utf-8" },
});
