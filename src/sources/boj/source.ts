import { defineSource } from "#sources/source.ts";

/** The Time-Series Data Search of the Bank of Japan, as an API since February 2026. */
export const BOJ = defineSource({
  name: "boj",
  official: true,
  terms:
    'Free, called rarely. "This service uses the API provided by the Bank of Japan Time-Series Data Search. The Bank of Japan does not guarantee the content of the service."',
  fills: "Macro series of Japan: call rate, money, producer prices, the Tankan.",
  // It blocks frequent access, without a documented limit.
  requestsPerSecond: 0.5,
  timeoutMs: 30_000,
  maxBytes: 4_000_000,
});
