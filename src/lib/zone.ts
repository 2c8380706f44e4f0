/** Dates and times of day in a time zone, such as `Asia/Tokyo`. */

/** There are some 450 zones; a foreign list could name each of them in many spellings. */
const MAX_FORMATS = 100;
type Formats = Map<string, Intl.DateTimeFormat>;
const dateFormats: Formats = new Map();
const timeFormats: Formats = new Map();

/** To create a format takes some 30 times as long as to use it. */
function formatOf(
  formats: Formats,
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  // Swedish texts have the order and the digits of ISO 8601.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, ...options });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(timeZone, format);
  return format;
}

/**
 * The date, `YYYY-MM-DD`, that clocks in a time zone show at an instant in UTC milliseconds.
 *
 * @throws RangeError if the time zone is unknown
 */
export function dateIn(timeZone: string, utcMs: number): string {
  return formatOf(dateFormats, timeZone, {}).format(utcMs);
}

/**
 * The time of day, `08:30`, that clocks in a time zone show at an instant in UTC milliseconds.
 *
 * @throws RangeError if the time zone is unknown
 */
export function timeIn(timeZone: string, utcMs: number): string {
  return formatOf(timeFormats, timeZone, { hour: "2-digit", minute: "2-digit" }).format(utcMs);
}

/**
 * The instant, in UTC milliseconds, at which clocks in a time zone show a date and a time (`08:30`).
 * For the hour that clocks skip in spring it is an hour off.
 *
 * @throws RangeError if the time zone is unknown
 */
export function instantIn(timeZone: string, date: string, time: string): number {
  const clockMs = (utcMs: number) =>
    Date.parse(`${dateIn(timeZone, utcMs)}T${timeIn(timeZone, utcMs)}Z`);
  const wantedMs = Date.parse(`${date}T${time}Z`);
  // The offset at a first guess, then the offset at the guess made with it.
  const guess = wantedMs + (wantedMs - clockMs(wantedMs));
  return guess + (wantedMs - clockMs(guess));
}
