import { describe, expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import { addDays, weekdayOf } from "#lib/date.ts";
import { type EconomicFigure, listEconomicFigures } from "#sample/economy.ts";
import { isWorkingDay } from "#sample/release-dates.ts";
import { listReleases } from "#sample/releases.ts";

function figure(country: Country, name: string): EconomicFigure {
  const found = listEconomicFigures().find((one) => one.country === country && one.name === name);
  if (!found) throw new Error(`${country} has no ${name}`);
  return found;
}

/** UTC dates and times of a year's publications. */
const momentsOf = (country: Country, name: string, year: number) =>
  listReleases(figure(country, name), `${year}-01-01`, `${year}-12-31`).map(
    ({ date, time }) => `${date.slice(5)} ${time}`,
  );
const daysOf = (country: Country, name: string, year: number) =>
  momentsOf(country, name, year)
    .map((moment) => moment.slice(0, 5))
    .join(" ");

const YEARS = [2024, 2025, 2026, 2027, 2028, 2029, 2030, 2031];

describe("central banks", () => {
  // federalreserve.gov/monetarypolicy/fomccalendars.htm
  test.each([
    [2022, "01-26 03-16 05-04 06-15 07-27 09-21 11-02 12-14"],
    [2023, "02-01 03-22 05-03 06-14 07-26 09-20 11-01 12-13"],
    [2024, "01-31 03-20 05-01 06-12 07-31 09-18 11-07 12-18"],
    [2025, "01-29 03-19 05-07 06-18 07-30 09-17 10-29 12-10"],
    [2026, "01-28 03-18 04-29 06-17 07-29 09-16 10-28 12-09"],
  ])("the Fed's decisions of %d are on the announced dates", (year, days) => {
    expect(daysOf("US", "Fed funds target (upper)", year)).toBe(days);
  });

  // boj.or.jp/en/mopo/mpmsche_minu
  test.each([
    [2024, "01-23 03-19 04-26 06-14 07-31 09-20 10-31 12-19"],
    [2025, "01-24 03-19 05-01 06-17 07-31 09-19 10-30 12-19"],
    [2026, "01-23 03-19 04-28 06-16 07-31 09-18 10-30 12-18"],
  ])("the Bank of Japan's decisions of %d are on the announced dates", (year, days) => {
    expect(daysOf("JP", "BoJ policy rate", year)).toBe(days);
  });

  test("the Fed decides eight times in any year, on Wednesdays at 14:00 in New York", () => {
    for (const year of YEARS) {
      const moments = momentsOf("US", "Fed funds target (upper)", year);
      expect(moments).toHaveLength(8);
      for (const moment of moments) {
        const date = `${year}-${moment.slice(0, 5)}`;
        // In 2024 the week of the election moved the meeting by a day.
        expect(weekdayOf(date)).toBe(date === "2024-11-07" ? 4 : 3);
        expect(newYorkTime(date, moment.slice(6))).toBe("14:00");
      }
    }
  });

  test("the Bank of Japan decides eight times in any year, on working days", () => {
    for (const year of YEARS) {
      const days = daysOf("JP", "BoJ policy rate", year).split(" ");
      expect(days).toHaveLength(8);
      for (const day of days) expect(isWorkingDay("JP", `${year}-${day}`)).toBe(true);
    }
  });
});

const newYork = new Intl.DateTimeFormat("en-GB", {
  timeZone: "America/New_York",
  hour: "2-digit",
  minute: "2-digit",
});
const newYorkTime = (date: string, time: string) => newYork.format(Date.parse(`${date}T${time}Z`));

describe("the United States", () => {
  test("every announced time is New York's local time, in summer and in winter", () => {
    for (const one of listEconomicFigures()) {
      if (one.country !== "US" || one.time === null) continue;
      const releases = listReleases(one, "2024-01-01", "2029-12-31");
      for (const { date, time } of releases)
        expect([one.name, date, newYorkTime(date, time)]).toEqual([one.name, date, one.time]);
      // 08:30 is 12:30 UTC in summer and 13:30 in winter.
      expect(new Set(releases.map(({ time }) => time)).size).toBe(2);
    }
  });

  // bls.gov/schedule/news_release/empsit.htm
  test.each([
    [2022, "01-07 02-04 03-04 04-01 05-06 06-03 07-08 08-05 09-02 10-07 11-04 12-02"],
    [2023, "01-06 02-03 03-10 04-07 05-05 06-02 07-07 08-04 09-01 10-06 11-03 12-08"],
    [2024, "01-05 02-02 03-08 04-05 05-03 06-07 07-05 08-02 09-06 10-04 11-01 12-06"],
  ])("payrolls of %d are on the dates of the Bureau of Labor Statistics", (year, days) => {
    expect(daysOf("US", "Nonfarm payrolls", year)).toBe(days);
  });

  test("payrolls are published before Independence Day if it is the Friday", () => {
    // 3 July 2025, a Thursday; in 2026 the holiday is observed on Friday, 3 July.
    expect(daysOf("US", "Nonfarm payrolls", 2025)).toContain("07-03");
    expect(daysOf("US", "Nonfarm payrolls", 2026)).toContain("07-02");
  });

  test("jobless claims are published on Thursdays, or on the day before a holiday", () => {
    for (const year of YEARS)
      for (const day of daysOf("US", "Initial jobless claims", year).split(" ")) {
        const date = `${year}-${day}`;
        expect(isWorkingDay("US", date)).toBe(true);
        if (weekdayOf(date) !== 4) expect(isWorkingDay("US", addDays(date, 1))).toBe(false);
      }
    // Thanksgiving was on 28 November 2024 and 27 November 2025.
    expect(daysOf("US", "Initial jobless claims", 2024)).toContain("11-27");
    expect(daysOf("US", "Initial jobless claims", 2025)).toContain("11-26");
  });

  test("jobless claims are for the week that ended on the Saturday before", () => {
    const [first] = listReleases(
      figure("US", "Initial jobless claims"),
      "2026-11-19",
      "2026-11-19",
    );
    expect(first?.period).toBe("2026-11-14");
  });

  test("GDP of a quarter has three prints, a month apart", () => {
    for (const year of YEARS) {
      const prints = listReleases(
        figure("US", "GDP growth QoQ annualized"),
        `${year}-01-01`,
        `${year}-12-31`,
      );
      expect(prints.map(({ period, print, date }) => [period, print, date.slice(5, 7)])).toEqual([
        [`${year - 1}-Q4`, 0, "01"],
        [`${year - 1}-Q4`, 1, "02"],
        [`${year - 1}-Q4`, 2, "03"],
        [`${year}-Q1`, 0, "04"],
        [`${year}-Q1`, 1, "05"],
        [`${year}-Q1`, 2, "06"],
        [`${year}-Q2`, 0, "07"],
        [`${year}-Q2`, 1, "08"],
        [`${year}-Q2`, 2, "09"],
        [`${year}-Q3`, 0, "10"],
        [`${year}-Q3`, 1, "11"],
        [`${year}-Q3`, 2, "12"],
      ]);
    }
  });

  test("nothing is published on a federal holiday, and only weekly figures after 23 December", () => {
    for (const one of listEconomicFigures()) {
      if (one.country !== "US" || one.event === null) continue;
      for (const { date } of listReleases(one, "2024-01-01", "2031-12-31")) {
        expect([one.name, date, isWorkingDay("US", date)]).toEqual([one.name, date, true]);
        if (one.every !== "week") expect(date.slice(5) <= "12-23").toBe(true);
      }
    }
    // Good Friday is not a federal holiday. Columbus Day and Veterans Day are, but exchanges are open.
    const days = ["2026-04-03", "2026-10-12", "2026-11-11", "2026-11-26"];
    expect(days.map((day) => isWorkingDay("US", day))).toEqual([true, false, false, false]);
  });
});

describe("Japan and Viet Nam", () => {
  // boj.or.jp: 08:50 in Tokyo is 23:50 UTC of the day before.
  test.each([
    [2023, ["04-02", "07-02", "10-01", "12-12"]],
    [2024, ["03-31", "06-30", "09-30", "12-12"]],
    [2025, ["03-31", "06-30", "09-30", "12-14"]],
  ])(
    "Tankan of %d is on the first working day after three quarters, and in mid-December",
    (year, days) => {
      const expected = days.map((day) => `${day} 23:50`);
      expect(momentsOf("JP", "Tankan large manufacturers", year)).toEqual(expected);
    },
  );

  test("Tankan is published four times in any year, once for each quarter", () => {
    for (const year of YEARS) {
      const from = `${year}-02-01`;
      const releases = listReleases(
        figure("JP", "Tankan large manufacturers"),
        from,
        `${year + 1}-01-31`,
      );
      expect(releases.map(({ period }) => period)).toEqual(
        [1, 2, 3, 4].map((quarter) => `${year}-Q${quarter}`),
      );
    }
  });

  test("Japan's offices publish nothing from 29 December to 3 January", () => {
    // Act on Holidays of Administrative Organs, article 1.
    for (const one of listEconomicFigures()) {
      if (one.country !== "JP" || one.event === null) continue;
      for (const { at } of listReleases(one, "2024-01-01", "2031-12-31")) {
        const day = new Date(at + 9 * 3_600_000).toISOString().slice(5, 10);
        expect([one.name, day, day < "12-29" && day > "01-03"]).toEqual([one.name, day, true]);
      }
    }
  });

  test("Japan's consumer prices are published on a Friday at 08:30 in Tokyo", () => {
    // stat.go.jp: 24 January, 21 February, 21 March, 18 April, 23 May and 20 June 2025.
    expect(momentsOf("JP", "CPI inflation YoY", 2025).slice(0, 6)).toEqual(
      ["01-23", "02-20", "03-20", "04-17", "05-22", "06-19"].map((day) => `${day} 23:30`),
    );
  });

  test("Viet Nam's statistics are published at 09:00 in Hanoi, on the 6th or the next working day", () => {
    // 6 July 2026 is a Monday; 6 June 2026 a Saturday.
    const moments = momentsOf("VN", "CPI inflation YoY", 2026);
    expect(moments).toContain("07-06 02:00");
    expect(moments).toContain("06-08 02:00");
  });
});
