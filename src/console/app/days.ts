import type { KeptDays } from "#operations/get-macro-calendar.ts";
import { pageDay, timeNow } from "./clock.ts";
import { reader } from "./reader.ts";

/** The date of an instant in the reader's time zone, or in UTC: `2026-11-23`. */
export function dateOf(at: number, isUtc = false): string {
  const timeZone = isUtc ? "UTC" : reader.value.timeZone;
  // Swedish dates have the format of ISO 8601.
  return new Date(at).toLocaleDateString("sv-SE", timeZone === undefined ? {} : { timeZone });
}

/** The past day of the page, or the reader's day now. */
export const today = (): string => pageDay.value ?? dateOf(timeNow());

const DAY_MS = 86_400_000;

/** A date some days later. @param date `2026-11-25` */
export function addDays(date: string, days: number): string {
  return dateOf(Date.parse(date) + days * DAY_MS, true);
}

/** The Monday of a date's week. @param date `2026-11-25`, whose Monday is `2026-11-23` */
export function mondayOf(date: string): string {
  return addDays(date, -((new Date(date).getUTCDay() + 6) % 7));
}

/** The same day some months earlier, or the last day of that month if it is shorter. @param date `2026-03-31` */
export function monthsBefore(date: string, months: number): string {
  const [year = 0, month = 0, day = 0] = date.split("-").map(Number);
  const last = new Date(Date.UTC(year, month - months, 0));
  return dateOf(last.setUTCDate(Math.min(day, last.getUTCDate())), true);
}

/** The days of a week on a page: of the calendar, and of a list's next reports. */
export const WEEK_DAYS = 7;

/** The UTC dates on which the reader's days can lie: with one more at each end, whatever the time zone. */
export function utcDatesOf(
  from: string,
  to: string,
): { readonly from: string; readonly to: string } {
  return { from: addDays(from, -1), to: addDays(to, 1) };
}

/** The number of days for which the service keeps past events. */
const KEPT_DAYS: KeptDays = 60;

/** The oldest UTC date whose events are kept. @param now UTC milliseconds */
export function oldestDate(now: number): string {
  return addDays(dateOf(now, true), -KEPT_DAYS);
}

/**
 * The UTC dates of the reader's days, without those whose events are not kept. Days that are all too old
 * stay as they are, so that the service says so. @param now UTC milliseconds
 */
export function keptDatesOf(
  from: string,
  to: string,
  now: number,
): { readonly from: string; readonly to: string } {
  const dates = utcDatesOf(from, to);
  const oldest = oldestDate(now);
  return dates.from < oldest && oldest <= dates.to ? { ...dates, from: oldest } : dates;
}
