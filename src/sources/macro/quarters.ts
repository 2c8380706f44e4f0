import type { MacroForecast } from "#domain/macro.ts";
import { round } from "./series.ts";

/** A quarter of a calendar year. */
export interface Quarter {
  readonly year: number;
  /** 1 to 4 */
  readonly quarter: number;
}

/** The number of quarters after the current one that a forecast keeps. */
const AHEAD = 8;

/** The quarter of an instant and the eight after it. */
export function forecastQuarters(now: number): Quarter[] {
  const date = new Date(now);
  const first = date.getUTCFullYear() * 4 + Math.floor(date.getUTCMonth() / 3);
  return Array.from({ length: AHEAD + 1 }, (_, ahead) => ({
    year: Math.floor((first + ahead) / 4),
    quarter: ((first + ahead) % 4) + 1,
  }));
}

/** The quarter as macro series write it: `2026-Q4`. */
export const quarterPeriod = ({ year, quarter }: Quarter) => `${year}-Q${quarter}`;

/**
 * The values of a forecast by quarter, rounded, up to the last forecast quarter; null if there are
 * no values.
 */
export function forecastValues(
  now: number,
  decimals: number,
  valueOf: (quarter: Quarter) => number | null,
): MacroForecast["values"] | null {
  const values = forecastQuarters(now).map((quarter) => {
    const value = valueOf(quarter);
    const isKnown = value !== null && Number.isFinite(value);
    return { ...quarter, value: isKnown ? round(value, decimals) : null };
  });
  const end = values.findLastIndex(({ value }) => value !== null) + 1;
  return end === 0 ? null : values.slice(0, end);
}

/**
 * An annual figure in one of its quarters. A rate is the same in all quarters; a level is interpolated
 * linearly between the middles of two years, at the middle of the quarter. Null if one of these years is
 * missing.
 */
export function interpolated(
  years: ReadonlyMap<number, number>,
  { year, quarter }: Quarter,
  shape: "rate" | "level",
): number | null {
  const own = years.get(year);
  if (own === undefined) return null;
  if (shape === "rate") return own;
  // -3/8, -1/8, 1/8 or 3/8 of a year from the middle of the year.
  const offset = (quarter - 2.5) / 4;
  const neighbour = years.get(year + Math.sign(offset));
  return neighbour === undefined ? null : own + (neighbour - own) * Math.abs(offset);
}
