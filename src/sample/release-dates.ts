import { exchangeHolidays } from "#analytics/exchange-holidays.ts";
import { isSession } from "#analytics/sessions.ts";
import type { Country } from "#domain/country.ts";
import { addDays, isWeekend, weekdayOf } from "#lib/date.ts";
import { endOfMonth } from "./dates.ts";
import { memoize } from "./memoize.ts";

const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/**
 * The announced meetings of the central banks, `MM-DD` of the last day, as published by
 * federalreserve.gov and boj.or.jp.
 */
const ANNOUNCED_MEETINGS: Readonly<Record<string, string>> = {
  "fomc 2024": "01-31 03-20 05-01 06-12 07-31 09-18 11-07 12-18",
  "fomc 2025": "01-29 03-19 05-07 06-18 07-30 09-17 10-29 12-10",
  "fomc 2026": "01-28 03-18 04-29 06-17 07-29 09-16 10-28 12-09",
  "fomc 2027": "01-27 03-17 04-28 06-09 07-28 09-15 10-27 12-08",
  "boj 2024": "01-23 03-19 04-26 06-14 07-31 09-20 10-31 12-19",
  "boj 2025": "01-24 03-19 05-01 06-17 07-31 09-19 10-30 12-19",
  "boj 2026": "01-23 03-19 04-28 06-16 07-31 09-18 10-30 12-18",
};

/** The meetings of other years: the first such weekday on or after each date. */
const MEETING_PATTERNS: Readonly<Record<string, readonly [weekday: string, from: string]>> = {
  fomc: ["wed", "01-26 03-16 04-28 06-12 07-25 09-15 10-27 12-08"],
  boj: ["fri", "01-20 03-14 04-24 06-13 07-26 09-17 10-26 12-16"],
  // Other central banks meet in the middle of the month.
  wed15: ["wed", "01-15 03-15 04-15 06-15 07-15 09-15 10-15 12-15"],
};

/** The last days of a central bank's eight meetings in a year (`fomc 2026`), oldest first. */
export const meetingDays = memoize((bankAndYear: string): readonly string[] => {
  const [bank = "", year = ""] = bankAndYear.split(" ");
  const announced = ANNOUNCED_MEETINGS[bankAndYear];
  if (announced) return announced.split(" ").map((day) => `${year}-${day}`);
  const [weekday, from] = MEETING_PATTERNS[bank] ?? ["wed", ""];
  return from.split(" ").map((day) => {
    const date = weekdayOnOrAfter(weekday, `${year}-${day}`);
    return bank === "boj" ? workingDayOnOrBefore("JP", date) : date;
  });
});

/** The first such weekday (`fri`) on or after the date. */
function weekdayOnOrAfter(weekday: string, from: string): string {
  return addDays(from, (WEEKDAYS.indexOf(weekday) - weekdayOf(from) + 7) % 7);
}

/**
 * The local date of a publication in a month (1 to 12; 13 is January of the next year) by a rule: `12`
 * is the 12th, `work1` the first working day, `fri8` the first Friday from the 8th, `payrolls` the
 * employment report's rule. A holiday moves the date to the next working day.
 */
export function publicationDay(
  country: Country,
  rule: string,
  year: number,
  month: number,
): string {
  const before = endOfMonth(year, month - 1);
  if (rule === "payrolls") return payrollsDay(year, month);
  const [, word = "", count = ""] = rule.match(/^([a-z]*)(\d+)$/) ?? [];
  if (word === "work") {
    let date = before;
    for (let i = 0; i < Number(count); i++) date = workingDayOnOrAfter(country, addDays(date, 1));
    return date;
  }
  const day = addDays(before, Number(count));
  const due = word === "" ? day : weekdayOnOrAfter(word, day);
  return country === "US" ? beforeLongHoliday(due) : workingDayOnOrAfter(country, due);
}

/**
 * The date of a US publication that is due on a date. Offices publish before Thanksgiving and the Friday
 * after it, and before the days from Christmas to New Year.
 */
function beforeLongHoliday(due: string): string {
  const year = due.slice(0, 4);
  const thanksgiving = weekdayOnOrAfter("thu", `${year}-11-22`);
  if (due >= thanksgiving && due <= addDays(thanksgiving, 3)) return addDays(thanksgiving, -1);
  const day = workingDayOnOrAfter("US", due);
  return day.slice(5) > "12-23" ? workingDayOnOrBefore("US", `${year}-12-23`) : day;
}

/**
 * The date of the employment report: the third Friday after the week with the 12th of the previous
 * month, but a week later in the first three days of a year. A holiday moves it to the day before.
 */
function payrollsDay(year: number, month: number): string {
  const twelfth = addDays(endOfMonth(year, month - 2), 12);
  const saturday = addDays(twelfth, 6 - weekdayOf(twelfth));
  const friday = addDays(weekdayOnOrAfter("fri", saturday), 14);
  const due = /-01-0[123]$/.test(friday) ? addDays(friday, 7) : friday;
  return workingDayOnOrBefore("US", due);
}

/**
 * The local date of a weekly figure whose day is `thu` or `wed`. A holiday moves jobless claims (`thu`)
 * to the working day before, and one earlier in the week moves oil inventories (`wed`) a day later.
 */
export function weeklyDay(country: Country, rule: string, nominal: string): string {
  if (rule === "thu") return workingDayOnOrBefore(country, nominal);
  const monday = addDays(nominal, 1 - weekdayOf(nominal));
  const isShort = [monday, addDays(monday, 1), nominal].some((day) => !isWorkingDay(country, day));
  return isShort ? workingDayOnOrAfter(country, addDays(nominal, 1)) : nominal;
}

/** The first working day of the country's offices on or after the date. */
function workingDayOnOrAfter(country: Country, date: string): string {
  return isWorkingDay(country, date) ? date : workingDayOnOrAfter(country, addDays(date, 1));
}

function workingDayOnOrBefore(country: Country, date: string): string {
  return isWorkingDay(country, date) ? date : workingDayOnOrBefore(country, addDays(date, -1));
}

/** By law, Japanese offices are closed from 29 December to 3 January. The exchange trades on these two. */
const JAPANESE_OFFICES_CLOSE: ReadonlySet<string> = new Set(["12-29", "12-30"]);

/** True if the local date is neither a weekend nor a public holiday in the country. */
export function isWorkingDay(country: Country, date: string): boolean {
  if (country === "JP" && JAPANESE_OFFICES_CLOSE.has(date.slice(5))) return false;
  if (country !== "US") return isSession(country, date);
  return !isWeekend(date) && !federalHolidays(Number(date.slice(0, 4))).has(date);
}

/** The exchanges' holidays without Good Friday, and the two on which only exchanges are open. */
const federalHolidays = memoize((year: number): ReadonlySet<string> => {
  const shared = exchangeHolidays("US", year).filter(({ name }) => name !== "Good Friday");
  const columbus = addDays(weekdayOnOrAfter("mon", `${year}-10-01`), 7);
  const veterans = `${year}-11-11`;
  const moved = [1, 0, 0, 0, 0, 0, -1][weekdayOf(veterans)] ?? 0;
  return new Set([...shared.map(({ date }) => date), columbus, addDays(veterans, moved)]);
});
