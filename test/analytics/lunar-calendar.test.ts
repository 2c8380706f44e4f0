import { describe, expect, test } from "bun:test";
import { lunarDate, lunarMonths } from "#analytics/lunar-calendar.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

const YEARS = Array.from({ length: 133 }, (_, i) => 1968 + i);

describe("the Vietnamese lunar calendar", () => {
  test("Lunar New Year is on the published day", () => {
    // Ho Ngoc Duc's tables of the Vietnamese calendar; from 2055 on every fifth year.
    const printed =
      `1990-01-27 1995-01-31 2000-02-05 2005-02-09 2010-02-14 2015-02-19 2020-01-25 2024-02-10
       2025-01-29 2026-02-17 2027-02-06 2028-01-26 2029-02-13 2055-01-28 2060-02-02 2065-02-05
       2070-02-11 2075-02-15 2080-01-22 2085-01-26 2090-01-30 2095-02-05 2100-02-09`.split(/\s+/);
    for (const date of printed) expect(lunarDate(Number(date.slice(0, 4)), 1, 1)).toBe(date);
  });

  test("Lunar New Year differs from the Chinese one if the new moon is between midnight in Beijing and in Hanoi", () => {
    // In China 1985-02-20, 2007-02-18, 2030-02-03 and 2053-02-19.
    for (const date of ["1985-01-21", "2007-02-17", "2030-02-02", "2053-02-18"])
      expect(lunarDate(Number(date.slice(0, 4)), 1, 1)).toBe(date);
  });

  test("the leap month is the published one", () => {
    const printed: Record<number, number> = {
      1985: 2, // in China the tenth month of 1984
      1987: 7, // in China the sixth
      2004: 2,
      2006: 7,
      2009: 5,
      2012: 4,
      2014: 9,
      2017: 6,
      2020: 4,
      2023: 2,
      2025: 6,
      2028: 5,
      2031: 3,
      2033: 11, // the year on which simpler rules fail
      2099: 2,
    };
    for (const [year, month] of Object.entries(printed)) {
      const leaps = lunarMonths(Number(year)).filter(({ leap }) => leap);
      expect([year, leaps.map(({ number }) => number)]).toEqual([year, [month]]);
    }
    for (const year of [2005, 2007, 2024, 2026, 2027, 2034, 2100])
      expect(lunarMonths(year).some(({ leap }) => leap)).toBe(false);
  });

  test("months are consecutive, have 29 or 30 days, and a leap month follows the month of its number", () => {
    for (const year of YEARS) {
      const months = lunarMonths(year);
      expect(months.filter(({ leap }) => !leap).map(({ number }) => number)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
      ]);
      expect(months.length - 12).toBe(months.filter(({ leap }) => leap).length);
      const starts = [...months.map(({ firstDay }) => firstDay), lunarDate(year + 1, 1, 1)];
      months.forEach(({ number, leap, firstDay }, i) => {
        if (leap) expect(months[i - 1]?.number).toBe(number);
        expect([29, 30]).toContain(daysBetween(firstDay, starts[i + 1] ?? ""));
      });
    }
  });

  test("Lunar New Year falls from 20 January to 21 February", () => {
    for (const year of YEARS) {
      const monthDay = lunarDate(year, 1, 1).slice(5);
      expect(monthDay >= "01-20" && monthDay <= "02-21").toBe(true);
    }
  });

  test("a day of a month counts from its first day, ignoring leap months", () => {
    // 2023 has a second month 2: month 3 begins on 20 April, not on 21 March.
    expect(lunarDate(2023, 3, 1)).toBe("2023-04-20");
    expect(lunarDate(2023, 3, 10)).toBe("2023-04-29");
  });

  test("a month that does not exist is refused", () => {
    expect(() => lunarDate(2026, 13, 1)).toThrow(RangeError);
  });
});

describe.skipIf(!hasRecordings)("lunar dates against ../shared/data", () => {
  test("Lunar New Year, its eve and Hung Kings' day agree with the public holidays of 1990 to 2050", () => {
    const holidays: Record<string, string> = recordedJson("holidays/VN_COMMON.json");
    const compared: Record<string, number> = {};
    for (const [date, name] of Object.entries(holidays)) {
      const year = Number(date.slice(0, 4));
      const ours = {
        "Lunar New Year's Eve": () => addDays(lunarDate(year, 1, 1), -1),
        "Lunar New Year": () => lunarDate(year, 1, 1),
        "Hung Kings' Commemoration Day": () => lunarDate(year, 3, 10),
      }[name];
      if (!ours || year < 1990) continue;
      expect([name, ours()]).toEqual([name, date]);
      compared[name] = (compared[name] ?? 0) + 1;
    }
    // Hung Kings' day is a public holiday since 2007.
    expect(compared).toEqual({
      "Lunar New Year's Eve": 61,
      "Lunar New Year": 61,
      "Hung Kings' Commemoration Day": 44,
    });
  });

  test("they agree with the reference list of 2020 to 2030", () => {
    const { holidays }: { holidays: { date: string; name: string }[] } = recordedJson(
      "reference/calendars/vn-public.json",
    );
    const named = (name: string) => holidays.filter((h) => h.name === name).map((h) => h.date);
    const years = Array.from({ length: 11 }, (_, i) => 2020 + i);
    expect(years.map((year) => lunarDate(year, 1, 1))).toEqual(named("Lunar New Year"));
    expect(years.map((year) => lunarDate(year, 3, 10))).toEqual(
      named("Hung Kings' Commemoration Day"),
    );
  });
});
