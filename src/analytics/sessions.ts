import type { HalfDay, Holiday, HolidayOverride } from "#domain/calendar-event.ts";
import {
  COUNTRIES,
  type Country,
  localDateOf,
  priceDateOf,
  sessionOpensAt,
} from "#domain/country.ts";
import { type AssetType, isShare } from "#domain/instrument.ts";
import { addDays, dateOf, dateOfDay, dayNumberOf, isWeekend } from "#lib/date.ts";
import { instantIn } from "#lib/zone.ts";
import { exchangeHolidays, halfDays } from "./exchange-holidays.ts";

/**
 * True if the country's exchanges trade on that local date. `overrides` are the stored decrees. Callers
 * with access to the store must pass them, here and to the other functions of this file.
 */
export function isSession(
  country: Country,
  date: string,
  overrides: readonly HolidayOverride[] = [],
): boolean {
  if (isWeekend(date)) return false;
  const override = overrides.findLast((o) => o.country === country && o.date === date);
  return override ? !override.closed : sessionsOfYear(country, yearOf(date), []).has(date);
}

/** The local dates from `from` to `to` (inclusive) on which the exchanges trade, oldest first. */
export function sessionsBetween(
  country: Country,
  from: string,
  to: string,
  overrides: readonly HolidayOverride[] = [],
): string[] {
  const sessions: string[] = [];
  for (let year = yearOf(from); year <= yearOf(to); year++)
    for (const date of sessionsOfYear(country, year, overrides))
      if (date >= from && date <= to) sessions.push(date);
  return sessions;
}

/**
 * The local date of the latest session that is complete at `nowMs` (UTC milliseconds). In all three
 * countries the local date at the close equals the UTC date, so one UTC time of day is enough.
 */
export function lastCompletedSession(
  country: Country,
  nowMs: number,
  overrides: readonly HolidayOverride[] = [],
): string {
  const today = dateOf(nowMs);
  const completeAt = Date.parse(`${today}T${COUNTRIES[country].sessionCompleteUtc}Z`);
  let date = nowMs < completeAt ? addDays(today, -1) : today;
  while (!isSession(country, date, overrides)) date = addDays(date, -1);
  return date;
}

/** The longest supported time without a session: a week of closures with its weekends. */
const LONGEST_PAUSE_DAYS = 14;

/** The local date of the session that opened last at `nowMs` (UTC milliseconds); it may be open. */
export function sessionOpenedLast(
  country: Country,
  nowMs: number,
  overrides: readonly HolidayOverride[] = [],
): string {
  const latest = priceDateOf(country, nowMs);
  const earliest = addDays(latest, -LONGEST_PAUSE_DAYS);
  return sessionsBetween(country, earliest, latest, overrides).at(-1) ?? latest;
}

/**
 * How old an answer may be at `nowMs` if its prices have no date, in milliseconds: at most `maxAgeMs`. An
 * answer from before today's opening is too old, because its prices are of an earlier session.
 */
export function maxPriceAgeMs(country: Country, nowMs: number, maxAgeMs: number): number {
  const openForMs = nowMs - sessionOpensAt(country, localDateOf(country, nowMs));
  return openForMs >= 0 ? Math.min(openForMs, maxAgeMs) : maxAgeMs;
}

/** True if a session of the country is open at `nowMs` (UTC milliseconds), or is not complete yet. */
export function isSessionOpen(
  country: Country,
  nowMs: number,
  overrides: readonly HolidayOverride[] = [],
): boolean {
  const today = localDateOf(country, nowMs);
  const completeAt = Date.parse(`${today}T${COUNTRIES[country].sessionCompleteUtc}Z`);
  return (
    nowMs < completeAt &&
    nowMs >= sessionOpensAt(country, today) &&
    isSession(country, today, overrides)
  );
}

/** The local time at which the last exchange of a country closes. In Viet Nam it is HNX, after HOSE. */
const LAST_CLOSE: Readonly<Record<Country, string>> = {
  US: COUNTRIES.US.tradingHours[0].closes,
  JP: COUNTRIES.JP.tradingHours[1].closes,
  VN: "15:00",
};

/**
 * True if the bar of a date is final at `nowMs` (UTC milliseconds). A share or an index has a session, which may end
 * early. Everything else has days of UTC.
 */
export function isDayOver(
  { country, assetType }: { readonly country: Country; readonly assetType: AssetType },
  date: string,
  nowMs: number,
  overrides: readonly HolidayOverride[] = [],
): boolean {
  if (!isShare(assetType) && assetType !== "index") return date < dateOf(nowMs);
  const [halfDay] = upcomingHalfDays(country, date, 0, overrides);
  const closes = halfDay?.closesAt ?? LAST_CLOSE[country];
  return nowMs >= instantIn(COUNTRIES[country].timeZone, date, closes);
}

/** What an exchange does at an instant: it trades, pauses at noon, or is closed. */
export const EXCHANGE_STATUSES = ["open", "break", "closed"] as const;

/** The status of a country's exchange at `nowMs`, and the instant at which it changes (UTC milliseconds). */
export function exchangeState(
  country: Country,
  nowMs: number,
  overrides: readonly HolidayOverride[] = [],
): { readonly status: (typeof EXCHANGE_STATUSES)[number]; readonly until: number } {
  const { timeZone } = COUNTRIES[country];
  for (let date = localDateOf(country, nowMs); ; date = addDays(date, 1)) {
    if (!isSession(country, date, overrides)) continue;
    for (const [part, { opens, closes }] of sessionParts(country, date, overrides).entries()) {
      const opensAt = instantIn(timeZone, date, opens);
      const closesAt = instantIn(timeZone, date, closes);
      if (nowMs < opensAt) return { status: part > 0 ? "break" : "closed", until: opensAt };
      if (nowMs < closesAt) return { status: "open", until: closesAt };
    }
  }
}

/** A part of a session in local time: `09:00` to `11:30`. */
export interface SessionPart {
  readonly opens: string;
  readonly closes: string;
}

/** The parts of the session of that local date, earliest first. An early close ends the part that it is in. */
export function sessionParts(
  country: Country,
  date: string,
  overrides: readonly HolidayOverride[] = [],
): SessionPart[] {
  const [{ closesAt } = { closesAt: "24:00" }] = upcomingHalfDays(country, date, 0, overrides);
  return COUNTRIES[country].tradingHours
    .filter(({ opens }) => opens < closesAt)
    .map(({ opens, closes }) => ({ opens, closes: closes < closesAt ? closes : closesAt }));
}

/** The exchange holidays from `fromDate` to `days` days later (inclusive), soonest first. */
export function upcomingHolidays(
  country: Country,
  fromDate: string,
  days: number,
  overrides: readonly HolidayOverride[] = [],
): Holiday[] {
  return upcoming(fromDate, days, (year) => exchangeHolidays(country, year, overrides));
}

/** The half days from `fromDate` to `days` days later (inclusive), soonest first. */
export function upcomingHalfDays(
  country: Country,
  fromDate: string,
  days: number,
  overrides: readonly HolidayOverride[] = [],
): HalfDay[] {
  return upcoming(fromDate, days, (year) => halfDays(country, year, overrides));
}

function upcoming<T extends Holiday>(
  fromDate: string,
  days: number,
  ofYear: (year: number) => readonly T[],
): T[] {
  const to = addDays(fromDate, days);
  const found: T[] = [];
  for (let year = yearOf(fromDate); year <= yearOf(to); year++) found.push(...ofYear(year));
  return found.filter(({ date }) => date >= fromDate && date <= to);
}

function yearOf(date: string): number {
  return Number(date.slice(0, 4));
}

/** The sessions of years without overrides, by country and year. */
const sessionsByRule = new Map<string, ReadonlySet<string>>();

/** The sessions of a year in order; cached if no override is in that year. */
function sessionsOfYear(
  country: Country,
  year: number,
  overrides: readonly HolidayOverride[],
): ReadonlySet<string> {
  const key = `${country}${year}`;
  const isOverridden = overrides.some((o) => o.country === country && yearOf(o.date) === year);
  const cached = isOverridden ? undefined : sessionsByRule.get(key);
  if (cached) return cached;
  const holidays = new Set(exchangeHolidays(country, year, overrides).map(({ date }) => date));
  const sessions = new Set<string>();
  const text = String(year).padStart(4, "0");
  const last = dayNumberOf(`${text}-12-31`);
  for (let day = dayNumberOf(`${text}-01-01`); day <= last; day++) {
    const date = dateOfDay(day);
    if (!isWeekend(date) && !holidays.has(date)) sessions.add(date);
  }
  if (!isOverridden) sessionsByRule.set(key, sessions);
  return sessions;
}
