import type { RecentCloses } from "#domain/recent-closes.ts";
import { addDays, daysBetween } from "#lib/date.ts";

/** The length of each window in calendar days. */
const WINDOW_DAYS = {
  oneWeek: 7,
  oneMonth: 30,
  threeMonths: 90,
  sixMonths: 180,
  oneYear: 365,
  fiveYears: 1826,
  tenYears: 3652,
} as const;

/** A history whose newest session is older than this has stopped. */
const STOPPED_AFTER_DAYS = 7;

/** A year's first session is at most this many days after 1 January. */
const FIRST_SESSION_WITHIN_DAYS = 10;

/** The windows of price changes, shortest first. */
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

/** Price change over each window in percent, without dividends; null if the history is shorter. */
export type Performance = Readonly<Record<(typeof PERFORMANCE_WINDOWS)[number], number | null>>;

/**
 * The start date of each window, YYYY-MM-DD. A window's reference is the latest session on or before
 * its start; for `yearToDate`, which starts on 1 January, it is the first session on or after it (see
 * `opensYear`).
 *
 * Windows end on the date `today`. If the newest session is more than 7 days older, the history has
 * stopped (an import, for example) and the windows end on that session's date. Otherwise the short
 * windows would contain no session.
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

/** The session at which a window starts; its open is NaN in a series that has only closes. */
interface ReferenceSession {
  readonly open: number;
  readonly close: number;
}

/** The change from a reference session's open, or from its close if it has no open, in percent. */
export function performancePercent(newestClose: number, { open, close }: ReferenceSession): number {
  return 100 * (newestClose / (Number.isNaN(open) ? close : open) - 1);
}

/**
 * True if the first known session of a year is the year's first session: an earlier session is known,
 * or it is within 10 days of 1 January. False for a stock that was listed later in the year, whose
 * history is shorter than the window.
 */
export function opensYear(firstSession: string, hasEarlierSession: boolean): boolean {
  const newYear = `${firstSession.slice(0, 4)}-01-01`;
  return hasEarlierSession || daysBetween(newYear, firstSession) <= FIRST_SESSION_WITHIN_DAYS;
}

/** Finds single sessions of one instrument by date. */
interface SessionSearch {
  /** The latest session on or before the date, or null. */
  findAtOrBefore(date: string): ReferenceSession | null;
  /** The first session on or after the date, or null. */
  findOnOrAfter(date: string): (ReferenceSession & { readonly date: string }) | null;
}

/** A newest price that differs by more from the last close is after a split. */
const SPLIT_FACTOR = 1.8;
/** A year of closes begins this many days after the day one year ago at most: that day may be a holiday. */
const BEGIN_WITHIN_DAYS = 7;

/**
 * The sessions of an instrument of which only closes are known; empty without closes, and if the
 * newest price shows a split since the last close. The first close is also that of the seven days before.
 */
export function sessionsOfCloses(
  record: Pick<RecentCloses, "from" | "days" | "closes"> | null,
  newestPrice: number | null,
): SessionSearch {
  const { from = "", days = [], closes = [] } = record ?? {};
  const last = closes.at(-1);
  const ratio = newestPrice === null || last === undefined ? 0 : newestPrice / last;
  const isUsable = ratio < SPLIT_FACTOR && ratio > 1 / SPLIT_FACTOR;
  const sessionAt = (at: number) => {
    const [day, close] = [days[at], closes[at]];
    if (!isUsable || day === undefined || close === undefined) return null;
    return { date: addDays(from, day), open: Number.NaN, close };
  };
  return {
    findAtOrBefore(date) {
      if (!isUsable) return null;
      const day = daysBetween(from, date);
      return sessionAt(
        day < 0 && day >= -BEGIN_WITHIN_DAYS ? 0 : days.findLastIndex((one) => one <= day),
      );
    },
    findOnOrAfter(date) {
      if (!isUsable) return null;
      const day = daysBetween(from, date);
      return sessionAt(days.findIndex((one) => one >= day));
    },
  };
}

/**
 * The change from each window's reference to the newest close, in percent. The newest close is on or
 * before the date `today`; without it, all windows are null.
 *
 * The reference price is the session's open, not its close, so that a window includes the whole of its
 * first day. `yearToDate` is null before the year's first session.
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
  const hasYear = first !== null && first.date <= newest.date && opensYear(first.date, hasEarlier);
  return {
    oneWeek: since(references.oneWeek),
    oneMonth: since(references.oneMonth),
    threeMonths: since(references.threeMonths),
    sixMonths: since(references.sixMonths),
    yearToDate: hasYear ? percentSince(first) : null,
    oneYear: since(references.oneYear),
    fiveYears: since(references.fiveYears),
    tenYears: since(references.tenYears),
  };
}

/** The change from the previous to the newest close, in percent; null if either is unknown. */
export function changePercent(newest: number | null, previous: number | null): number | null {
  return newest === null || previous === null ? null : 100 * (newest / previous - 1);
}

const NO_PERFORMANCE = Object.fromEntries(
  PERFORMANCE_WINDOWS.map((window) => [window, null]),
) as Performance;
