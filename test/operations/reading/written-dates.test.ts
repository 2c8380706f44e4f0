import { describe, expect, test } from "bun:test";
import { dayOf, readDate } from "#operations/reading/written-dates.ts";

describe("a date", () => {
  test.each([
    ["Jan 5, 2026", "2026-01-05"],
    ["January 5 2026", "2026-01-05"],
    ["Jan. 5th, 2026", "2026-01-05"],
    ["5 Jan 2026", "2026-01-05"],
    ["05-JAN-2026", "2026-01-05"],
    ["Sept 30, 2026", "2026-09-30"],
    ["2026年1月5日", "2026-01-05"],
    ["２０２６年１月５日", "2026-01-05"],
    ["2026/1/5", "2026-01-05"],
    // The first number can be no month.
    ["31/12/2025", "2025-12-31"],
    ["12/31/2025", "2025-12-31"],
    // Dates with full stops have the day first.
    ["5.1.2026", "2026-01-05"],
  ])("%s is %s", (written, date) => {
    expect(readDate(written)).toBe(date);
  });

  test.each([
    ["2025-11", "2025-11-01", "2025-11-30"],
    ["2024/2", "2024-02-01", "2024-02-29"],
    ["Nov 2025", "2025-11-01", "2025-11-30"],
    ["2025年11月", "2025-11-01", "2025-11-30"],
    ["2025Q3", "2025-07-01", "2025-09-30"],
    ["Q4 2025", "2025-10-01", "2025-12-31"],
    ["2025", "2025-01-01", "2025-12-31"],
  ])("%s is a period, from %s to %s", (written, first, last) => {
    expect([readDate(written, "first"), readDate(written, "last")]).toEqual([first, last]);
    expect(readDate(written)).toBeNull();
  });

  test.each([
    "Feb 30, 2026",
    "Maybe 5, 2026",
    "5 Jan 5 2026",
    "x".repeat(1_000_000),
    ..."05/01/2026 5/1/26 2026-02-30 2026-13 2025Q5 1234 soon".split(" "),
  ])("%p has no certain meaning", (written) => {
    expect(readDate(written, "first")).toBeNull();
  });
});

test.each([
  ["today", "2026-03-31"],
  ["Tomorrow", "2026-04-01"],
  ["昨日", "2026-03-30"],
  ["hôm nay", "2026-03-31"],
  ["30 days ago", "2026-03-01"],
  // February has no 31st.
  ["1 month ago", "2026-02-28"],
  ["in 2 weeks", "2026-04-14"],
  ["2 years ago", "2024-03-31"],
])("on 31 March 2026, %s is %s", (word, date) => {
  expect(dayOf(word, "2026-03-31")).toBe(date);
});

test.each(["2026-03-31", "in 2 weeks ago", "2 weeks", "next week", "toString"])(
  "%s is no word for a day",
  (word) => {
    expect(dayOf(word, "2026-03-31")).toBeNull();
  },
);
