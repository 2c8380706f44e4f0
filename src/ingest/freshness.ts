import { lastCompletedSession } from "#analytics/sessions.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import type { RecordKind } from "#domain/records.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How old records of a kind may be before they are fetched again. */
const MAX_AGE_MS: Readonly<Record<Exclude<RecordKind, "bars" | "quotes">, number>> = {
  instruments: DAY_MS,
  classifications: DAY_MS,
  dividends: DAY_MS,
  statements: DAY_MS,
  macroSeries: DAY_MS,
  macroForecasts: DAY_MS,
  indexPe: DAY_MS,
  calendarEvents: 3 * HOUR_MS,
  holidayOverrides: DAY_MS,
  analystCoverage: DAY_MS,
  earningsDates: DAY_MS,
};

/** The same in the background: what changes by the quarter is not fetched daily. */
const BACKGROUND_MAX_AGE_MS: Readonly<Partial<Record<RecordKind, number>>> = {
  instruments: 7 * DAY_MS,
  dividends: 7 * DAY_MS,
  statements: 7 * DAY_MS,
};

/**
 * True where what was fetched at `fetchedAt` (UTC milliseconds, null for never) is due again at `now`.
 * Prices are due once a session was completed since, by the rules and by the country's `overrides`.
 * Everything else is due by its age, which may be greater where no request waits for it.
 */
export function isDue(
  kind: RecordKind,
  country: Country,
  fetchedAt: number | null,
  now: number,
  {
    overrides = [],
    inBackground = false,
  }: { overrides?: readonly HolidayOverride[]; inBackground?: boolean } = {},
): boolean {
  // A time in the future comes from a wrong clock, so the age is unknown.
  if (fetchedAt === null || fetchedAt > now) return true;
  if (kind !== "bars" && kind !== "quotes") {
    const background = inBackground ? BACKGROUND_MAX_AGE_MS[kind] : undefined;
    return now - fetchedAt >= (background ?? MAX_AGE_MS[kind]);
  }
  const session = lastCompletedSession(country, now, overrides);
  return fetchedAt < Date.parse(`${session}T${COUNTRIES[country].sessionCompleteUtc}Z`);
}
