import { monthsBefore } from "#console/app/days.ts";
import type { Bar, Point } from "#console/app/parts/chart-data.ts";
import { numberIn, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { PayloadOf } from "#operations/index.ts";
import { meanOfCloses } from "./chart-means.ts";

/** A figure of the company, in a pane below the prices. */
export interface ExtraPane {
  readonly points: readonly Point[];
  readonly color: number;
  readonly decimals: number;
  /** The figure at a place of the bars: `P/E 35.20`. */
  readonly textAt: (index: number) => string;
}

/** What the chart draws beside its usual lines. */
export interface Extras {
  readonly lines: readonly {
    readonly name: string;
    readonly color: number;
    readonly points: readonly Point[];
  }[];
  readonly panes: readonly ExtraPane[];
}

/** The exponential mean of the closes, α = 2 / (n + 1), from the mean of the first n closes on. */
export function exponentialMean(bars: readonly Bar[], length: number): Point[] {
  let mean = 0;
  return bars.map(({ date, close }, i) => {
    if (i < length) mean += close / length;
    else mean += (2 / (length + 1)) * (close - mean);
    return i < length - 1 ? { date } : { date, value: mean };
  });
}

/** Bollinger bands: the mean of n closes, plus and minus two standard deviations of these closes (divided by n). */
export function bollinger(bars: readonly Bar[], length: number) {
  const band = (sign: 1 | -1): Point[] =>
    meanOfCloses(bars, length).map(({ date, value }, i) => {
      if (value === undefined) return { date };
      const window = bars.slice(i - length + 1, i + 1);
      const squares = window.reduce((sum, { close }) => sum + (close - value) ** 2, 0);
      return { date, value: value + sign * 2 * Math.sqrt(squares / length) };
    });
  return { upper: band(1), lower: band(-1) };
}

/** On each date the newest value that was known by then. @param values by the day from which they are known */
export function known(
  dates: readonly string[],
  values: readonly (readonly [day: string, value: number | null])[],
): Point[] {
  const sorted = values.toSorted(([a], [b]) => a.localeCompare(b));
  let next = 0;
  return dates.map((date) => {
    while (next < sorted.length && (sorted[next]?.[0] ?? "") <= date) next++;
    const value = sorted[next - 1]?.[1] ?? null;
    return value === null ? { date } : { date, value };
  });
}

/** On each date the dividends of the twelve months before it, by ex-date; without a value before the first one. */
export function dividendsOfYear(
  dates: readonly string[],
  { dividends }: Pick<PayloadOf<"get_stock_price_history">, "dividends">,
): Point[] {
  const paid = (dividends ? rowsOf(dividends) : []).map(
    (row) => [textIn(row, "ex_date"), numberIn(row, "amount") ?? 0] as const,
  );
  const first = paid.reduce((least, [day]) => (day < least ? day : least), "9999");
  return dates.map((date) => {
    const since = monthsBefore(date, 12);
    // Before a whole year of them is known, a sum would be a part.
    if (since < first) return { date };
    const value = paid.reduce(
      (sum, [day, amount]) => sum + (day > since && day <= date ? amount : 0),
      0,
    );
    return { date, value };
  });
}
