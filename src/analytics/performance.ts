import { addDays, daysBetween } from "#lib/date.ts";

/** Calendar days that each window goes back. */
const WINDOW_DAYS = {
  oneWeek: 7,
  oneMonth: 30,
  threeMonths: 90,
  sixMonths: 180,
  oneYear: 365,
  fiveYears: 1826,
  tenYears: 3652,
} as const;

/** A history that ends longer ago than this has stopped. */
const STOPPED_AFTER_DAYS = 7;

/** The year's first session cannot be later than this many days after 1 January. */
const FIRST_SESSION_WITHIN_DAYS = 10;

/** The windows of price changes. */
export const PERFORMANCE_WINDOWS = [
  "oneWeek",
  "oneMonth",
  "threeMonths",
  "sixMonths",
  "yearToDate",
  "oneYear",
  "fiveYears",
  "tenYears",
] as const;

/** Price change over each window in percent, without dividends; null where the history is shorter. */
export type Performance = Readonly<Record<(typeof PERFORMANCE_WINDOWS)[number], number | null>>;

/**
 * The date from which each window counts. A window's reference is the latest session at or before
 * its date; for `yearToDate`, whose date is 1 January, the first session at or after it (see
 * `opensYear`).
 *
 * Windows end on the date `today`. Where the newest session is more than 7 days older, the history
 * has stopped (an import, say) and they end on that session's date: else the short ones would hold
 * no session at all.
 */
export function performanceReferences(
  today: string,
  newestDate: string,
): Readonly<Record<keyof Performance, string>> {
  const end = daysBetween(newestDate, today) > STOPPED_AFTER_DAYS ? newestDate : today;
  const back = (window: keyof typeof WINDOW_DAYS) => addDays(end, -WINDOW_DAYS[window]);
  return {
    oneWeek: back("oneWeek"),
    oneMonth: back("oneMonth"),
    threeMonths: back("threeMonths"),
    sixMonths: back("sixMonths"),
    yearToDate: `${end.slice(0, 4)}-01-01`,
    oneYear: back("oneYear"),
    fiveYears: back("fiveYears"),
    tenYears: back("tenYears"),
  };
}

/** A session that a window counts from; its open is NaN in a series that has only closes. */
export interface ReferenceSession {
  readonly open: number;
  readonly close: number;
}

/** The change from a reference session's open, or its close where there is no open, in percent. */
export function performancePercent(newestClose: number, { open, close }: ReferenceSession): number {
  return 100 * (newestClose / (Number.isNaN(open) ? close : open) - 1);
}

/**
 * True if the first session that we have of a year is the year's first: we have one of an earlier
 * year, or it is within 10 days of 1 January. False for a stock listed later in the year, whose
 * history is shorter than the window.
 */
export function opensYear(firstSession: string, hasEarlierSession: boolean): boolean {
  const newYear = `${firstSession.slice(0, 4)}-01-01`;
  return hasEarlierSession || daysBetween(newYear, firstSession) <= FIRST_SESSION_WITHIN_DAYS;
}

/** Finds single sessions of one instrument by their date. */
export interface SessionSearch {
  /** The latest session at or before the date, or null. */
  findAtOrBefore(date: string): ReferenceSession | null;
  /** The first session at or after the date, or null. */
  findOnOrAfter(date: string): (ReferenceSession & { readonly date: string }) | null;
}

/**
 * The change from each window's reference to the newest close, which is at or before the date
 * `today`; all null where there is none.
 *
 * The reference price is the session's open, not its close: a week's performance holds the whole of
 * its first day. `yearToDate` is null before the year's first session.
 */
export function performanceWindows(
  newest: { readonly date: string; readonly close: number } | null,
  today: string,
  sessions: SessionSearch,
): Performance {
  if (newest === null) return NO_PERFORMANCE;
  const references = performanceReferences(today, newest.date);
  const percentSince = (session: ReferenceSession | null) =>
    session && performancePercent(newest.close, session);
  const since = (date: string) => percentSince(sessions.findAtOrBefore(date));

  const first = sessions.findOnOrAfter(references.yearToDate);
  const hasEarlier = sessions.findAtOrBefore(addDays(references.yearToDate, -1)) !== null;
  const holdsYear =
    first !== null && first.date <= newest.date && opensYear(first.date, hasEarlier);
  return {
    oneWeek: since(references.oneWeek),
    oneMonth: since(references.oneMonth),
    threeMonths: since(references.threeMonths),
    sixMonths: since(references.sixMonths),
    yearToDate: holdsYear ? percentSince(first) : null,
    oneYear: since(references.oneYear),
    fiveYears: since(references.fiveYears),
    tenYears: since(references.tenYears),
  };
}

/** The newest close against the one before it, in percent; null where either is unknown. */
export function changePercent(newest: number | null, previous: number | null): number | null {
  return newest === null || previous === null ? null : 100 * (newest / previous - 1);
}

const NO_PERFORMANCE = Object.fromEntries(
  PERFORMANCE_WINDOWS.map((window) => [window, null]),
) as Performance;
