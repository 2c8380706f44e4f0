import type { HalfDay, Holiday, HolidayOverride } from "#domain/calendar-event.ts";
import type { Country } from "#domain/country.ts";
import { addDays, isWeekend, weekdayOf } from "#lib/date.ts";
import { lunarDate } from "./lunar-calendar.ts";

/** The first days for which the rules of this file are valid. */
export const HOLIDAYS_SINCE: Readonly<Record<Country, string>> = {
  US: "1990-01-01",
  JP: "1990-01-01",
  VN: "2013-01-01",
};

/**
 * The weekdays of a year on which a country's exchanges (NYSE and Nasdaq, TSE, HOSE and HNX) are
 * closed, oldest first. A day with an early close is a session and is not in the list.
 *
 * The days follow the rules of each exchange and the decrees in this file. `overrides` take
 * precedence; if two name the same day, the later one in the list wins. An override on a weekend has
 * no effect, because no exchange opens then. The rules are valid from `HOLIDAYS_SINCE` on. In Viet Nam, the government swaps workdays for Saturdays by decree, so future swaps
 * need an override. A day on which a trading system failed (TSE, 2020-10-01) counts as open.
 */
export function exchangeHolidays(
  country: Country,
  year: number,
  overrides: readonly HolidayOverride[] = [],
): Holiday[] {
  const byRule = year < FIRST_YEAR || year > LAST_YEAR ? [] : RULES[country](year);
  const closed = new Map(byRule);
  for (const [date, name] of DECREED[country]) closed.set(date, name);
  for (const override of overrides) {
    if (override.country !== country) continue;
    if (override.closed) closed.set(override.date, override.name);
    else closed.delete(override.date);
  }
  return [...closed]
    .filter(([date]) => Number(date.slice(0, 4)) === year && !isWeekend(date))
    .map(([date, name]) => ({ date, name }))
    .sort((a, b) => (a.date < b.date ? -1 : 1));
}

/**
 * The sessions of a year that end early, oldest first. NYSE and Nasdaq close at 13:00 on 3 July, on
 * the day after Thanksgiving and on 24 December, if that day is a session. TSE, HOSE and HNX have no
 * half days. The rule is valid from 2013.
 */
export function halfDays(
  country: Country,
  year: number,
  overrides: readonly HolidayOverride[] = [],
): HalfDay[] {
  if (country !== "US") return [];
  const closed = new Set(exchangeHolidays(country, year, overrides).map(({ date }) => date));
  const rows = [
    [`${year}-07-03`, "Day before Independence Day"],
    [addDays(weekdayFrom(`${year}-11-22`, THURSDAY), 1), "Day after Thanksgiving"],
    [`${year}-12-24`, "Christmas Eve"],
  ] as const;
  return rows
    .filter(([date]) => !isWeekend(date) && !closed.has(date))
    .map(([date, name]) => ({ date, name, closesAt: "13:00" }));
}

/** Names of holidays by date. A date may be on a weekend. */
type HolidayNames = Map<string, string>;

/** The years of the rules. Their formulas give no dates for years that are further away. */
const [FIRST_YEAR, LAST_YEAR] = [1800, 2199];

const RULES: Record<Country, (year: number) => HolidayNames> = {
  US: usHolidays,
  JP: japaneseHolidays,
  VN: vietnameseHolidays,
};

/** A closure, and the day of its publication if that is not its own day. */
type Decree = readonly [date: string, name: string, publishedOn?: string];

/** Closures that follow from no rule. */
const DECREED: Record<Country, readonly Decree[]> = {
  US: [
    ["1994-04-27", "Funeral of President Nixon"],
    ["2001-09-11", "Attacks of 11 September"],
    ["2001-09-12", "Attacks of 11 September"],
    ["2001-09-13", "Attacks of 11 September"],
    ["2001-09-14", "Attacks of 11 September"],
    ["2004-06-11", "Day of Mourning for President Reagan"],
    ["2007-01-02", "Day of Mourning for President Ford"],
    ["2012-10-29", "Hurricane Sandy"],
    ["2012-10-30", "Hurricane Sandy"],
    ["2018-12-05", "Day of Mourning for President Bush"],
    ["2025-01-09", "Day of Mourning for President Carter", "2024-12-30"],
  ],
  JP: [],
  // Workdays that the government swapped for a Saturday. Exchanges stay closed on both days.
  VN: [
    ["2013-02-15", "Lunar New Year (swap day)"],
    ["2013-04-29", "Reunification Day (swap day)"],
    ["2014-01-28", "Lunar New Year (swap day)"],
    ["2014-02-05", "Lunar New Year (swap day)"],
    ["2014-05-02", "International Labour Day (swap day)"],
    ["2014-09-01", "National Day (swap day)"],
    ["2015-01-02", "New Year's Day (swap day)"],
    ["2015-02-16", "Lunar New Year (swap day)"],
    ["2015-04-29", "Reunification Day (swap day)"],
    ["2018-12-31", "New Year's Day (swap day)"],
    ["2019-04-29", "Reunification Day (swap day)"],
    ["2024-04-29", "Reunification Day (swap day)"],
    ["2025-05-02", "International Labour Day (swap day)"],
    ["2026-01-02", "New Year's Day (swap day)"],
    ["2026-08-31", "National Day (swap day)"],
  ],
};

/**
 * Overrides that take back the decrees that were not published by the end of a local date, YYYY-MM-DD. The decrees of
 * Viet Nam count as published, because they are decided months before.
 */
export function unpublishedDecrees(country: Country, day: string): HolidayOverride[] {
  if (country !== "US") return [];
  return DECREED.US.filter(([date, , publishedOn = date]) => publishedOn > day).map(
    ([date, name]) => ({ country, date, name, closed: false }),
  );
}

/** Collects holidays by date. Rows without a date do not exist in that year. */
function holidayNames(rows: [date: string | false, name: string][]): HolidayNames {
  const names: HolidayNames = new Map();
  for (const [date, name] of rows) if (date) names.set(date, name);
  return names;
}

const SUNDAY = 0;
const MONDAY = 1;
const THURSDAY = 4;

/** The first given weekday on or after a date: from the 15th of a month, its third one. */
function weekdayFrom(date: string, weekday: number): string {
  return addDays(date, (weekday - weekdayOf(date) + 7) % 7);
}

/** The first day on or after a date that is neither on a weekend nor a holiday. */
function workdayFrom(date: string, holidays: HolidayNames): string {
  let day = date;
  while (isWeekend(day) || holidays.has(day)) day = addDays(day, 1);
  return day;
}

/**
 * The holidays of NYSE and Nasdaq. A holiday on a Saturday is observed on Friday, one on a Sunday on
 * Monday. New Year's Day on a Saturday is not observed: that Friday is the last day of an accounting
 * year, on which NYSE stays open.
 */
function usHolidays(year: number): HolidayNames {
  const on = (monthDay: string) => `${year}-${monthDay}`;
  const names = holidayNames([
    [on("01-01"), "New Year's Day"],
    [year >= 1998 && weekdayFrom(on("01-15"), MONDAY), "Martin Luther King Jr. Day"],
    [weekdayFrom(on("02-15"), MONDAY), "Washington's Birthday"],
    [addDays(easterSunday(year), -2), "Good Friday"],
    [weekdayFrom(on("05-25"), MONDAY), "Memorial Day"],
    [year >= 2022 && on("06-19"), "Juneteenth"],
    [on("07-04"), "Independence Day"],
    [weekdayFrom(on("09-01"), MONDAY), "Labor Day"],
    [weekdayFrom(on("11-22"), THURSDAY), "Thanksgiving Day"],
    [on("12-25"), "Christmas Day"],
  ]);
  for (const [date, name] of names)
    if (isWeekend(date))
      names.set(addDays(date, weekdayOf(date) === SUNDAY ? 1 : -1), `${name} (observed)`);
  return names;
}

/** Easter Sunday in the Gregorian calendar (the anonymous algorithm, as published by Meeus). */
function easterSunday(year: number): string {
  const { floor } = Math;
  const century = floor(year / 100);
  const golden = year % 19;
  const epact =
    (19 * golden + century - floor(century / 4) - floor((8 * century + 13) / 25) + 15) % 30;
  const fullMoon = epact - floor((golden + 11 * epact) / 319);
  const sunday = (2 * (century % 4) + 2 * floor((year % 100) / 4) - (year % 4) - fullMoon + 32) % 7;
  return addDays(`${year}-03-22`, fullMoon + sunday);
}

/** For the Tokyo Olympics, three holidays moved to the days around the opening and closing. */
const TOKYO_GAMES = new Map([
  [2020, { marine: "2020-07-23", sports: "2020-07-24", mountain: "2020-08-10" }],
  [2021, { marine: "2021-07-22", sports: "2021-07-23", mountain: "2021-08-08" }],
]);

/**
 * The holidays of TSE: the national holidays of Japan's act of 1948 as amended, and the days around New
 * Year. The formula of the equinoxes is valid from 1980 to 2099.
 */
function japaneseHolidays(year: number): HolidayNames {
  const on = (monthDay: string) => `${year}-${monthDay}`;
  const mondayFrom = (monthDay: string) => weekdayFrom(on(monthDay), MONDAY);
  const equinoxDay = (in1980: number) =>
    Math.floor(in1980 + 0.242194 * (year - 1980) - Math.floor((year - 1980) / 4));
  const games = TOKYO_GAMES.get(year);
  const marine = games?.marine ?? (year >= 2003 ? mondayFrom("07-15") : on("07-20"));
  const sports = games?.sports ?? (year >= 2000 ? mondayFrom("10-08") : on("10-10"));
  const national = holidayNames([
    [on("01-01"), "New Year's Day"],
    [year >= 2000 ? mondayFrom("01-08") : on("01-15"), "Coming of Age Day"],
    [on("02-11"), "National Foundation Day"],
    [year >= 2020 && on("02-23"), "Emperor's Birthday"],
    [on(`03-${equinoxDay(20.8431)}`), "Vernal Equinox Day"],
    [on("04-29"), year >= 2007 ? "Showa Day" : "Greenery Day"],
    [year === 2019 && on("05-01"), "Accession of the Emperor"],
    [on("05-03"), "Constitution Memorial Day"],
    [year >= 2007 && on("05-04"), "Greenery Day"],
    [on("05-05"), "Children's Day"],
    [year === 1993 && on("06-09"), "Wedding of the Crown Prince"],
    [year >= 1996 && marine, "Marine Day"],
    [year >= 2016 && (games?.mountain ?? on("08-11")), "Mountain Day"],
    [year >= 2003 ? mondayFrom("09-15") : on("09-15"), "Respect for the Aged Day"],
    [on(`09-${equinoxDay(23.2488)}`), "Autumnal Equinox Day"],
    [sports, year >= 2020 ? "Sports Day" : "Health and Sports Day"],
    [year === 2019 && on("10-22"), "Enthronement Ceremony"],
    [on("11-03"), "Culture Day"],
    [year === 1990 && on("11-12"), "Enthronement Ceremony"],
    [on("11-23"), "Labor Thanksgiving Day"],
    [year <= 2018 && on("12-23"), "Emperor's Birthday"],
  ]);
  const names = new Map([
    [on("01-02"), "Market Holiday"],
    [on("01-03"), "Market Holiday"],
    [on("12-31"), "Market Holiday"],
    ...national,
  ]);
  for (const date of national.keys()) {
    const next = addDays(date, 1);
    // A holiday on a Sunday moves to the next day that is not a holiday.
    if (weekdayOf(date) === SUNDAY) names.set(workdayFrom(next, national), "Substitute Holiday");
    // A day between two holidays is a holiday.
    else if (!national.has(next) && national.has(addDays(next, 1)))
      names.set(next, "National Holiday");
  }
  return names;
}

/**
 * The holidays of HOSE and HNX, by Viet Nam's Labour Code (article 112) and, since 2026, Resolution
 * 28/2026/QH16. Tet takes five weekdays from the second day before Lunar New Year, as decreed every
 * year since 2014; until 2013 it took four weekdays from the eve. A holiday on a weekend moves to the
 * next workday.
 */
function vietnameseHolidays(year: number): HolidayNames {
  const on = (monthDay: string) => `${year}-${monthDay}`;
  const names: HolidayNames = new Map();
  const [tetFrom, tetDays] = year >= 2014 ? [-2, 5] : [-1, 4];
  const tet = addDays(lunarDate(year, 1, 1), tetFrom);
  for (let i = 0; i < tetDays; i++) names.set(workdayFrom(tet, names), "Lunar New Year (Tet)");

  const nationalDay = on("09-02");
  // The decree adds the day on the side of the nearer weekend; for a Wednesday, the day before.
  const adjacentDay = [0, 1, 4].includes(weekdayOf(nationalDay)) ? on("09-03") : on("09-01");
  const others = holidayNames([
    [on("01-01"), "New Year's Day"],
    [year >= 2007 && lunarDate(year, 3, 10), "Hung Kings' Commemoration Day"],
    [on("04-30"), "Reunification Day"],
    [on("05-01"), "International Labour Day"],
    [year >= 2021 && adjacentDay, "National Day"],
    [nationalDay, "National Day"],
    [year >= 2026 && on("11-24"), "Vietnam Culture Day"],
  ]);
  for (const [date, name] of others) if (!isWeekend(date)) names.set(date, name);
  for (const [date, name] of others)
    if (isWeekend(date)) names.set(workdayFrom(date, names), `${name} (observed)`);
  return names;
}
