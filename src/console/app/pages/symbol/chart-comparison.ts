import { decimalsOf } from "#console/app/format.ts";
import type { Bar, Point } from "#console/app/parts/chart-data.ts";

/** The closes of an instrument, oldest first. */
interface Closes {
  readonly dates?: readonly string[];
  readonly closes?: readonly (number | null)[];
}

/** Percent from a price, which is 0. */
const percentFrom = (base: number) => (price: number) => 100 * (price / base - 1);

/** The prices of bars in percent from a price. */
export function barsInPercent(bars: readonly Bar[], base: number): Bar[] {
  const of = percentFrom(base);
  return bars.map((bar) => ({
    ...bar,
    open: of(bar.open),
    high: of(bar.high),
    low: of(bar.low),
    close: of(bar.close),
  }));
}

/** The prices of a line in percent from a price. */
export function pointsInPercent(points: readonly Point[], base: number): Point[] {
  const of = percentFrom(base);
  return points.map(({ date, value }) =>
    value === undefined ? { date } : { date, value: of(value) },
  );
}

/** The newest close at or before a date; the first one if all are later. */
export function closeAt({ dates = [], closes = [] }: Closes, date: string) {
  const at = Math.max(
    0,
    dates.findLastIndex((one) => one <= date),
  );
  return { date: dates[at] ?? date, close: closes[at] ?? Number.NaN };
}

/** The closes of another instrument on the dates of the bars: the newest at or before each. */
export function alignCloses(
  dates: readonly string[],
  { dates: others = [], closes = [] }: Closes,
): Point[] {
  let next = 0;
  return dates.map((date) => {
    while (next < others.length && (others[next] ?? "") <= date) next++;
    const value = closes[next - 1] ?? null;
    return value === null ? { date } : { date, value };
  });
}

/** The most decimals of the newest closes. */
export function decimalsOfAll(all: readonly number[]): number {
  const closes = all.slice(-100);
  if (closes.every((close) => close >= 100 && Number.isInteger(close))) return 0;
  if (closes.every((close) => close >= 100 && Number.isInteger(10 * close))) return 1;
  return closes.every((close) => close >= 10) ? 2 : Math.max(...closes.map(decimalsOf));
}
