import { addDays, addMonths } from "#lib/date.ts";
import { Memo } from "#lib/memo.ts";

/** The calendar months of the windows that have whole months. */
const MONTHS = {
  "1m": 1,
  "3m": 3,
  "6m": 6,
  "1y": 12,
  "2y": 24,
  "3y": 36,
  "5y": 60,
  "10y": 120,
} as const;

/** The windows of price returns. `1d` is the newest session, `ytd` the calendar year to date. */
export const WINDOWS = [
  "1d",
  "1w",
  "1m",
  "3m",
  "6m",
  "ytd",
  "1y",
  "2y",
  "3y",
  "5y",
  "10y",
] as const;
/** One of `WINDOWS`. */
export type Window = (typeof WINDOWS)[number];

/** The windows that panels and screens show beside the change of the newest session, shortest first. */
export const PERFORMANCE_WINDOWS = [
  "1w",
  "1m",
  "3m",
  "6m",
  "ytd",
  "1y",
  "5y",
  "10y",
] as const satisfies readonly Window[];

/** Price return of each window in percent, without dividends; null if the prices begin later. */
export type Performance = Readonly<Record<(typeof PERFORMANCE_WINDOWS)[number], number | null>>;

/**
 * The start date of a window that ends with the session of the date `newest`. The return of the window
 * is its last close / the close of the last session at or before the start date − 1. So the dates
 * depend on the prices alone, not on the day on which they are read.
 *
 * `1d` starts a day before the newest session, so that it has the close of the session before. `ytd`
 * starts on 31 December. A start date that a month does not have is the last day of that month.
 */
export function windowStart(window: Window, newest: string): string {
  if (window === "1d") return addDays(newest, -1);
  if (window === "1w") return addDays(newest, -7);
  if (window === "ytd") return `${Number(newest.slice(0, 4)) - 1}-12-31`;
  return addMonths(newest, -MONTHS[window]);
}

/** A close and the date of its session, `YYYY-MM-DD`. */
export interface SessionClose {
  readonly date: string;
  readonly close: number;
}

/** Finds the close of the last session at or before a date; null if the prices begin later. */
export type FindClose = (date: string) => SessionClose | null;

/** The start dates of the windows that end with a session. Most companies of a market share their newest session. */
const STARTS = new Memo<readonly string[]>(8);

/** The close before each window that ends with the session `newest`; null if the prices begin later. */
export function windowStarts(
  newest: string | null,
  findClose: FindClose,
): Readonly<Record<keyof Performance, SessionClose | null>> {
  const dates =
    newest === null
      ? []
      : STARTS.get(newest, () => PERFORMANCE_WINDOWS.map((window) => windowStart(window, newest)));
  const starts = PERFORMANCE_WINDOWS.map((window, i) => {
    const date = dates[i];
    return [window, date === undefined ? null : findClose(date)];
  });
  return Object.fromEntries(starts) as Record<keyof Performance, SessionClose | null>;
}

/** The return of each window that ends with the newest close; null without it. */
export function performanceOf(
  newest: SessionClose | null,
  findClose: FindClose,
  starts = windowStarts(newest?.date ?? null, findClose),
): Performance {
  const returns = PERFORMANCE_WINDOWS.map((window) => [
    window,
    changePercent(newest?.close ?? null, starts[window]?.close ?? null),
  ]);
  return Object.fromEntries(returns) as Performance;
}

/** The change from an earlier to a later close, in percent; null if either is unknown. */
export function changePercent(last: number | null, first: number | null): number | null {
  return last === null || first === null ? null : 100 * (last / first - 1);
}
