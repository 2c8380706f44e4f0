import { addDays } from "#console/app/days.ts";
import { numberIn, type Row, textIn } from "#console/app/parts/rows.ts";

/** In days: a fiscal year of 52 or 53 weeks ends some days earlier or later than the one before. */
const TOLERANCE = 8;

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
