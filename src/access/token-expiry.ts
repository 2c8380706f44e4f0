import { invalidArgument } from "#domain/errors.ts";
import { addDays, addMonths, dateOf, isDate } from "#lib/date.ts";

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

const LAST_DATE = "9999-12-31";

const MONTHS: Readonly<Record<string, number>> = { m: 1, y: 12 };

/**
 * When a token expires, UTC milliseconds: `12h`, `90d`, `8w`, `3m` (months) or `1y` after `now`, or the end
 * of a UTC date. `name` is the name of the argument in errors.
 *
 * @throws BourseError if the time is not in the future or after the year 9999
 */
export function parseExpiry(text: string, now: number, name: string): number {
  if (isDate(text)) {
    const end = Date.parse(addDays(text, 1));
    if (end > now) return end;
    throw invalidArgument(`${name} ${text} is in the past.`);
  }
  const expiresAt = addTime(text, now);
  if (expiresAt !== null) return expiresAt;
  throw invalidArgument(
    `${name} must be a time such as 12h, 90d, 8w, 3m or 1y, or a date such as ${addMonths(dateOf(now), 3)}, not ${text || "empty"}.`,
  );
}

/** `now` and the written time after it; null if the text is no time or the sum is after the year 9999. */
function addTime(text: string, now: number): number | null {
  const [, written, unit = ""] = /^([1-9]\d{0,4})([hdwmy])$/.exec(text) ?? [];
  if (written === undefined) return null;
  const count = Number(written);
  const lengthMs = UNIT_MS[unit];
  if (lengthMs !== undefined) return now + count * lengthMs;
  const today = dateOf(now);
  const date = addMonths(today, count * (MONTHS[unit] ?? 0));
  // A sum of dates ends there.
  return date < LAST_DATE ? Date.parse(date) + (now - Date.parse(today)) : null;
}
