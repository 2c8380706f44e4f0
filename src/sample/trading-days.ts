import { lastCompletedSession, sessionsBetween } from "#analytics/sessions.ts";
import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import { addDays, dateOf, isWeekend } from "#lib/date.ts";
import { ANCHOR, EPOCH, indexUpTo, yearsBetween } from "./dates.ts";
import type { SampleListing } from "./universe.ts";

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
export interface TradingCalendar {
  /** Through the last completed day, or through the anchor if that is later. */
  readonly all: readonly string[];
  /** The completed days. */
  readonly completed: readonly string[];
  /** Years from the anchor to each of `all`. */
  readonly years: Float64Array;
  /** Index of the anchor in `all`. */
  readonly anchor: number;
}

/** The trading days through `now`, UTC milliseconds. */
export function tradingCalendar(kind: TradingDays, now: number): TradingCalendar {
  const last = isCountry(kind) ? lastCompletedSession(kind, now) : addDays(dateOf(now), -1);
  const through = last > ANCHOR ? last : ANCHOR;
  const all = isCountry(kind)
    ? sessionsBetween(kind, EPOCH, through)
    : daysBetween(EPOCH, through, kind === "days");
  return {
    all,
    completed: all.slice(0, indexUpTo(all, last) + 1),
    years: Float64Array.from(all, (date) => yearsBetween(ANCHOR, date)),
    anchor: all.indexOf(ANCHOR),
  };
}

/**
 * For each day of one calendar, the index of the newest day of another that is completed by its end. At
 * the close in Tokyo, New York's session of the same date is not completed.
 */
export function newestKnown(
  own: readonly [TradingDays, TradingCalendar],
  other: readonly [TradingDays, TradingCalendar],
): (day: number) => number {
  if (own[0] === other[0]) return (day) => day;
  const isLater = endOfDay(other[0]) > endOfDay(own[0]);
  const found = Int32Array.from(own[1].all, (date) =>
    Math.max(indexUpTo(other[1].all, isLater ? addDays(date, -1) : date), 0),
  );
  return (day) => found[day] ?? 0;
}

function endOfDay(kind: TradingDays): string {
  return isCountry(kind) ? COUNTRIES[kind].sessionCompleteUtc : "24:00";
}

function isCountry(kind: TradingDays): kind is Country {
  return (COUNTRY_CODES as readonly string[]).includes(kind);
}

function daysBetween(from: string, to: string, withWeekends: boolean): string[] {
  const days: string[] = [];
  for (let date = from; date <= to; date = addDays(date, 1))
    if (withWeekends || !isWeekend(date)) days.push(date);
  return days;
}
