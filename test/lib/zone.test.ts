import { expect, test } from "bun:test";
import { dateIn, instantIn, timeIn, offsetTimeIn } from "#lib/zone.ts";

const NEW_YORK = "America/New_York";

test("an instant has the date and the time of day of its time zone", () => {
  const instant = Date.parse("2026-12-31T15:30:00Z");
  expect(dateIn("Asia/Tokyo", instant)).toBe("2027-01-01");
  expect(timeIn("Asia/Tokyo", instant)).toBe("00:30");
  expect(dateIn(NEW_YORK, instant)).toBe("2026-12-31");
  expect(timeIn(NEW_YORK, instant)).toBe("10:30");
  expect(dateIn(NEW_YORK, Date.parse("2026-07-01T03:59Z"))).toBe("2026-06-30");
  expect(dateIn(NEW_YORK, Date.parse("2026-12-01T05:00Z"))).toBe("2026-12-01");
});

test("a local time is ISO 8601 with the offset of its time zone, in summer and in winter", () => {
  const at = (zone: string, instant: string) => offsetTimeIn(zone, Date.parse(instant));
  expect(at("Asia/Tokyo", "2026-11-26T23:30Z")).toBe("08:30+09:00");
  expect(at(NEW_YORK, "2026-12-04T13:30Z")).toBe("08:30-05:00");
  expect(at(NEW_YORK, "2026-07-02T12:30Z")).toBe("08:30-04:00");
  expect(at("Asia/Kolkata", "2026-11-22T20:00Z")).toBe("01:30+05:30");
  expect(at("UTC", "2026-11-22T00:00Z")).toBe("00:00+00:00");
  // Seconds change no offset.
  expect(at("Asia/Tokyo", "2026-11-26T23:30:40.692Z")).toBe("08:30+09:00");
});

test("an unknown time zone is an error, also when it is named again", () => {
  for (const _ of [1, 2]) expect(() => dateIn("Mars/Olympus", 0)).toThrow(RangeError);
});

test("a local time is an instant in summer, in winter and on the days between", () => {
  const utc = (date: string, time: string) =>
    new Date(instantIn(NEW_YORK, date, time)).toISOString();
  expect(utc("2026-07-01", "08:30")).toBe("2026-07-01T12:30:00.000Z");
  expect(utc("2026-12-01", "08:30")).toBe("2026-12-01T13:30:00.000Z");
  // Clocks go forward at 2:00 on 8 March and back at 2:00 on 1 November.
  expect(utc("2026-03-08", "19:50")).toBe("2026-03-08T23:50:00.000Z");
  expect(utc("2026-03-07", "23:50")).toBe("2026-03-08T04:50:00.000Z");
  expect(utc("2026-11-01", "19:50")).toBe("2026-11-02T00:50:00.000Z");
  expect(utc("2026-10-31", "23:50")).toBe("2026-11-01T03:50:00.000Z");
  expect(utc("2024-03-09", "12:00")).toBe("2024-03-09T17:00:00.000Z");
  expect(utc("2024-03-10", "12:00")).toBe("2024-03-10T16:00:00.000Z");
  expect(utc("2027-11-06", "12:00")).toBe("2027-11-06T16:00:00.000Z");
  expect(utc("2027-11-07", "12:00")).toBe("2027-11-07T17:00:00.000Z");
  // 2:30 does not exist in the morning of 8 March; 1:30 is there twice on 1 November.
  expect(utc("2026-03-08", "02:30")).toBe("2026-03-08T07:30:00.000Z");
  expect(utc("2026-11-01", "01:30")).toBe("2026-11-01T05:30:00.000Z");
});
