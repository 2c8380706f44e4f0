import type { BarSeries } from "#domain/daily-bar.ts";
import { addDays, addMonths, weekdayOf } from "#lib/date.ts";

/** The intervals of bars: a session, a week from Monday to Sunday, a calendar month. */
export const BAR_INTERVALS = ["1d", "1wk", "1mo"] as const;
/** One of `BAR_INTERVALS`. */
export type BarInterval = (typeof BAR_INTERVALS)[number];

/** Bars of one interval, oldest first. `dates` has the last session of each bar. */
export interface IntervalBars extends BarSeries {
  /** The date of the first session of each bar. */
  readonly firstDates: readonly string[];
}

/**
 * Combines daily bars, oldest first, to bars of an interval: open of the first session, highest high,
 * lowest low, close of the last session, sum of the volumes (NaN if one is unknown). The
 * first and the last bar have only the sessions that are given.
 */
export function combineBars(bars: BarSeries, interval: BarInterval): IntervalBars {
  const { dates } = bars;
  if (interval === "1d") return { ...bars, firstDates: dates };
  const keys = intervalStarts(dates, interval);
  const starts = keys.flatMap((key, i) => (key === keys[i - 1] ? [] : [i]));
  const spans = starts.map((first, i) => [first, starts[i + 1] ?? dates.length] as const);
  const column = (of: (first: number, end: number) => number) =>
    Float64Array.from(spans, ([first, end]) => of(first, end));
  return {
    firstDates: spans.map(([first]) => dates[first] ?? ""),
    dates: spans.map(([, end]) => dates[end - 1] ?? ""),
    open: column((first) => bars.open[first] ?? Number.NaN),
    high: column((first, end) => Math.max(...bars.high.subarray(first, end))),
    low: column((first, end) => Math.min(...bars.low.subarray(first, end))),
    close: column((_, end) => bars.close[end - 1] ?? Number.NaN),
    volume: column((first, end) => bars.volume.subarray(first, end).reduce((a, b) => a + b, 0)),
  };
}

/** The first day of the session, week or month of a date. */
export function intervalStart(date: string, interval: BarInterval): string {
  if (interval === "1d") return date;
  return interval === "1wk" ? mondayOf(date) : `${monthOf(date)}-01`;
}

/** `intervalStart` of each of ascending dates. */
export function intervalStarts(dates: readonly string[], interval: BarInterval): readonly string[] {
  if (interval === "1d") return dates;
  const endOf = (start: string) => (interval === "1wk" ? addDays(start, 7) : addMonths(start, 1));
  let [start, end] = ["", ""];
  return dates.map((date) => {
    if (date < end) return start;
    // Usually the next interval: computing dates from texts takes longer than comparing them.
    start = end !== "" && date < endOf(end) ? end : intervalStart(date, interval);
    end = endOf(start);
    return start;
  });
}

const mondayOf = (date: string) => addDays(date, -((weekdayOf(date) + 6) % 7));
const monthOf = (date: string) => date.slice(0, 7);
