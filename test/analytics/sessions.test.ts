import { describe, expect, test } from "bun:test";
import {
  isDayOver,
  exchangeState,
  isSession,
  lastCompletedSession,
  sessionsBetween,
  upcomingHolidays,
} from "#analytics/sessions.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { isWeekend } from "#lib/date.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const swap: HolidayOverride = { country: "VN", date: "2027-05-04", name: "Swap", closed: true };
const opened: HolidayOverride = { country: "VN", date: "2027-04-30", name: "Open", closed: false };

describe("isSession", () => {
  test("weekdays are sessions, weekends and holidays are not", () => {
    expect(isSession("US", "2026-11-20")).toBe(true); // Friday
    expect(isSession("US", "2026-11-21")).toBe(false);
    expect(isSession("US", "2026-11-22")).toBe(false);
    expect(isSession("US", "2026-11-26")).toBe(false); // Thanksgiving
    expect(isSession("US", "2026-11-27")).toBe(true); // closes early
    expect(isSession("JP", "2026-11-26")).toBe(true);
    expect(isSession("JP", "2026-12-31")).toBe(false);
    expect(isSession("VN", "2026-12-31")).toBe(true);
  });

  test("an override closes and opens a weekday, for this call only", () => {
    expect(isSession("VN", "2027-05-04", [swap])).toBe(false);
    expect(isSession("VN", "2027-05-04")).toBe(true);
    expect(isSession("VN", "2027-04-30", [opened])).toBe(true);
    expect(isSession("VN", "2027-04-30")).toBe(false);
    expect(isSession("JP", "2027-05-06", [swap])).toBe(true);
  });

  test("no override opens a weekend", () => {
    const saturday = { ...opened, date: "2026-08-22" };
    expect(isSession("VN", saturday.date, [saturday])).toBe(false);
    expect(sessionsBetween("VN", saturday.date, saturday.date, [saturday])).toEqual([]);
  });
});

describe("sessionsBetween", () => {
  test("both ends are included, also across years", () => {
    expect(sessionsBetween("US", "2026-12-24", "2027-01-04")).toEqual(
      "2026-12-24 2026-12-28 2026-12-29 2026-12-30 2026-12-31 2027-01-04".split(" "),
    );
    expect(sessionsBetween("JP", "2026-12-30", "2027-01-04")).toEqual(["2026-12-30", "2027-01-04"]);
  });

  test("a range without sessions and a reversed range are empty", () => {
    expect(sessionsBetween("VN", "2026-02-14", "2026-02-22")).toEqual([]);
    expect(sessionsBetween("US", "2026-11-20", "2026-11-19")).toEqual([]);
  });

  test("a year has 261 weekdays minus its holidays", () => {
    // 2026 begins on a Thursday: 52 weeks and one Thursday. NYSE closes on 10 of them.
    expect(sessionsBetween("US", "2026-01-01", "2026-12-31")).toHaveLength(251);
  });

  test("it lists exactly the days that are sessions, with and without overrides", () => {
    for (const country of COUNTRY_CODES)
      for (const overrides of [[], [swap, opened]]) {
        const listed = sessionsBetween(country, "2027-04-01", "2027-06-30", overrides);
        const days = Array.from({ length: 91 }, (_, i) =>
          new Date(Date.UTC(2027, 3, 1 + i)).toISOString().slice(0, 10),
        );
        expect(listed).toEqual(days.filter((day) => isSession(country, day, overrides)));
      }
    expect(sessionsBetween("VN", "2027-04-29", "2027-05-05", [swap, opened])).toEqual([
      "2027-04-29",
      "2027-04-30",
      "2027-05-05",
    ]);
  });
});

test.each(COUNTRY_CODES)(
  "the first and the last year of the calendar have weekdays in %s",
  (country) => {
    // 1 January of the year 1 was a Monday, as in 2001; both years have 365 days. 1 January 9999 is a Friday.
    for (const [year, first] of [
      ["0001", "0001-01-01"],
      ["9999", "9999-01-01"],
    ] as const) {
      const sessions = sessionsBetween(country, `${year}-01-01`, `${year}-12-31`);
      expect([sessions.length, sessions[0], sessions.at(-1)]).toEqual([
        261,
        first,
        `${year}-12-31`,
      ]);
    }
  },
);

describe("lastCompletedSession", () => {
  test("a session is complete from its minute on and not before", () => {
    const at = (time: string) => Date.parse(`2026-11-20T${time}Z`); // Friday
    expect(lastCompletedSession("US", at("21:59:59.999"))).toBe("2026-11-19");
    expect(lastCompletedSession("US", at("22:00"))).toBe("2026-11-20");
    expect(lastCompletedSession("JP", at("06:59"))).toBe("2026-11-19");
    expect(lastCompletedSession("JP", at("07:00"))).toBe("2026-11-20");
    expect(lastCompletedSession("VN", at("08:29"))).toBe("2026-11-19");
    expect(lastCompletedSession("VN", at("08:30"))).toBe("2026-11-20");
  });

  test("weekends, holidays and the end of the year are skipped", () => {
    expect(lastCompletedSession("US", Date.parse("2026-11-23T12:00Z"))).toBe("2026-11-20");
    expect(lastCompletedSession("US", Date.parse("2026-11-26T23:00Z"))).toBe("2026-11-25");
    expect(lastCompletedSession("JP", Date.parse("2027-01-03T12:00Z"))).toBe("2026-12-30");
    // Tet 2026: 13 February, a Friday, is followed by nine closed days.
    expect(lastCompletedSession("VN", Date.parse("2026-02-23T08:00Z"))).toBe("2026-02-13");
  });

  test("an override has an effect", () => {
    const now = Date.parse("2027-05-04T12:00Z");
    expect(lastCompletedSession("VN", now)).toBe("2027-05-04");
    // 1 May 2027 is a Saturday, made up on Monday the 3rd; the 30th of April is Friday.
    expect(lastCompletedSession("VN", now, [swap])).toBe("2027-04-29");
    expect(lastCompletedSession("VN", now, [swap, opened])).toBe("2027-04-30");
  });
});

describe("upcomingHolidays", () => {
  test("both ends are included, soonest first, across the year's end", () => {
    expect(upcomingHolidays("US", "2026-11-26", 36)).toEqual([
      { date: "2026-11-26", name: "Thanksgiving Day" },
      { date: "2026-12-25", name: "Christmas Day" },
      { date: "2027-01-01", name: "New Year's Day" },
    ]);
    expect(upcomingHolidays("US", "2026-11-27", 34)).toEqual([
      { date: "2026-12-25", name: "Christmas Day" },
    ]);
  });

  test("without holidays the list is empty", () => {
    expect(upcomingHolidays("VN", "2026-11-25", 30)).toEqual([]);
  });

  test("an override is listed", () => {
    expect(upcomingHolidays("VN", "2027-05-04", 0, [swap])).toEqual([
      { date: "2027-05-04", name: "Swap" },
    ]);
  });
});

describe.skipIf(!hasRecordings)("sessions against the bars of ../shared/data", () => {
  const barDates = (file: string) =>
    recordedText(file)
      .match(/\d{4}-\d\d-\d\d/g)
      ?.sort() ?? [];
  const spanned = (dates: readonly string[]) => [dates[0] ?? "", dates.at(-1) ?? ""] as const;

  test("NYSE traded on every session from 1999 to 2020 and on no other day", () => {
    const dates = barDates("reference/tulip/SPY_D.csv");
    expect(dates.length).toBeGreaterThan(5000);
    expect(sessionsBetween("US", ...spanned(dates))).toEqual(dates);
  });

  test("HOSE traded on every session from 2013 to 2026 and on no other day", () => {
    const dates = barDates("prices/VNINDEX.csv").filter((date) => date >= "2013");
    expect(dates.length).toBeGreaterThan(3300);
    expect(sessionsBetween("VN", ...spanned(dates))).toEqual(dates);
  });

  test("TSE traded on every session from 2019 to 2026 except the one on which its system failed", () => {
    const dates = barDates("prices/nkx.csv").filter((date) => date >= "2019");
    expect(dates.length).toBeGreaterThan(1800);
    expect(dates.some(isWeekend)).toBe(false);
    expect(sessionsBetween("JP", ...spanned(dates))).toEqual([...dates, "2020-10-01"].sort());
  });
});

describe("exchangeState", () => {
  const at = (country: "US" | "JP" | "VN", instant: string, overrides: HolidayOverride[] = []) => {
    const { status, until } = exchangeState(country, Date.parse(instant), overrides);
    return [status, new Date(until).toISOString()];
  };

  test("New York opens at 09:30 and closes at 16:00, in winter and in summer", () => {
    // Friday, 20 November 2026: UTC−5.
    expect(at("US", "2026-11-20T14:29:59Z")).toEqual(["closed", "2026-11-20T14:30:00.000Z"]);
    expect(at("US", "2026-11-20T14:30:00Z")).toEqual(["open", "2026-11-20T21:00:00.000Z"]);
    // From Friday's close to Monday's open.
    expect(at("US", "2026-11-20T21:00:00Z")).toEqual(["closed", "2026-11-23T14:30:00.000Z"]);
    // Wednesday, 1 July 2026: UTC−4.
    expect(at("US", "2026-07-01T13:30:00Z")).toEqual(["open", "2026-07-01T20:00:00.000Z"]);
  });

  test("Tokyo and Ho Chi Minh City have a break at noon", () => {
    // UTC+9: 09:00 to 11:30 and 12:30 to 15:30.
    expect(at("JP", "2026-11-20T02:29:00Z")).toEqual(["open", "2026-11-20T02:30:00.000Z"]);
    expect(at("JP", "2026-11-20T02:30:00Z")).toEqual(["break", "2026-11-20T03:30:00.000Z"]);
    expect(at("JP", "2026-11-20T03:30:00Z")).toEqual(["open", "2026-11-20T06:30:00.000Z"]);
    // Monday, 23 November 2026 is Labor Thanksgiving Day.
    expect(at("JP", "2026-11-20T06:30:00Z")).toEqual(["closed", "2026-11-24T00:00:00.000Z"]);
    // UTC+7: 09:00 to 11:30 and 13:00 to 14:45.
    expect(at("VN", "2026-11-20T04:30:00Z")).toEqual(["break", "2026-11-20T06:00:00.000Z"]);
    expect(at("VN", "2026-11-20T07:44:00Z")).toEqual(["open", "2026-11-20T07:45:00.000Z"]);
    expect(at("VN", "2026-11-20T07:45:00Z")).toEqual(["closed", "2026-11-23T02:00:00.000Z"]);
  });

  test("a half day closes early, and a decree closes a day", () => {
    // The day after Thanksgiving 2026 closes at 13:00.
    expect(at("US", "2026-11-27T17:59:00Z")).toEqual(["open", "2026-11-27T18:00:00.000Z"]);
    expect(at("US", "2026-11-27T18:00:00Z")).toEqual(["closed", "2026-11-30T14:30:00.000Z"]);
    // Tuesday, 4 May 2027.
    expect(at("VN", "2027-05-04T03:00:00Z")[0]).toBe("open");
    expect(at("VN", "2027-05-04T03:00:00Z", [swap])).toEqual([
      "closed",
      "2027-05-05T02:00:00.000Z",
    ]);
  });
});

test.each([
  // 16:00 in New York is 21:00 UTC, but trading ends at 13:00 on the day after Thanksgiving.
  ["2026-11-25T20:59Z", "US", "stock", "2026-11-25", false],
  ["2026-11-25T21:00Z", "US", "etf", "2026-11-25", true],
  ["2026-07-15T20:00Z", "US", "index", "2026-07-15", true],
  ["2026-11-27T17:59Z", "US", "stock", "2026-11-27", false],
  ["2026-11-27T18:00Z", "US", "stock", "2026-11-27", true],
  // 15:30 in Tokyo is 6:30 UTC, and 15:00 in Ha Noi is 8:00 UTC.
  ["2026-11-25T06:29Z", "JP", "reit", "2026-11-25", false],
  ["2026-11-25T06:30Z", "JP", "stock", "2026-11-25", true],
  ["2026-11-25T07:59Z", "VN", "stock", "2026-11-25", false],
  ["2026-11-25T08:00Z", "VN", "index", "2026-11-25", true],
  // Everything else has days of UTC.
  ["2026-11-25T23:59Z", "JP", "cryptocurrency", "2026-11-25", false],
  ["2026-11-26T00:00Z", "US", "cryptocurrency", "2026-11-25", true],
  ["2026-11-25T23:59Z", "US", "commodity", "2026-11-25", false],
] as const)(
  "at %s in %s, a day of type %s, %s, is over: %p",
  (now, country, assetType, date, over) => {
    expect(isDayOver({ country, assetType }, date, Date.parse(now))).toBe(over);
  },
);
