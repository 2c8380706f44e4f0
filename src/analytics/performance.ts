import type { BarSeries } from "#domain/daily-bar.ts";
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

/** Price change over each window in percent, without dividends; null where the history is shorter. */
export interface Performance {
  readonly oneWeek: number | null;
  readonly oneMonth: number | null;
  readonly threeMonths: number | null;
  readonly sixMonths: number | null;
  readonly yearToDate: number | null;
  readonly oneYear: number | null;
  readonly fiveYears: number | null;
  readonly tenYears: number | null;
}

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
 * True where the first session that we hold of a year is the year's first in fact: one of an earlier
 * year stands before it, or it lies within 10 days of 1 January. It is false for a stock listed
 * later in the year, whose history is shorter than the window.
 */
export function opensYear(firstSession: string, hasEarlierSession: boolean): boolean {
  const newYear = `${firstSession.slice(0, 4)}-01-01`;
  return hasEarlierSession || daysBetween(newYear, firstSession) <= FIRST_SESSION_WITHIN_DAYS;
}

/**
 * The change from each window's reference to the newest close at or before the date `today`.
 *
 * The reference price is the session's open, not its close: a week's performance holds the whole of
 * its first day. `yearToDate` is null before the year's first session.
 */
export function performanceWindows(bars: BarSeries, today: string): Performance {
  const newest = countUpTo(bars.dates, today) - 1;
  const newestDate = bars.dates[newest];
  const newestClose = bars.close[newest];
  if (newestDate === undefined || newestClose === undefined) return NO_PERFORMANCE;

  const percentSince = (index: number) => {
    const open = bars.open[index];
    const close = bars.close[index];
    return open === undefined || close === undefined
      ? null
      : performancePercent(newestClose, { open, close });
  };
  const references = performanceReferences(today, newestDate);
  const since = (date: string) => percentSince(countUpTo(bars.dates, date) - 1);

  const beforeYear = countUpTo(bars.dates, addDays(references.yearToDate, -1));
  const firstOfYear = bars.dates[beforeYear];
  const holdsYear =
    beforeYear <= newest && firstOfYear !== undefined && opensYear(firstOfYear, beforeYear > 0);
  return {
    oneWeek: since(references.oneWeek),
    oneMonth: since(references.oneMonth),
    threeMonths: since(references.threeMonths),
    sixMonths: since(references.sixMonths),
    yearToDate: holdsYear ? percentSince(beforeYear) : null,
    oneYear: since(references.oneYear),
    fiveYears: since(references.fiveYears),
    tenYears: since(references.tenYears),
  };
}

/** The newest close against the one before it, in percent; null before two sessions. */
export function changePercent({ close }: BarSeries): number | null {
  const newest = close.at(-1);
  const previous = close.at(-2);
  return newest === undefined || previous === undefined ? null : 100 * (newest / previous - 1);
}

/** Of what has no history. */
export const NO_PERFORMANCE: Performance = {
  oneWeek: null,
  oneMonth: null,
  threeMonths: null,
  sixMonths: null,
  yearToDate: null,
  oneYear: null,
  fiveYears: null,
  tenYears: null,
};

/** How many of the ascending dates lie at or before `date`. */
function countUpTo(dates: readonly string[], date: string): number {
  let low = 0;
  let high = dates.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((dates[middle] ?? "") <= date) low = middle + 1;
    else high = middle;
  }
  return low;
}
