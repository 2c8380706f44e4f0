import { isSession, lastCompletedSession, sessionsBetween } from "#analytics/sessions.ts";
import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import { addDays, dateOf, DAY_MS, isWeekend } from "#lib/date.ts";
import type { SampleListing } from "./universe.ts";

/** The first date with prices. */
const EPOCH = "2015-07-01";

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
  return (Date.parse(to) - Date.parse(from)) / (365.25 * DAY_MS);
}

/** The days on which an instrument trades: its country's sessions, all weekdays, or all days. */
export type TradingDays = Country | "weekdays" | "days";

/**
 * The trading days of a listing. Cryptocurrencies trade on all days, currencies and the dollar index on
 * all weekdays; both kinds of day end at midnight UTC.
 */
export function tradingDaysOf({ country, symbol, assetType }: SampleListing): TradingDays {
  if (assetType === "cryptocurrency") return "days";
  return assetType === "currency" || symbol === "DX-Y.NYB" ? "weekdays" : country;
}

/** The days of one kind since the epoch. */
export type TradingCalendar = Readonly<ReturnType<typeof tradingCalendar>>;

/** The trading days through `now`, UTC milliseconds. */
export function tradingCalendar(kind: TradingDays, now: number) {
  const country = COUNTRY_CODES.find((code) => code === kind);
  const last = country ? lastCompletedSession(country, now) : addDays(dateOf(now), -1);
  const through = last > ANCHOR ? last : ANCHOR;
  const all = country ? sessionsBetween(country, EPOCH, through) : [];
  for (let date = EPOCH; !country && date <= through; date = addDays(date, 1))
    if (kind === "days" || !isWeekend(date)) all.push(date);
  return {
    /** Through the last completed day, or through the anchor if that is later. */
    all,
    /** The completed days. */
    completed: all.slice(0, indexUpTo(all, last) + 1),
    /** Years from the anchor to each of `all`. */
    years: Float64Array.from(all, (date) => yearsBetween(ANCHOR, date)),
    /** Index of the anchor in `all`. */
    anchor: all.indexOf(ANCHOR),
    /** The UTC time at which a day ends. */
    endsAt: country ? COUNTRIES[country].sessionCompleteUtc : "24:00",
  };
}

/**
 * For each day of one calendar, the index of the newest day of another that is completed by its end. At
 * the close in Tokyo, New York's session of the same date is not completed.
 */
export function newestKnown(own: TradingCalendar, other: TradingCalendar): Int32Array {
  const daysBack = other.endsAt > own.endsAt ? -1 : 0;
  return Int32Array.from(own.all, (date) =>
    Math.max(indexUpTo(other.all, daysBack < 0 ? addDays(date, daysBack) : date), 0),
  );
}
