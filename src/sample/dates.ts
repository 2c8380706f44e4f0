import { isSession } from "#analytics/sessions.ts";
import type { Country } from "#domain/country.ts";
import { addDays, dateOf, weekdayOf } from "#lib/date.ts";

/** From when the sample market has prices. */
export const EPOCH = "2015-07-01";

/** The session at whose end every price is the universe's, and earnings are what its P/E say. */
export const ANCHOR = "2025-10-01";

/** The last day of a month; months (1 to 12) beyond a year's run on into the next. */
export function endOfMonth(year: number, month: number): string {
  return dateOf(Date.UTC(year, month, 0));
}

/** The country's first session on the date or after it. */
export function sessionFrom(country: Country, date: string): string {
  return isSession(country, date) ? date : sessionFrom(country, addDays(date, 1));
}

/** The country's last session on the date or before it. */
export function sessionUpTo(country: Country, date: string): string {
  return isSession(country, date) ? date : sessionUpTo(country, addDays(date, -1));
}

/** The date that lies so many weekdays after another; a weekend counts as the Friday before it. */
export function addWeekdays(date: string, weekdays: number): string {
  const daysPastFriday = [2, 0, 0, 0, 0, 0, 1][weekdayOf(date)] ?? 0;
  const weekday = addDays(date, -daysPastFriday);
  const rest = weekdays % 5;
  const weekend = weekdayOf(weekday) + rest > 5 ? 2 : 0;
  return addDays(weekday, 7 * Math.floor(weekdays / 5) + rest + weekend);
}

/** Where the last of the ascending dates up to and with `date` stands; -1 where there is none. */
export function indexUpTo(dates: readonly string[], date: string): number {
  let [from, to] = [0, dates.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((dates[middle] ?? "") <= date) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** Years from one date to another. */
export function yearsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / (365.25 * 86_400_000);
}
