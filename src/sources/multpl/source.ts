import { defineSource } from "#sources/source.ts";

/** multpl.com: ratios of the S&P 500 on public pages. */
export const MULTPL = defineSource({
  name: "multpl",
  official: false,
  terms: "No licence is stated: personal use. Off unless BOURSE_SOURCES names it.",
  fills: "The monthly price/earnings history of the S&P 500 from July 2023 on.",
  requestsPerSecond: 0.2,
  timeoutMs: 20_000,
  maxBytes: 4_000_000,
  isOffByDefault: true,
});
