// Dates and times of day in a time zone, such as `Asia/Tokyo`.

/** @throws RangeError if the time zone is unknown */
const zoned = (timeZone: string, utcMs: number): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(Math.floor(utcMs)).toZonedDateTimeISO(timeZone);

const minuteOf = (time: Temporal.ZonedDateTime): string =>
  time.toPlainTime().toString({ smallestUnit: "minute" });

/** The local date of a time zone, `YYYY-MM-DD`, at an instant in UTC milliseconds. */
export const dateIn = (timeZone: string, utcMs: number): string =>
  zoned(timeZone, utcMs).toPlainDate().toString();

/** The local time of a time zone, `08:30`, at an instant in UTC milliseconds. */
export const timeIn = (timeZone: string, utcMs: number): string => minuteOf(zoned(timeZone, utcMs));

/**
 * The local time of a time zone with its offset from UTC, `08:50+09:00` (ISO 8601), at an instant in UTC
 * milliseconds.
 */
export function offsetTimeIn(timeZone: string, utcMs: number): string {
  const time = zoned(timeZone, utcMs);
  return `${minuteOf(time)}${time.offset}`;
}

/**
 * The instant, in UTC milliseconds, of a local date and time (`08:30`) of a time zone. A time that is skipped in spring
 * is as long after the hour before it; of a time that occurs twice in autumn, it is the first.
 */
export const instantIn = (timeZone: string, date: string, time: string): number =>
  Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(timeZone).epochMilliseconds;
