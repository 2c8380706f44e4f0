// Arithmetic on calendar dates as text, `YYYY-MM-DD`, which sorts chronologically.

/** The milliseconds of a day. */
export const DAY_MS = 86_400_000;
/** Some 40 years of days. */
const MAX_REMEMBERED = 15_000;

/** `Jan` to `Dec`. */
export const MONTH_NAMES = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const [DIGIT_0, HYPHEN] = [0x30, 0x2d];

/** True if the text is a valid calendar date: `2028-02-29`, but not `2026-02-29`. */
export function isDate(text: string): boolean {
  // Digit by digit, because a start checks two million bars, and a pattern takes three times as long.
  if (text.length !== 10 || text.charCodeAt(4) !== HYPHEN || text.charCodeAt(7) !== HYPHEN)
    return false;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 7);
  const day = digitsAt(text, 8, 10);
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1)) return false;
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (DAYS_IN_MONTH[month - 1] ?? 0) || (month === 2 && day === 29 && isLeapYear);
}

/** The number in the digits from one position to another; NaN if a character is no digit. */
function digitsAt(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - DIGIT_0;
    if (!(digit >= 0 && digit <= 9)) return Number.NaN;
    number = 10 * number + digit;
  }
  return number;
}

/** The first and the last date with a year of four digits, UTC milliseconds. */
const [FIRST, LAST] = [Date.parse("0000-01-01"), Date.parse("9999-12-31")];

/** The date of an instant; 0000-01-01 before it and 9999-12-31 after it, because longer years do not sort. */
const dateWithin = (utcMs: number) => dateOf(Math.min(Math.max(utcMs, FIRST), LAST));

/** The date `days` days after `date`, before it if negative; at most 9999-12-31, at least 0000-01-01. */
export function addDays(date: string, days: number): string {
  return dateWithin(Date.parse(date) + days * DAY_MS);
}

/**
 * The same day `months` months later (earlier if negative), or the last day of a shorter month; at most 9999-12-31, at
 * least 0000-01-01.
 */
export const addMonths: (date: string, months: number) => string = remembered((date, months) => {
  const moved = new Date(date);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  // If the month does not have that day, the date is in the next month: go back to the last day.
  if (moved.getUTCDate() !== Number(date.slice(8))) moved.setUTCDate(0);
  return dateWithin(moved.getTime());
});

/** The number of days from `from` to `to`; negative if `to` is earlier. */
export function daysBetween(from: string, to: string): number {
  return dayNumberOf(to) - dayNumberOf(from);
}

/** The number of days from 1970-01-01 to a date. */
export const dayNumberOf: (date: string) => number = remembered(
  (date) => Date.parse(date) / DAY_MS,
);

/**
 * Remembers the results of a function of a date. Companies share most of their dates, and own history asks for the
 * same ones thousands of times.
 */
function remembered<R>(find: (date: string, months: number) => R) {
  const results = new Map<number, Map<string, R>>();
  let size = 0;
  return (date: string, months = 0): R => {
    let ofMonths = results.get(months);
    const known = ofMonths?.get(date);
    if (known !== undefined) return known;
    const result = find(date, months);
    if (size++ >= MAX_REMEMBERED) {
      results.clear();
      size = 1;
      ofMonths = undefined;
    }
    if (!ofMonths) results.set(months, (ofMonths = new Map()));
    ofMonths.set(date, result);
    return result;
  };
}

/** The date of a number of days after 1970-01-01. */
export function dateOfDay(days: number): string {
  return dateOf(days * DAY_MS);
}

const [DAYS_OF_WEEK, THURSDAY] = [7, 4];

/** The day of the week, 0 (Sunday) to 6 (Saturday). */
export function weekdayOf(date: string): number {
  // 1970-01-01 was a Thursday. The first remainder is negative before it.
  return ((dayNumberOf(date) % DAYS_OF_WEEK) + THURSDAY + DAYS_OF_WEEK) % DAYS_OF_WEEK;
}

/** True for a Saturday or a Sunday. */
export function isWeekend(date: string): boolean {
  return weekdayOf(date) % 6 === 0;
}

/** An instant in UTC milliseconds as text for the name of a file: `20261120T173000Z`. */
export function fileTimeOf(utcMs: number): string {
  return new Date(utcMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

/** The UTC date of an instant in UTC milliseconds. */
export function dateOf(utcMs: number): string {
  const day = Math.floor(utcMs / DAY_MS);
  const known = DATES.get(day);
  if (known !== undefined) return known;
  if (DATES.size >= MAX_REMEMBERED) DATES.clear();
  const date = new Date(utcMs).toISOString().slice(0, 10);
  DATES.set(day, date);
  return date;
}

/** Dates by their number of days after 1970-01-01, because a look-up takes a tenth of the time of writing one. */
const DATES = new Map<number, string>();

/** The latest local date on earth at an instant in UTC milliseconds: clocks are at most 14 hours before UTC. */
export function latestDateOf(utcMs: number): string {
  return dateOf(utcMs + 14 * 3_600_000);
}
