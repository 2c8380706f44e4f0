import { rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { PayloadOf } from "#operations/index.ts";

/** A point of a plot. */
export interface Point {
  /** `2026-10` */
  readonly label: string;
  readonly value: number;
}

/** The figures of a series, oldest first. */
export function pointsOf(history: PayloadOf<"get_macro_history">): Point[] {
  return rowsOf(history).map((row) => ({
    label: textIn(row, "period"),
    value: Number(row["value"]),
  }));
}

/** The ranges of a plot, in years. */
export const RANGES = { "1Y": 1, "5Y": 5, "10Y": 10, Max: Infinity } as const;
/** A range of a plot. */
export type Range = keyof typeof RANGES;
/** The ranges in their order. */
export const RANGE_NAMES = Object.keys(RANGES) as Range[];

/** The points of a range that ends with the newest one. */
export function withinRange(points: readonly Point[], range: Range): readonly Point[] {
  const newest = Math.max(...points.map(({ label }) => timeOf(label)));
  return points.filter(({ label }) => timeOf(label) >= newest - RANGES[range] - MARGIN);
}
/** In years: the days of months are counted by 31. */
const MARGIN = 0.005;

export const WIDTH = 1_000;
export const HEIGHT = 240;
const LINES = 4;

/** The forecast figures after the last published one. */
export function laterOf(points: readonly Point[], forecast: readonly Point[]): Point[] {
  const last = Math.max(...points.map(({ label }) => timeOf(label)));
  return forecast.filter(({ label }) => timeOf(label) > last);
}

/** The lines of a scale: their figures with decimals, and the heights of values. */
export function linesOf({ low, high, step }: ReturnType<typeof scaleOf>) {
  return {
    ticks: Array.from({ length: Math.round((high - low) / step) + 1 }, (_, i) => low + i * step),
    decimals: decimalsOf(Number(step.toPrecision(2))),
    y: (value: number) => HEIGHT - ((value - low) / (high - low)) * HEIGHT,
  };
}

/** The number of decimals of a number, as the service wrote it. */
export function decimalsOf(value: number): number {
  return String(value).split(".")[1]?.length ?? 0;
}

/** The end of a period in years: 2026.75 for `2026-Q3` and `2026-09`. */
export function timeOf(label: string): number {
  const [year = 0, part, day] = label.split("-");
  if (part === undefined) return Number(year) + 1;
  if (part.startsWith("Q")) return Number(year) + Number(part.slice(1)) / 4;
  const months = day === undefined ? Number(part) : Number(part) - 1 + Number(day) / 31;
  return Number(year) + months / 12;
}

/** The place of a time between two others. */
export function xOf(time: number, begin: number, end: number): number {
  return end === begin ? 0 : ((time - begin) / (end - begin)) * WIDTH;
}

/** Steps of a scale, in the order of choice, as parts of a power of ten. */
const STEPS = [1, 2, 5, 2.5, 10, 20, 25];
/** A scale has fewer lines if the series has their figures more often. */
const MAX_STEPS = 2.5;

/** Round bounds that include all values, with two to four lines between them, where most of the values are. */
export function scaleOf(values: readonly number[]): { low: number; high: number; step: number } {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const rough = Math.max(most - least, Math.abs(most) * 1e-3, 1e-6) / LINES;
  const size = 10 ** Math.floor(Math.log10(rough));
  const steps = STEPS.map((one) => one * size).filter(
    (one) => one >= rough && one <= MAX_STEPS * rough,
  );
  const fits = (step: number) =>
    values.filter((value) => Math.abs(value / step - Math.round(value / step)) < 1e-6).length;
  const step = steps.toSorted((a, b) => fits(b) - fits(a))[0] ?? 10 * size;
  const low = Math.floor(least / step) * step;
  return { low, high: Math.max(low + step, Math.ceil(most / step) * step), step };
}

/** The most years below a plot. */
const MOST_YEARS = 5;

/** Years that begin between two times, evenly spaced, with their places. @param begin in years */
export function yearsOf(begin: number, end: number): { year: number; x: number }[] {
  const every = [1, 2, 5, 10, 20].find((one) => (end - begin) / one <= MOST_YEARS) ?? 50;
  const first = Math.ceil(begin / every) * every;
  return Array.from({ length: Math.max(0, Math.ceil((end - first) / every)) }, (_, i) => {
    const year = first + i * every;
    return { year, x: xOf(year, begin, end) };
  }).filter(({ x }) => x > 0);
}
