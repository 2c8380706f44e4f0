import { signal } from "@preact/signals";

/** How far the service's clock is ahead of the browser's, in milliseconds; 0 while they agree. */
const ahead = signal(0);

/** Clocks that differ by less are taken as equal: an answer takes time, and pages show no seconds. */
const AGREEING_MS = 120_000;

/** The past day that the page shows, `2023-03-31`; null for the present. */
export const pageDay = signal<string | null>(null);

const DAY_MS = 86_400_000;

/** The time of the service, UTC milliseconds, also while the page shows a past day. */
export const serviceNow = (): number => Date.now() + ahead.value;

/**
 * The time of the service, UTC milliseconds, or the end of the page's past day. All pages use it, because it decides
 * what the service answers, and the browser's clock may be wrong. A component that asks is drawn again when it changes.
 */
export function timeNow(): number {
  const now = serviceNow();
  return pageDay.value === null ? now : Math.min(now, Date.parse(pageDay.value) + DAY_MS - 1);
}

/** Compares the clocks. @param time of the service, ISO 8601 @param received by the browser's clock */
export function compareClocks(time: string, received = Date.now()): void {
  const found = Date.parse(time) - received;
  ahead.value = Math.abs(found) < AGREEING_MS ? 0 : found;
}
