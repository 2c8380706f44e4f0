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

/** The same where nobody asked for them: what changes by the quarter is not fetched daily for that. */
const UNASKED_MAX_AGE_MS: Readonly<Partial<Record<RecordKind, number>>> = {
  instruments: 7 * DAY_MS,
  dividends: 7 * DAY_MS,
  statements: 7 * DAY_MS,
};

/**
 * Whether what was fetched at `fetchedAt` is due again at `now`. Prices are due once a session was
 * completed since, everything else by its age, which may be greater where nobody asks for it.
 */
export function isDue(
  kind: RecordKind,
  country: Country,
  fetchedAt: number | null,
  now: number,
  pace: "asked" | "unasked" = "asked",
): boolean {
  // What a clock that was wrong dated ahead is of unknown age.
  if (fetchedAt === null || fetchedAt > now) return true;
  if (kind !== "bars" && kind !== "quotes") {
    const unasked = pace === "unasked" ? UNASKED_MAX_AGE_MS[kind] : undefined;
    return now - fetchedAt >= (unasked ?? MAX_AGE_MS[kind]);
  }
  const session = lastCompletedSession(country, now);
  return fetchedAt < Date.parse(`${session}T${COUNTRIES[country].sessionCompleteUtc}Z`);
}
