import { QUARTERS_OF_YEAR, type Statement } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";

/** A fiscal year that ends on a fixed weekday can end up to this many days into the next month. */
const OVERRUN_DAYS = 7;

/** The month, 1 to 12, and the year in which a fiscal period ends. */
export function monthOfEnd(periodEnd: string): { year: number; month: number } {
  const [year = "", month = ""] = addDays(periodEnd, -OVERRUN_DAYS).split("-");
  return { year: Number(year), month: Number(month) };
}

/** Months since the year 0. */
function monthNumber(periodEnd: string): number {
  const { year, month } = monthOfEnd(periodEnd);
  return 12 * year + month;
}

const yearOfMonth = (number: number) => Math.floor((number - 1) / 12);

/** The months between two fiscal years that are no year: of a company that moved its fiscal year. */
interface ShortYear {
  readonly last: number;
  readonly months: number;
}

/** Finds the fiscal period of a statement, by its span and its last day; null if that ends no quarter. */
export type FindPeriod = (
  span: "quarter" | "year",
  periodEnd: string,
) => Pick<Statement, "span" | "fiscalYear" | "fiscalQuarter"> | null;

/**
 * A finder among the fiscal years that end on these days; without one, years are calendar years. A fiscal year has
 * the number of the calendar year in which it ends. If two of them end in less than a year, the months between are a
 * short year, also after a year that is not given. Its statement is a year to date. If the year before has the same
 * number, its quarters continue: 5, 6 and 7.
 */
export function createFindPeriod(yearEnds: readonly string[]): FindPeriod {
  const ends = [...new Set(yearEnds.map(monthNumber))].sort((a, b) => a - b);
  const short = ends.slice(1).flatMap((end, i): ShortYear[] => {
    const between = end - (ends[i] ?? end);
    const months = between % 12;
    return months === 0 ? [] : [{ last: end - (between - months), months }];
  });
  const lasts = [...new Set([...ends, ...short.map(({ last }) => last)])].sort((a, b) => a - b);
  return (span, periodEnd) => {
    const number = monthNumber(periodEnd);
    // A year of twelve months ends so many whole years before a known end, or after the last one.
    const next = lasts.find((last) => last >= number) ?? lasts.at(-1) ?? 12;
    const last = next + 12 * Math.ceil((number - next) / 12);
    const cut = short.find((year) => number > year.last - year.months && number <= year.last);
    const first = cut ? cut.last - cut.months : last - 12;
    const fiscalYear = yearOfMonth(cut?.last ?? last);
    const quarters = (number - first) / 3;
    if (!Number.isInteger(quarters)) return null;
    const continues = cut && yearOfMonth(first) === fiscalYear;
    return {
      span: cut && span === "year" ? "year_to_date" : span,
      fiscalYear,
      fiscalQuarter: quarters + (continues ? QUARTERS_OF_YEAR : 0),
    };
  };
}
