import { defineSource } from "#sources/source.ts";

/** The statistics office's release calendar, computed by rule without a request. */
export const VIETNAM_RELEASES = defineSource({
  name: "vietnam-releases",
  official: true,
  terms: "No request is made: dates follow from the law on statistical releases.",
  isRedistributable: true,
  fills: "The economic calendar of Viet Nam: dates and times, no figures.",
  requestsPerSecond: 1,
  timeoutMs: 1_000,
  maxBytes: 1,
  isLocal: true,
});
