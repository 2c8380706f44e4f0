import type { Fetcher } from "./fetcher.ts";

/**
 * Every live fetcher. Of two that bring the same kind of record for the same country, the first is
 * preferred; the next one is asked where it fails or has nothing.
 */
export const FETCHERS: readonly Fetcher[] = [];
