import { isSessionOpen, lastCompletedSession } from "#analytics/sessions.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import type { RecordKind } from "#domain/records.ts";
import { DAY_MS } from "#lib/date.ts";

const HOUR_MS = 3_600_000;

/** The kinds that a completed session makes due. */
type OfSessions = "bars" | "quotes" | "foreignTrades";
const isOfSessions = (kind: RecordKind): kind is OfSessions =>
  kind === "bars" || kind === "quotes" || kind === "foreignTrades";

/** The age at which records of a kind are fetched again. */
const MAX_AGE_MS: Readonly<Record<Exclude<RecordKind, OfSessions>, number>> = {
  instruments: DAY_MS,
  classifications: DAY_MS,
  // Quotes have the newest price, so the closes before it are fetched rarely.
  recentCloses: 7 * DAY_MS,
  dividends: DAY_MS,
  splits: DAY_MS,
  statements: DAY_MS,
  statementVintages: DAY_MS,
  macroSeries: DAY_MS,
  // Old vintages stay as they are, and each change of a series is kept when it arrives.
  macroVintages: 7 * DAY_MS,
  macroForecasts: DAY_MS,
  forecastVintages: DAY_MS,
  indexPe: DAY_MS,
  calendarEvents: 3 * HOUR_MS,
  holidayOverrides: DAY_MS,
  analystCoverage: DAY_MS,
  earningsDates: DAY_MS,
  earningsResults: DAY_MS,
  companyForecasts: DAY_MS,
  filings: DAY_MS,
};

/** The same in the background: records that change quarterly are not fetched daily. */
const BACKGROUND_MAX_AGE_MS: Readonly<Partial<Record<RecordKind, number>>> = {
  instruments: 7 * DAY_MS,
  dividends: 7 * DAY_MS,
  splits: 7 * DAY_MS,
  statements: 7 * DAY_MS,
};

/** How old a quote may be while a session is open. All quotes of a country can take 30 requests. */
const OPEN_SESSION_MAX_AGE_MS = { instrument: HOUR_MS / 4, country: HOUR_MS } as const;

/** The conditions other than time that decide if records are due. */
export interface DueOptions {
  /** The country's stored changes of the computed exchange holidays. */
  readonly overrides?: readonly HolidayOverride[];
  /** True if no request waits for the records. */
  readonly inBackground?: boolean;
  /** True if the newest quote shows a split that the stored splits leave out. */
  readonly showsUnknownSplit?: () => boolean;
  /** The scope of the records: one instrument (the default) or a whole country. */
  readonly scope?: "instrument" | "country";
}

/**
 * True if records fetched at `fetchedAt` (UTC milliseconds, null for never) are due again at `now`.
 * Prices and trades of foreigners are due if a session was completed since. Quotes are also due by their age while a
 * session is open, so that the closing price replaces them. Everything else is due by its age, and later in the background.
 */
export function isDue(
  kind: RecordKind,
  country: Country,
  fetchedAt: number | null,
  now: number,
  {
    overrides = [],
    inBackground = false,
    scope = "instrument",
    showsUnknownSplit = () => false,
  }: DueOptions = {},
): boolean {
  // A time in the future comes from a wrong clock, so the age is unknown.
  if (fetchedAt === null || fetchedAt > now) return true;
  if (!isOfSessions(kind)) {
    // A list of all companies' statements is hundreds of requests; no request waits for it.
    const isRare = inBackground || (kind === "statements" && scope === "country");
    const background = isRare ? BACKGROUND_MAX_AGE_MS[kind] : undefined;
    if (now - fetchedAt >= (background ?? MAX_AGE_MS[kind])) return true;
    return kind === "splits" && now - fetchedAt >= HOUR_MS && showsUnknownSplit();
  }
  if (kind === "quotes" && now - fetchedAt >= OPEN_SESSION_MAX_AGE_MS[scope]) {
    if (isSessionOpen(country, now, overrides)) return true;
  }
  const session = lastCompletedSession(country, now, overrides);
  return fetchedAt < Date.parse(`${session}T${COUNTRIES[country].sessionCompleteUtc}Z`);
}

/** How far ahead a due time is searched: longer than any age and any holiday. */
const SEARCH_MS = 14 * DAY_MS;
const SEARCH_STEP_MS = HOUR_MS / 4;

/**
 * When records fetched at `fetchedAt` are due, UTC milliseconds: `now` if they are due already, else
 * rounded up to a quarter of an hour. Null if they are not due within two weeks.
 */
export function nextDueAt(
  kind: RecordKind,
  country: Country,
  fetchedAt: number | null,
  now: number,
  options: DueOptions = {},
): number | null {
  const isDueAt = (time: number) => isDue(kind, country, fetchedAt, time, options);
  if (isDueAt(now)) return now;
  const first = Math.ceil(now / SEARCH_STEP_MS) * SEARCH_STEP_MS;
  for (let time = first; time <= now + SEARCH_MS; time += SEARCH_STEP_MS) {
    if (isDueAt(time)) return time;
  }
  return null;
}
