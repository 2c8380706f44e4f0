import type { Country } from "#domain/country.ts";
import type { MacroSeries } from "#domain/macro.ts";
import { addMonths, dateOf } from "#lib/date.ts";
import {
  firstDayOf,
  frequencyOf,
  lastDayOf,
  periodBefore,
  previousPeriod,
} from "#domain/macro-periods.ts";

/** A value of a series and its date. */
export type Observation = MacroSeries["observations"][number];

/**
 * How published values are transformed: not at all, to the difference or the growth in percent from the
 * previous period, or to the growth in percent from the same period of the previous year.
 */
export type Transform = "level" | "change" | "pct_change" | "yoy";

/** A series as we show it. The name has at most 26 characters: all of a country share one short answer. */
export interface SeriesSpec extends Pick<
  MacroSeries,
  "category" | "id" | "name" | "unit" | "decimals" | "isDetail"
> {
  readonly transform: Transform;
  /** The factor that converts published values to `unit`; 1 if absent. */
  readonly scale?: number;
  /** The number of observations that are kept; 36 if absent. */
  readonly kept?: number;
}

/** How most series are shown. */
export const IN_PERCENT = { unit: "%", decimals: 1, transform: "level" } as const;

/** The number of observations that are kept by default. */
const KEPT = 36;
/** The number of months after its last period after which a series counts as discontinued. */
const STALE_MONTHS = { A: 36, Q: 18, M: 18, D: 18 } as const;

/**
 * The series with its last observations after the transform, rounded to its decimals. The published
 * values may be in any order. A value is left out if the one to compare it with, a period or a year
 * before, is missing. Null if no value is left, or if the series ended more than 18 months ago (36 for
 * an annual one, because its newest year is always late).
 */
export function createSeries(
  country: Country,
  spec: SeriesSpec,
  published: Iterable<Observation>,
  now: number,
): MacroSeries | null {
  const today = dateOf(now);
  const byPeriod = new Map<string, number>();
  for (const { period, value } of published) {
    if (Number.isFinite(value) && firstDayOf(period) <= today) byPeriod.set(period, value);
  }
  const periods = [...byPeriod.keys()].sort();
  const observations = periods.flatMap((period, index): Observation[] => {
    const value = transformed(spec.transform, byPeriod, period, periods[index - 1]);
    const shown = value === null ? null : round(value * scaleOf(spec), spec.decimals);
    return shown === null || !Number.isFinite(shown) ? [] : [{ period, value: shown }];
  });
  const last = observations.at(-1)?.period;
  if (last === undefined || isStale(last, today)) return null;
  const { category, id, name, unit, decimals, isDetail, kept = KEPT } = spec;
  return {
    country,
    category,
    id,
    name,
    unit,
    decimals,
    ...(isDetail && { isDetail }),
    observations: observations.slice(-kept),
  };
}

/** Percentages need no scale. */
const scaleOf = ({ transform, scale = 1 }: SeriesSpec) =>
  transform === "level" || transform === "change" ? scale : 1;

function isStale(period: string, today: string): boolean {
  return addMonths(lastDayOf(period), STALE_MONTHS[frequencyOf(period)]) < today;
}

function transformed(
  transform: Transform,
  values: ReadonlyMap<string, number>,
  period: string,
  listedBefore: string | undefined,
): number | null {
  const value = values.get(period) ?? Number.NaN;
  if (transform === "level") return value;
  const earlier =
    transform === "yoy" ? periodBefore(period, 12) : (previousPeriod(period) ?? listedBefore);
  const base = earlier === undefined ? undefined : values.get(earlier);
  if (base === undefined) return null;
  return transform === "change" ? value - base : growthPercent(value, base);
}

/** Growth from `base` to `value` in percent; null if either level is not positive. */
export function growthPercent(value: number, base: number): number | null {
  return value > 0 && base > 0 ? (value / base - 1) * 100 : null;
}

/** Rounded to that many decimals, and never a negative zero. */
export function round(value: number, decimals: number): number {
  return Number(value.toFixed(decimals)) + 0;
}

const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** The number that a cell holds; null for everything else (`.`, `na`, empty, `7 902.3`). */
export function parseFigure(text: string | undefined): number | null {
  if (text === undefined || !NUMBER.test(text.trim())) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}
