import type { Country } from "#domain/country.ts";
import { addDays, weekdayOf } from "#lib/date.ts";
import { ANCHOR, endOfMonth, sessionOnOrAfter } from "./dates.ts";
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
/** US companies that name a fiscal year by the year of its beginning instead of its end. */
const NAMED_BY_BEGINNING: ReadonlySet<string> = new Set(["HD", "KR", "LOW", "LULU", "TGT"]);
/** Days from the end of a quarter to its report, if the universe does not give them. */
const USUAL_REPORT_DAYS: Record<Country, readonly [min: number, max: number]> = {
  US: [30, 40],
  JP: [30, 44],
  VN: [30, 32],
};
/** Companies that report within these days, such as banks, report a full year as fast as a quarter. */
const EARLY_REPORT_DAYS = 20;
const YEAR_END_DAYS = 4;

/** The month (1 to 12) in which the company's fiscal year ends. */
export function yearEndMonth({ country, yearEnd }: SampleListing): number {
  return yearEnd ?? (country === "JP" ? 3 : 12);
}

/** True for a company that reports half years instead of quarters, as Japanese REITs do. */
export function reportsHalfYears({ country, assetType }: SampleListing): boolean {
  return country === "JP" && assetType === "reit";
}

/**
 * A company's fiscal quarters, oldest first, through the first fiscal year that ends after `through`
 * and the anchor date. A report of a half year has both of its quarters. Reports from before its listing are dated on the day of the listing.
 */
export function reportedQuarters(listing: SampleListing, through: string): ReportedQuarter[] {
  const { country, symbol, listedOn } = listing;
  const endMonth = yearEndMonth(listing);
  const until = through > ANCHOR ? through : ANCHOR;
  const firstOfAll = endMonth === 12 ? FIRST_YEAR : FIRST_YEAR + 1;
  const firstShown = listedOn === null ? 0 : Number(listedOn.slice(0, 4)) - PROSPECTUS_YEARS;
  const quarters: ReportedQuarter[] = [];
  for (let endYear = Math.max(firstOfAll, firstShown); ; endYear++) {
    const isNamedByBeginning = country === "US" && NAMED_BY_BEGINNING.has(symbol);
    const fiscalYear = isNamedByBeginning ? endYear - 1 : endYear;
    for (let fiscalQuarter = 1; fiscalQuarter <= 4; fiscalQuarter++) {
      const endOf = (quarter: number) => endOfMonth(endYear, endMonth - 3 * (4 - quarter));
      const periodEnd = endOf(fiscalQuarter);
      const last = reportsHalfYears(listing) ? 2 * Math.ceil(fiscalQuarter / 2) : fiscalQuarter;
      const reportedOn = reportDay(listing, endOf(last), 4 * endYear + last);
      const filedOn = listedOn !== null && reportedOn < listedOn ? listedOn : reportedOn;
      quarters.push({ fiscalYear, fiscalQuarter, periodEnd, filedOn });
    }
    if ((quarters.at(-1)?.periodEnd ?? "") > until) return quarters;
  }
}

/** The dates of the company's reports, through a date, oldest first. */
export function reportDates(listing: SampleListing, through: string): string[] {
  return reportedQuarters(listing, through)
    .map(({ filedOn }) => filedOn)
    .filter((date) => date <= through);
}

/** The session of a report, from Tuesday to Thursday if they are sessions. `number` is the quarter's. */
function reportDay(listing: SampleListing, periodEnd: string, number: number): string {
  const seed = listingSeed(listing);
  const [min, max] = USUAL_REPORT_DAYS[listing.country];
  const usual = listing.reportDays ?? Math.round(min + (max - min) * uniformAt(seed, 30));
  const isYear = number % 4 === 0 && usual > EARLY_REPORT_DAYS;
  const due = addDays(periodEnd, usual + (isYear ? YEAR_END_DAYS : 0));
  const weekday = 2 + Math.floor(3 * uniformAt(seed, 100 + number));
  // The weekday that is nearest to the due one: from three days before to three days after.
  return sessionOnOrAfter(listing.country, addDays(due, ((weekday - weekdayOf(due) + 10) % 7) - 3));
}
