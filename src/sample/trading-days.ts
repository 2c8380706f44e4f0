import { lastCompletedSession, sessionsBetween } from "#analytics/sessions.ts";
import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import { addDays, dateOf, isWeekend } from "#lib/date.ts";
import { ANCHOR, EPOCH, indexUpTo, yearsBetween } from "./dates.ts";
import type { SampleListing } from "./universe.ts";

/** When something trades: in its country's sessions, on all weekdays, or on all days. */
export type TradingDays = Country | "weekdays" | "days";

/**
 * Coins trade on every day; currencies and the dollar index on every weekday. Both days end at
 * midnight UTC.
 */
export function tradingDaysOf({ country, symbol, assetType }: SampleListing): TradingDays {
  if (assetType === "cryptocurrency") return "days";
  return assetType === "currency" || symbol === "DX-Y.NYB" ? "weekdays" : country;
}

/** The days of one kind since the epoch. */
export interface TradingCalendar {
  /** Through the last that is over, or through the anchor where that is later. */
  readonly all: readonly string[];
  /** Those that are over. */
  readonly completed: readonly string[];
  /** Years from the anchor to each. */
  readonly years: Float64Array;
  /** Where the anchor stands. */
  readonly anchor: number;
}

/** The trading days as they are at `now`. */
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
 * For each day of one calendar, where the newest day of another stands that is over by its end. What
 * closes later in the UTC day does not count on the same date: Tokyo does not know New York's close yet.
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
