import { expect, test } from "bun:test";
import type { Holiday } from "#console/app/pages/calendar/holidays.ts";
import { mondayOf } from "#console/app/days.ts";
import { inOrder, instantOfReport } from "#console/app/pages/calendar/order.ts";

const early: Holiday = {
  date: "2026-11-27",
  country: "US",
  name: "Day after Thanksgiving",
  closesAt: "13:00",
  timeZone: "America/New_York",
};

test.each([
  // New York is five hours behind UTC in November, and four in July.
  ["2026-11-24", "before_market_open", "2026-11-24T14:30:00.000Z"],
  ["2026-11-24", "after_market_close", "2026-11-24T21:00:00.000Z"],
  ["2026-07-21", "after_market_close", "2026-07-21T20:00:00.000Z"],
  ["2026-11-27", "after_market_close", "2026-11-27T18:00:00.000Z"],
  ["2026-11-27", "before_market_open", "2026-11-27T14:30:00.000Z"],
])("a report of %s, %s, is placed at %s", (date, session, instant) => {
  expect(instantOfReport({ date, session }, [early])).toBe(Date.parse(instant));
});

test("a report without a time of day has no instant", () => {
  expect(instantOfReport({ date: "2026-11-24", session: "not_supplied" }, [])).toBeNull();
});

test("days are in order; what has no time of day comes first, then the times", () => {
  const of = (kind: string, date: string, time: string | null) => ({
    kind,
    date,
    at: time === null ? null : Date.parse(`${date}T${time}Z`),
  });
  const ordered = [
    of("dividends", "2026-11-26", null),
    of("holidays", "2026-11-27", null),
    of("splits", "2026-11-27", null),
    of("dividends", "2026-11-27", null),
    of("earnings", "2026-11-27", null),
    of("releases", "2026-11-27", "13:30"),
    of("holidays", "2026-11-27", "18:00"),
    of("earnings", "2026-11-27", "18:00"),
  ];
  expect(inOrder(ordered.toReversed())).toEqual(ordered);
});

test.each([
  ["2026-11-23", "2026-11-23"],
  ["2026-11-29", "2026-11-23"],
  ["2027-01-01", "2026-12-28"],
  ["2024-03-03", "2024-02-26"],
])("the week of %s begins on Monday, %s", (date, monday) => {
  expect(mondayOf(date)).toBe(monday);
});
