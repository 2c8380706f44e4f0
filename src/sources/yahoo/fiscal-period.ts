import { addDays } from "#lib/date.ts";

/** A fiscal year that ends on a fixed weekday can end up to this many days into the next month. */
const OVERRUN_DAYS = 7;

/** The month, 1 to 12, and the year in which a fiscal period ends. */
export function monthOfEnd(periodEnd: string): { year: number; month: number } {
  const [year = "", month = ""] = addDays(periodEnd, -OVERRUN_DAYS).split("-");
  return { year: Number(year), month: Number(month) };
}

/**
 * The fiscal quarter that ends with a date, if fiscal years end with the month `yearEndMonth`; a
 * fiscal year is named by the year in which it ends. Null if the date ends no quarter.
 */
export function fiscalPeriodOf(
  periodEnd: string,
  yearEndMonth: number,
): { fiscalYear: number; fiscalQuarter: number } | null {
  const { year, month } = monthOfEnd(periodEnd);
  const monthsOver = (month - yearEndMonth + 12) % 12 || 12;
  if (monthsOver % 3 !== 0) return null;
  return {
    fiscalYear: month > yearEndMonth ? year + 1 : year,
    fiscalQuarter: monthsOver / 3,
  };
}
