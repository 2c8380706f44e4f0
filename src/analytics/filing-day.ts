import type { Statement } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";

/**
 * Days from the end of a period until we assume that its statement was published, if the day is unknown. The United
 * States and Japan limit the time by law, Viet Nam by the rules of its exchanges.
 */
export const FILING_DAYS = {
  US: { quarter: 45, year: 90 },
  JP: { quarter: 45, year: 45 },
  VN: { quarter: 30, year: 30 },
} as const;

/** The day on which a statement counts as published if its filing date is unknown. A fourth quarter is published with its year. */
export function assumedFilingDate({
  country,
  fiscalQuarter,
  periodEnd,
}: Pick<Statement, "country" | "fiscalQuarter" | "periodEnd">): string {
  const { quarter, year } = FILING_DAYS[country];
  return addDays(periodEnd, fiscalQuarter === 4 ? year : quarter);
}

/** The filing day of a statement whose source does not give it: the assumed one, `today` at the latest. */
export function assumedFiling(
  statement: Parameters<typeof assumedFilingDate>[0],
  today: string,
): Pick<Statement, "filedOn" | "isFilingAssumed"> {
  const assumed = assumedFilingDate(statement);
  return { filedOn: assumed < today ? assumed : today, isFilingAssumed: true };
}
