import { QUARTERS_OF_YEAR, type Statement } from "#domain/statement.ts";
import { addDays, daysBetween } from "#lib/date.ts";

const DAYS_OF_QUARTER = 365.25 / 4;
/** Days that a period may be longer or shorter than its quarters. */
const SLACK_DAYS = 15;

/** The period of a statement as a company numbers it. */
export type FiscalPeriod = Pick<Statement, "span" | "fiscalYear" | "fiscalQuarter" | "periodEnd">;

/**
 * A period of a Japanese company, which begins with its fiscal year; null if it is not of whole quarters. A fiscal year
 * has the number of the calendar year in which it ends. If the year before has that number, of a company that moved its
 * fiscal year, its quarters continue it: 5, 6 and 7. `isWhole`: the period is the fiscal year.
 */
export function fiscalPeriodOf(period: {
  readonly start: string;
  readonly end: string;
  readonly yearEnd: string;
  readonly isWhole: boolean;
}): FiscalPeriod | null {
  const { start, end: periodEnd, yearEnd, isWhole } = period;
  const quarters = quartersBetween(start, periodEnd);
  if (quarters === null) return null;
  const fiscalYear = Number(yearEnd.slice(0, 4));
  const daysOver = daysBetween(start, yearEnd) + 1 - QUARTERS_OF_YEAR * DAYS_OF_QUARTER;
  const continues = daysOver < -SLACK_DAYS && addDays(start, -1).startsWith(`${fiscalYear}-`);
  const fiscalQuarter = continues ? QUARTERS_OF_YEAR + quarters : quarters;
  if (quarters <= QUARTERS_OF_YEAR) {
    const isYear = quarters === QUARTERS_OF_YEAR && isWhole;
    // The first four quarters of a longer year are no fiscal year.
    if (quarters === QUARTERS_OF_YEAR && !isWhole && daysOver <= SLACK_DAYS) return null;
    return { span: isYear ? "year" : "year_to_date", fiscalYear, fiscalQuarter, periodEnd };
  }
  return quarters === QUARTERS_OF_YEAR + 1
    ? { span: "quarter", fiscalYear, fiscalQuarter, periodEnd }
    : null;
}

/** The number of whole quarters of some days; null if they are no whole quarters. */
export function quartersBetween(start: string, end: string): number | null {
  const days = daysBetween(start, end) + 1;
  const quarters = Math.round(days / DAYS_OF_QUARTER);
  return Math.abs(days - quarters * DAYS_OF_QUARTER) <= SLACK_DAYS && quarters > 0
    ? quarters
    : null;
}
