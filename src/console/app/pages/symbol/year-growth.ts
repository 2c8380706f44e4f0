import { addDays } from "#console/app/days.ts";
import { numberIn, type Row, textIn } from "#console/app/parts/rows.ts";

/** In days: a fiscal year of 52 or 53 weeks ends some days earlier or later than the one before. */
const TOLERANCE = 8;
const YEAR_MS = 365.25 * 86_400_000;

/**
 * The change of a figure on the period that ended a year before, in percent; null if that is unknown or was not above
 * zero.
 *
 * @param rows all periods of a statement
 */
export function yearGrowth(rows: readonly Row[], row: Row, name: string): number | null {
  const end = textIn(row, "period_end");
  const [from, to] = [addDays(end, -365 - TOLERANCE), addDays(end, -365 + TOLERANCE)];
  const before = rows.find((one) => {
    const date = textIn(one, "period_end");
    return date >= from && date <= to && one.currency === row.currency;
  });
  const [value, base] = [numberIn(row, name), before ? numberIn(before, name) : null];
  return value === null || base === null || base <= 0 ? null : 100 * (value / base - 1);
}

/** The years from the end of the first period to the end of the last one, with one decimal. */
export function yearsOf(rows: readonly Row[]): number {
  const ends = [rows[0], rows.at(-1)].map((row) =>
    Date.parse(row ? textIn(row, "period_end") : ""),
  );
  const [first = NaN, last = NaN] = ends;
  // One decimal makes a year of 52 weeks a whole one.
  return Math.round((10 * (last - first)) / YEAR_MS) / 10;
}

/**
 * The compound annual growth rate of a figure from the first to the last period, in percent; null if an end is unknown,
 * not above zero or in another currency.
 *
 * @param rows from old to new
 */
export function compoundGrowth(rows: readonly Row[], name: string): number | null {
  const [first = {}, last = {}] = [rows[0], rows.at(-1)];
  const [from, to] = [numberIn(first, name), numberIn(last, name)];
  if (from === null || to === null || from <= 0 || to <= 0) return null;
  if (first.currency !== last.currency) return null;
  const growth = 100 * ((to / from) ** (1 / yearsOf(rows)) - 1);
  return Number.isFinite(growth) ? growth : null;
}
