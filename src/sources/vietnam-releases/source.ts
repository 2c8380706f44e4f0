import { defineSource } from "#sources/source.ts";

/** No service: the statistics office's release calendar as a rule. */
export const VIETNAM_RELEASES = defineSource({
  name: "vietnam-releases",
  official: true,
  terms: "No request is made: dates follow from the law on statistical releases.",
  fills: "The economic calendar of Viet Nam: dates and times, no figures.",
  requestsPerSecond: 1,
  concurrency: 1,
  timeoutMs: 1_000,
  maxBytes: 1,
  userAgent: "program",
});
