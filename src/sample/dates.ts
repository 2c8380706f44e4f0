import { isSession } from "#analytics/sessions.ts";
import type { Country } from "#domain/country.ts";
import { addDays, dateOf, weekdayOf } from "#lib/date.ts";

/** The first date with prices. */
export const EPOCH = "2015-07-01";

/** The session at which all closes and trailing earnings equal the universe's prices and P/E. */
export const ANCHOR = "2025-10-01";

/** The last day of a month (1 to 12). Month 13 is January of the next year. */
export function endOfMonth(year: number, month: number): string {
  return dateOf(Date.UTC(year, month, 0));
}

/** The country's first session on the date or after it. */
export function sessionOnOrAfter(country: Country, date: string): string {
  return isSession(country, date) ? date : sessionOnOrAfter(country, addDays(date, 1));
}

/** The country's last session on the date or before it. */
export function sessionOnOrBefore(country: Country, date: string): string {
  return isSession(country, date) ? date : sessionOnOrBefore(country, addDays(date, -1));
}

/** The date that many weekdays after another. A weekend counts as the Friday before it. */
export function addWeekdays(date: string, weekdays: number): string {
  const daysPastFriday = [2, 0, 0, 0, 0, 0, 1][weekdayOf(date)] ?? 0;
  const weekday = addDays(date, -daysPastFriday);
  const rest = weekdays % 5;
  const weekend = weekdayOf(weekday) + rest > 5 ? 2 : 0;
  return addDays(weekday, 7 * Math.floor(weekdays / 5) + rest + weekend);
}

/** The index of the last of the ascending dates that is not after `date`; -1 if all are after it. */
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
