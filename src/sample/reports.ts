import type { Country } from "#domain/country.ts";
import { addDays, weekdayOf } from "#lib/date.ts";
import { addWeekdays, ANCHOR, endOfMonth, sessionOnOrAfter, sessionOnOrBefore } from "./dates.ts";
import { listingSeed } from "./profiles.ts";
import { uniformAt } from "./random.ts";
import type { SampleListing } from "./universe.ts";

/** When a fiscal quarter ends and when the company reports it. */
export interface ReportedQuarter {
  /** The year in the company's own naming. */
  readonly fiscalYear: number;
  /** 1 to 4. */
  readonly fiscalQuarter: number;
  readonly periodEnd: string;
  readonly filedOn: string;
}

/** The first fiscal years begin on or after 1 January of this year. */
const FIRST_YEAR = 2017;

/** Years before the listing that a prospectus shows. */
const PROSPECTUS_YEARS = 2;

/** The usual last month of the fiscal year. */
const USUAL_YEAR_END: Record<Country, number> = { US: 12, JP: 3, VN: 12 };

/** US companies that name a fiscal year by the year of its beginning instead of its end. */
const NAMED_BY_BEGINNING: ReadonlySet<string> = new Set(["HD", "KR", "LOW", "LULU", "TGT"]);

/** Days from the end of a quarter to its report, if the universe does not give them. */
const USUAL_REPORT_DAYS: Record<Country, readonly [min: number, max: number]> = {
  US: [30, 40],
  JP: [30, 44],
  VN: [30, 32],
};

/** Additional weekdays until the report of a full year. */
const YEAR_END_WEEKDAYS: Record<Country, number> = { US: 3, JP: 2, VN: 0 };

/** Companies that report within these days, such as banks, report a full year as fast as a quarter. */
const EARLY_REPORT_DAYS = 20;

/** The month (1 to 12) in which the company's fiscal year ends. */
export function yearEndMonth({ country, yearEnd }: SampleListing): number {
  return yearEnd ?? USUAL_YEAR_END[country];
}

/** True if the company reports before the market opens, false if after the close. */
export function reportsBeforeOpen(listing: SampleListing): boolean {
  return listing.reportsBeforeOpen ?? uniformAt(listingSeed(listing), 61) < 0.5;
}

/**
 * A company's fiscal quarters, oldest first, through the first fiscal year that ends after `through`
 * and the anchor date. Reports from before its listing are dated on the day of the listing.
 */
export function reportedQuarters(listing: SampleListing, through: string): ReportedQuarter[] {
  const { country, listedOn } = listing;
  const endMonth = yearEndMonth(listing);
  const until = through > ANCHOR ? through : ANCHOR;
  const firstOfAll = endMonth === 12 ? FIRST_YEAR : FIRST_YEAR + 1;
  const isNamedByBeginning = country === "US" && NAMED_BY_BEGINNING.has(listing.symbol);
  const firstShown = listedOn === null ? 0 : Number(listedOn.slice(0, 4)) - PROSPECTUS_YEARS;
  const quarters: ReportedQuarter[] = [];
  for (let endYear = Math.max(firstOfAll, firstShown); ; endYear++) {
    const fiscalYear = isNamedByBeginning ? endYear - 1 : endYear;
    for (let fiscalQuarter = 1; fiscalQuarter <= 4; fiscalQuarter++) {
      const periodEnd = endOfMonth(endYear, endMonth - 3 * (4 - fiscalQuarter));
      const weekdays = weekdaysToReport(listing, 4 * endYear + fiscalQuarter);
      const reportedOn = reportDay(listing, addWeekdays(periodEnd, weekdays));
      const filedOn = listedOn !== null && reportedOn < listedOn ? listedOn : reportedOn;
      quarters.push({ fiscalYear, fiscalQuarter, periodEnd, filedOn });
    }
    if ((quarters.at(-1)?.periodEnd ?? "") > until) return quarters;
  }
}

/**
 * Weekdays, not days, from the end of a quarter to its report, so that Mondays do not collect the
 * reports of weekends. `number` is the number of the quarter, a multiple of 4 for the fourth one.
 */
function weekdaysToReport(listing: SampleListing, number: number): number {
  const seed = listingSeed(listing);
  const [min, max] = USUAL_REPORT_DAYS[listing.country];
  const days = listing.reportDays ?? min + (max - min) * uniformAt(seed, 30);
  const isYear = number % 4 === 0 && days > EARLY_REPORT_DAYS;
  const varied = Math.floor(3 * uniformAt(seed, 100 + number)) - 1;
  return Math.round((days * 5) / 7) + varied + (isYear ? YEAR_END_WEEKDAYS[listing.country] : 0);
}

/**
 * The session of a report that is due on a weekday. US companies report after the close from Tuesday to
 * Thursday only, and never between 19 December and New Year.
 */
function reportDay(listing: SampleListing, due: string): string {
  const { country } = listing;
  if (country !== "US") return sessionOnOrAfter(country, due);
  const year = due.slice(0, 4);
  if (due >= `${year}-12-19`) return sessionOnOrBefore("US", `${year}-12-18`);
  if (reportsBeforeOpen(listing)) return sessionOnOrAfter("US", due);
  const weekday = weekdayOf(due);
  if (weekday === 5) return sessionOnOrBefore("US", addDays(due, -1));
  return sessionOnOrAfter("US", weekday === 1 ? addDays(due, 1) : due);
}

/** The dates of the company's reports, through a date, oldest first. */
export function reportDates(listing: SampleListing, through: string): string[] {
  return reportedQuarters(listing, through)
    .map(({ filedOn }) => filedOn)
    .filter((date) => date <= through);
}
