import { describe, expect, test } from "bun:test";
import {
  addDays,
  addMonths,
  dateOf,
  dayNumberOf,
  daysBetween,
  isDate,
  isWeekend,
  weekdayOf,
} from "#lib/date.ts";

describe("date", () => {
  test("days are added across month, year and leap day", () => {
    expect(addDays("2026-11-20", 0)).toBe("2026-11-20");
    expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
    expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(addDays("2100-02-28", 1)).toBe("2100-03-01");
    expect(addDays("2026-03-01", -1)).toBe("2026-02-28");
  });

  test.each(["2026-02-28", "2028-02-29", "2000-02-29", "2026-12-31", "0001-01-01"])(
    "%s is a date",
    (text) => expect(isDate(text)).toBe(true),
  );

  test.each([
    "",
    ..."2026-02-29 2026-02-30 2100-02-29 2026-04-31 2026-00-10 2026-13-01".split(" "),
    ..."2026-01-00 2026-1-1 20260101 2026-01-01T00:00".split(" "),
  ])("%p is not a date", (text) => expect(isDate(text)).toBe(false));

  test("days are added right when clocks change", () => {
    for (const date of ["2026-03-08", "2026-03-29", "2026-10-25", "2026-11-01"])
      expect(addDays(addDays(date, 1), -1)).toBe(date);
  });

  test("months are added to the same day, or to the last one of a shorter month", () => {
    expect(addMonths("2026-11-20", 3)).toBe("2027-02-20");
    expect(addMonths("2026-01-31", 1)).toBe("2026-02-28");
    expect(addMonths("2028-02-29", 12)).toBe("2029-02-28");
    expect(addMonths("2026-03-31", -1)).toBe("2026-02-28");
    expect(addMonths("2026-01-15", -15)).toBe("2024-10-15");
  });

  test("a date beyond the years of four digits is the first or the last one", () => {
    expect(addDays("9999-12-30", 1)).toBe("9999-12-31");
    expect(addDays("9999-12-31", 1)).toBe("9999-12-31");
    expect(addMonths("9999-12-31", 12)).toBe("9999-12-31");
    expect(addDays("0001-01-01", -1)).toBe("0000-12-31");
    expect(addDays("0000-01-01", -1)).toBe("0000-01-01");
    expect(addMonths("0001-01-01", -24)).toBe("0000-01-01");
  });

  test("the days between two dates are negative if the second is earlier", () => {
    expect(daysBetween("2026-01-01", "2027-01-01")).toBe(365);
    expect(daysBetween("2028-03-01", "2028-02-28")).toBe(-2);
    expect(daysBetween("2026-11-20", "2026-11-20")).toBe(0);
  });

  test("the week runs from Sunday, 0, to Saturday, 6", () => {
    // 2000-01-01 was a Saturday.
    expect(weekdayOf("2000-01-01")).toBe(6);
    expect(weekdayOf("2000-01-02")).toBe(0);
    const week = [1, 2, 3, 4, 5, 6, 7].map((day) => isWeekend(`2000-01-0${day}`));
    expect(week).toEqual([true, true, false, false, false, false, false]);
  });

  test("the date of an instant is its UTC date", () => {
    expect(dateOf(0)).toBe("1970-01-01");
    expect(dateOf(Date.UTC(2026, 10, 20, 23, 59, 59, 999))).toBe("2026-11-20");
    expect(dateOf(Date.UTC(2026, 10, 21))).toBe("2026-11-21");
  });
});

test("a date has the same answers the second time, and after more dates than are remembered", () => {
  // 20,000 days from 1970-01-01 end on 2024-10-03.
  for (let pass = 0; pass < 2; pass++)
    for (let days = 0; days < 20_000; days++) {
      const date = new Date(days * 86_400_000).toISOString().slice(0, 10);
      if (dayNumberOf(date) !== days) throw new Error(`${date} is not day ${days}`);
      // The first, the last and another millisecond of the day.
      for (const ms of [0, pass * 40_000_000, 86_399_999])
        if (dateOf(days * 86_400_000 + ms) !== date) throw new Error(`${date} + ${ms} ms`);
      if (!addMonths(date, 12).startsWith(String(+date.slice(0, 4) + 1))) throw new Error(date);
    }
  expect(addMonths("2024-01-31", 1)).toBe("2024-02-29");
  expect(addMonths("2024-01-31", -1)).toBe("2023-12-31");
  expect(addMonths("2024-01-31", 1)).toBe("2024-02-29");
  expect(dayNumberOf("no date")).toBeNaN();
  expect(() => dateOf(Number.NaN)).toThrow(RangeError);
  expect(dateOf(-1)).toBe("1969-12-31");
  expect(() => addMonths("no date", 1)).toThrow();
  expect(() => addMonths("no date", 1)).toThrow();
});
