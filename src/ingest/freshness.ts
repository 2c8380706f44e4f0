import { lastCompletedSession } from "#analytics/sessions.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import type { RecordKind } from "#domain/records.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How old records of a kind may be before they are fetched again. */
const MAX_AGE_MS: Readonly<Record<Exclude<RecordKind, "bars" | "quotes">, number>> = {
  instruments: DAY_MS,
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

/**
 * Whether what was fetched at `fetchedAt` is due again at `now`. Prices are due once a session was
 * completed since, everything else by its age.
 */
export function isDue(
  kind: RecordKind,
  country: Country,
  fetchedAt: number | null,
  now: number,
): boolean {
  // What a clock that was wrong dated ahead is of unknown age.
  if (fetchedAt === null || fetchedAt > now) return true;
  if (kind !== "bars" && kind !== "quotes") return now - fetchedAt >= MAX_AGE_MS[kind];
  const session = lastCompletedSession(country, now);
  return fetchedAt < Date.parse(`${session}T${COUNTRIES[country].sessionCompleteUtc}Z`);
}
