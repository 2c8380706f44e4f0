import { defineSource } from "#sources/source.ts";

/** The interest rates of government bonds that Japan's Ministry of Finance publishes. */
export const MOF = defineSource({
  name: "mof",
  official: true,
  terms:
    "Public Data License 1.0 of Japan's government: free use with the source's name, Ministry of Finance.",
  isRedistributable: true,
  fills: "The yield curve of Japan by day, 15 maturities.",
  requestsPerSecond: 0.5,
  timeoutMs: 30_000,
  maxBytes: 8_000_000,
});
