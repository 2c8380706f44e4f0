import { describe, expect, test } from "bun:test";
import { exchangeHolidays, halfDays } from "#analytics/exchange-holidays.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { isWeekend } from "#lib/date.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

/** The closed dates of a year, without the year. */
const closed = (country: Country, year: number, overrides?: readonly HolidayOverride[]) =>
  exchangeHolidays(country, year, overrides)
    .map(({ date }) => date.slice(5))
    .join(" ");

const nameOf = (country: Country, date: string) =>
  exchangeHolidays(country, Number(date.slice(0, 4))).find((h) => h.date === date)?.name;

describe("NYSE", () => {
  test("closes on the days it announced for 2026 to 2028", () => {
    expect(closed("US", 2026)).toBe("01-01 01-19 02-16 04-03 05-25 06-19 07-03 09-07 11-26 12-25");
    expect(closed("US", 2027)).toBe("01-01 01-18 02-15 03-26 05-31 06-18 07-05 09-06 11-25 12-24");
    // Only nine, because New Year's Day is a Saturday.
    expect(closed("US", 2028)).toBe("01-17 02-21 04-14 05-29 06-19 07-04 09-04 11-23 12-25");
  });

  test("closes early on the days it announced, from 2013 on", () => {
    const announced: Record<number, string> = {
      2013: "07-03 11-29 12-24",
      2014: "07-03 11-28 12-24",
      2015: "11-27 12-24",
      2016: "11-25",
      2017: "07-03 11-24",
      2018: "07-03 11-23 12-24",
      2019: "07-03 11-29 12-24",
      2020: "11-27 12-24",
      2021: "11-26",
      2022: "11-25",
      2023: "07-03 11-24",
      2024: "07-03 11-29 12-24",
      2025: "07-03 11-28 12-24",
      2026: "11-27 12-24",
      2027: "11-26",
      2028: "07-03 11-24",
    };
    for (const [year, days] of Object.entries(announced)) {
      const found = halfDays("US", Number(year)).map(({ date }) => date.slice(5));
      expect([year, found.join(" ")]).toEqual([year, days]);
    }
    const mourning = { country: "US", date: "2026-12-24", name: "Mourning", closed: true } as const;
    expect(halfDays("US", 2026, [mourning]).map(({ date }) => date)).toEqual(["2026-11-27"]);
    expect([halfDays("JP", 2026), halfDays("VN", 2026)]).toEqual([[], []]);
  });

  test("New Year's Day on a Saturday is not observed on the last day of the old year", () => {
    expect(nameOf("US", "2021-12-31")).toBeUndefined();
    expect(nameOf("US", "2022-01-03")).toBeUndefined();
    expect(nameOf("US", "2023-01-02")).toBe("New Year's Day (observed)");
  });

  test("Good Friday is right for early and late dates of Easter", () => {
    // Easter on 23 March 2008, 24 April 2011, 25 April 2038, 20 April 2025.
    for (const date of ["2008-03-21", "2011-04-22", "2038-04-23", "2025-04-18"])
      expect(nameOf("US", date)).toBe("Good Friday");
  });

  test("Martin Luther King Day is a holiday from 1998, Juneteenth from 2022", () => {
    expect(nameOf("US", "1997-01-20")).toBeUndefined();
    expect(nameOf("US", "1998-01-19")).toBe("Martin Luther King Jr. Day");
    expect(nameOf("US", "2021-06-18")).toBeUndefined();
    expect(nameOf("US", "2022-06-20")).toBe("Juneteenth (observed)");
  });

  test("is closed on days of mourning and disaster", () => {
    expect(nameOf("US", "2025-01-09")).toBe("Day of Mourning for President Carter");
    expect(closed("US", 2001)).toContain("09-11 09-12 09-13 09-14");
    expect(closed("US", 2012)).toContain("10-29 10-30");
  });
});

describe("TSE", () => {
  test("closes on the days it announced for 2026", () => {
    expect(closed("JP", 2026)).toBe(
      "01-01 01-02 01-12 02-11 02-23 03-20 04-29 05-04 05-05 05-06 07-20 08-11 09-21 09-22 09-23 10-12 11-03 11-23 12-31",
    );
  });

  test("a holiday on a Sunday moves to the next day that is not a holiday", () => {
    expect(nameOf("JP", "2025-02-24")).toBe("Substitute Holiday"); // Emperor's Birthday
    // 3 May 2026 is a Sunday, and the 4th and 5th are holidays.
    expect(nameOf("JP", "2026-05-06")).toBe("Substitute Holiday");
    // A holiday on a Saturday does not move: Showa Day 2023.
    expect(nameOf("JP", "2023-05-01")).toBeUndefined();
  });

  test("a day between two holidays is a holiday", () => {
    for (const date of ["2009-09-22", "2015-09-22", "2026-09-22", "2032-09-21"])
      expect(nameOf("JP", date)).toBe("National Holiday");
    expect(nameOf("JP", "2000-05-04")).toBe("National Holiday");
    expect(nameOf("JP", "2010-05-04")).toBe("Greenery Day");
  });

  test("the equinoxes equal the observatory's dates", () => {
    expect(nameOf("JP", "2024-03-20")).toBe("Vernal Equinox Day");
    expect(nameOf("JP", "2023-03-21")).toBe("Vernal Equinox Day");
    expect(nameOf("JP", "2026-09-23")).toBe("Autumnal Equinox Day");
    expect(nameOf("JP", "2020-09-22")).toBe("Autumnal Equinox Day");
  });

  test("the change of emperors in 2019 closed ten consecutive days", () => {
    expect(closed("JP", 2019)).toContain("04-29 04-30 05-01 05-02 05-03 05-06");
    expect(nameOf("JP", "2019-10-22")).toBe("Enthronement Ceremony");
    expect(nameOf("JP", "2018-12-24")).toBe("Substitute Holiday"); // the last of 23 December
    expect(nameOf("JP", "2019-12-23")).toBeUndefined();
    expect(nameOf("JP", "2021-02-23")).toBe("Emperor's Birthday");
  });

  test("the Tokyo games moved three holidays in 2020 and 2021, and only then", () => {
    expect(closed("JP", 2020)).toContain("05-06 07-23 07-24 08-10 09-21");
    expect(closed("JP", 2021)).toContain("05-05 07-22 07-23 08-09 09-20");
    expect(closed("JP", 2021)).not.toContain("10-11");
    expect(closed("JP", 2022)).toContain("07-18 08-11 09-19 09-23 10-10");
  });

  test("holidays moved to Mondays in 2000 and 2003", () => {
    expect(nameOf("JP", "1999-01-15")).toBe("Coming of Age Day");
    expect(nameOf("JP", "2000-01-10")).toBe("Coming of Age Day");
    expect(nameOf("JP", "2001-07-20")).toBe("Marine Day");
    expect(nameOf("JP", "2003-07-21")).toBe("Marine Day");
    expect(nameOf("JP", "2003-09-15")).toBe("Respect for the Aged Day");
  });
});

describe("HOSE", () => {
  test("closes in 2026 on the announced days and on two days that were decreed later", () => {
    // Later: the swap of 2 January, and Vietnam Culture Day, 24 November (Resolution 28/2026/QH16).
    expect(closed("VN", 2026)).toBe(
      "01-01 01-02 02-16 02-17 02-18 02-19 02-20 04-27 04-30 05-01 08-31 09-01 09-02 11-24",
    );
    expect(nameOf("VN", "2026-04-27")).toBe("Hung Kings' Commemoration Day (observed)");
  });

  test("closes on the days it announced for 2014, including four swaps", () => {
    expect(closed("VN", 2014)).toBe(
      "01-01 01-28 01-29 01-30 01-31 02-03 02-04 02-05 04-09 04-30 05-01 05-02 09-01 09-02",
    );
  });

  test("closes for five weekdays of Tet, regardless of the weekend", () => {
    // As decreed; Lunar New Year was a Saturday, Friday, Tuesday, Sunday, Saturday and Wednesday.
    expect(closed("VN", 2020)).toContain("01-23 01-24 01-27 01-28 01-29");
    expect(closed("VN", 2021)).toContain("02-10 02-11 02-12 02-15 02-16");
    expect(closed("VN", 2022)).toContain("01-31 02-01 02-02 02-03 02-04");
    expect(closed("VN", 2023)).toContain("01-20 01-23 01-24 01-25 01-26");
    expect(closed("VN", 2024)).toContain("02-08 02-09 02-12 02-13 02-14");
    expect(closed("VN", 2025)).toContain("01-27 01-28 01-29 01-30 01-31");
  });

  test("several weekend holidays move to consecutive workdays", () => {
    // 2023: Hung Kings' day on Saturday 29 April, Reunification Day on Sunday, Labour Day on Monday.
    expect(closed("VN", 2023)).toContain("05-01 05-02 05-03 09-01 09-04");
    expect(nameOf("VN", "2023-05-02")).toBe("Hung Kings' Commemoration Day (observed)");
    expect(nameOf("VN", "2023-05-03")).toBe("Reunification Day (observed)");
  });

  test("National Day has two days since 2021", () => {
    expect(closed("VN", 2020)).toEndWith("05-01 09-02");
    expect(closed("VN", 2021)).toEndWith("09-02 09-03");
    expect(closed("VN", 2022)).toEndWith("09-01 09-02");
    expect(closed("VN", 2024)).toEndWith("09-02 09-03");
    expect(closed("VN", 2025)).toEndWith("09-01 09-02");
  });

  test("Vietnam Culture Day is a holiday since 2026, on Monday if it is on a weekend", () => {
    expect(nameOf("VN", "2025-11-24")).toBeUndefined();
    expect(nameOf("VN", "2026-11-24")).toBe("Vietnam Culture Day");
    expect(nameOf("VN", "2029-11-26")).toBe("Vietnam Culture Day (observed)"); // Saturday the 24th
  });
});

describe("every exchange", () => {
  const years = Array.from({ length: 111 }, (_, i) => 1990 + i);

  test("its holidays are weekdays of the year, sorted, unique and with a name", () => {
    for (const country of COUNTRY_CODES)
      for (const year of years) {
        const holidays = exchangeHolidays(country, year);
        const dates = holidays.map(({ date }) => date);
        expect(dates).toEqual([...new Set(dates)].sort());
        expect(dates.some(isWeekend)).toBe(false);
        expect(dates.every((date) => date.startsWith(`${year}-`))).toBe(true);
        expect(holidays.every(({ name }) => name.length > 3)).toBe(true);
        expect(dates.length).toBeGreaterThanOrEqual(6);
      }
  });

  test("an override closes a day, renames one and opens one, in its own country and year", () => {
    const overrides: HolidayOverride[] = [
      { country: "VN", date: "2027-05-04", name: "Swap day", closed: true },
      { country: "VN", date: "2027-04-30", name: "Victory Day", closed: true },
      { country: "VN", date: "2027-01-01", name: "Open", closed: false },
      { country: "JP", date: "2027-05-06", name: "Elsewhere", closed: true },
      { country: "VN", date: "2028-06-01", name: "Another year", closed: true },
    ];
    const plain = exchangeHolidays("VN", 2027);
    const decreed = exchangeHolidays("VN", 2027, overrides);
    expect(decreed.find(({ date }) => date === "2027-05-04")?.name).toBe("Swap day");
    expect(decreed.find(({ date }) => date === "2027-04-30")?.name).toBe("Victory Day");
    expect(decreed.some(({ date }) => date === "2027-01-01")).toBe(false);
    expect(decreed.some(({ date }) => date === "2027-05-06")).toBe(false);
    expect(decreed).toHaveLength(plain.length);
    expect(decreed.map(({ date }) => date)).toEqual(decreed.map(({ date }) => date).sort());
  });

  test("the later of two overrides of one day wins", () => {
    const date = "2027-06-01";
    const overrides: HolidayOverride[] = [
      { country: "VN", date, name: "Closed", closed: true },
      { country: "VN", date, name: "Open after all", closed: false },
    ];
    expect(closed("VN", 2027, overrides)).not.toContain("06-01");
    expect(closed("VN", 2027, overrides.toReversed())).toContain("06-01");
  });

  test("an override on a weekend is not listed", () => {
    // 2026-08-22, a Saturday, is a workday but not a session.
    const saturday: HolidayOverride = {
      country: "VN",
      date: "2026-08-22",
      name: "Saturday",
      closed: true,
    };
    expect(closed("VN", 2026, [saturday])).toBe(closed("VN", 2026));
  });
});

interface Witness {
  readonly date: string;
  readonly name: string;
}

describe.skipIf(!hasRecordings)("exchange holidays against ../shared/data", () => {
  const reference = (file: string): { holidays: Witness[] } =>
    recordedJson(`reference/calendars/${file}`);
  const ours = (country: Country, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, i) => exchangeHolidays(country, from + i))
      .flat()
      .map(({ date }) => date);
  const weekdays = (rows: readonly Witness[]) =>
    rows.map(({ date }) => date).filter((date) => !isWeekend(date));

  test("NYSE and TSE agree with the reference lists of 2020 to 2030", () => {
    const us = weekdays(reference("us-xnys.json").holidays);
    const jp = weekdays(reference("jp-xjpx.json").holidays);
    expect(us.length).toBeGreaterThan(100);
    expect(jp.length).toBeGreaterThan(180);
    expect(ours("US", 2020, 2030)).toEqual(us);
    expect(ours("JP", 2020, 2030)).toEqual(jp);
  });

  test("HOSE agrees with its announcement for 2026 and closes on days that were announced later", () => {
    const announced: { holidays: Witness[]; open_questions: Witness[] } = recordedJson(
      "reference/calendars/vn-hose-2026.json",
    );
    const dates = weekdays([...announced.holidays, ...announced.open_questions]).sort();
    expect(ours("VN", 2026, 2026)).toEqual(dates);
  });

  test.each([
    ["US", "XNYS", 550],
    ["JP", "XJPX", 900],
  ] as const)("%s agrees with the snapshot of 1990 to 2050", (country, file, atLeast) => {
    const snapshot: Record<string, string> = recordedJson(`holidays/${file}.json`);
    const rows = Object.entries(snapshot)
      .map(([date, name]) => ({ date, name }))
      .filter(({ date, name }) => date >= "1990" && !name.includes("markets close at"));
    const dates = weekdays(rows).sort();
    expect(dates.length).toBeGreaterThan(atLeast);
    expect(ours(country, 1990, 2050)).toEqual(dates);
  });

  test("Tet of HOSE covers the public holidays of Lunar New Year in every year from 2014 to 2030", () => {
    const snapshot: Record<string, string> = recordedJson("holidays/VN_COMMON.json");
    const isTet = (name: string) => /Lunar New Year/.test(name);
    for (let year = 2014; year <= 2030; year++) {
      const wanted = Object.entries(snapshot)
        .filter(([date, name]) => date.startsWith(`${year}-`) && isTet(name) && !isWeekend(date))
        .map(([date]) => date);
      const kept = exchangeHolidays("VN", year)
        .filter(({ name }) => isTet(name))
        .map(({ date }) => date);
      expect(kept).toEqual(expect.arrayContaining(wanted));
    }
  });
});
