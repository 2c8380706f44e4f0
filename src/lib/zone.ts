// Dates and times of day in a time zone, such as `Asia/Tokyo`.

import { Memo } from "./memo.ts";

/** There are about 450 zones, but a list of a source can spell each zone in many ways. */
const MAX_FORMATS = 100;
// Creating a format takes about 30 times as long as using it.
const dateFormats = new Memo<Intl.DateTimeFormat>(MAX_FORMATS);
const timeFormats = new Memo<Intl.DateTimeFormat>(MAX_FORMATS);

/** The cached format of a time zone. */
function formatOf(
  formats: Memo<Intl.DateTimeFormat>,
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  // Swedish dates and times have the format of ISO 8601.
  return formats.get(timeZone, () => new Intl.DateTimeFormat("sv-SE", { timeZone, ...options }));
}

/**
 * The local date of a time zone, `YYYY-MM-DD`, at an instant in UTC milliseconds.
 *
 * @throws RangeError if the time zone is unknown
 */
export function dateIn(timeZone: string, utcMs: number): string {
  return formatOf(dateFormats, timeZone, {}).format(utcMs);
}

/**
 * The local time of a time zone, `08:30`, at an instant in UTC milliseconds.
 *
 * @throws RangeError if the time zone is unknown
 */
export function timeIn(timeZone: string, utcMs: number): string {
  return formatOf(timeFormats, timeZone, { hour: "2-digit", minute: "2-digit" }).format(utcMs);
}

/**
 * The local time of a time zone with its offset from UTC, `08:50+09:00` (ISO 8601), at an instant in UTC
 * milliseconds.
 *
 * @throws RangeError if the time zone is unknown
 */
export function offsetTimeIn(timeZone: string, utcMs: number): string {
  const [date, time] = [dateIn(timeZone, utcMs), timeIn(timeZone, utcMs)];
  const minutes = Math.round((Date.parse(`${date}T${time}Z`) - utcMs) / 60_000);
  const hours = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, "0");
  const rest = String(Math.abs(minutes) % 60).padStart(2, "0");
  return `${time}${minutes < 0 ? "-" : "+"}${hours}:${rest}`;
}

/**
 * The instant, in UTC milliseconds, of a local date and time (`08:30`) of a time zone. A time in the
 * hour that is skipped in spring is one hour off.
 *
 * @throws RangeError if the time zone is unknown
 */
export function instantIn(timeZone: string, date: string, time: string): number {
  const clockMs = (utcMs: number) =>
    Date.parse(`${dateIn(timeZone, utcMs)}T${timeIn(timeZone, utcMs)}Z`);
  const wantedMs = Date.parse(`${date}T${time}Z`);
  // The offset at the first guess, then the offset at the corrected guess.
  const guess = wantedMs + (wantedMs - clockMs(wantedMs));
  return guess + (wantedMs - clockMs(guess));
}
