import { describe, expect, test } from "bun:test";
import { addDays } from "#lib/date.ts";
import { combineBars, intervalStart, intervalStarts } from "#analytics/bar-intervals.ts";

/** Sessions over New Year: two weeks from Monday, 28 December 2026. */
const SESSIONS: [date: string, o: number, h: number, l: number, c: number, v: number][] = [
  ["2026-12-29", 10, 12, 9, 11, 100],
  ["2026-12-31", 11, 15, 10, 14, 200],
  ["2027-01-03", 14, 16, 13, 13, 50],
  ["2027-01-04", 13, 13, 8, 9, 300],
  ["2027-01-08", 9, 10, 9, 10, 400],
];
const column = (at: 1 | 2 | 3 | 4 | 5) => Float64Array.from(SESSIONS, (session) => session[at]);
const BARS = {
  dates: SESSIONS.map(([date]) => date),
  open: column(1),
  high: column(2),
  low: column(3),
  close: column(4),
  volume: column(5),
};
const plain = (interval: "1d" | "1wk" | "1mo", bars = BARS) => {
  const { firstDates, dates, open, high, low, close, volume } = combineBars(bars, interval);
  return dates.map((date, i) => [
    firstDates[i],
    date,
    ...[open, high, low, close, volume].map((one) => one[i]),
  ]);
};

describe("combineBars", () => {
  test("a week begins on Monday and may cross the year's end", () => {
    expect(plain("1wk")).toEqual([
      // 3 January is a Sunday: the same week. 100 + 200 + 50.
      ["2026-12-29", "2027-01-03", 10, 16, 9, 13, 350],
      ["2027-01-04", "2027-01-08", 13, 13, 8, 10, 700],
    ]);
  });

  test("a month is a calendar month", () => {
    expect(plain("1mo")).toEqual([
      ["2026-12-29", "2026-12-31", 10, 15, 9, 14, 300],
      ["2027-01-03", "2027-01-08", 14, 16, 8, 10, 750],
    ]);
  });

  test("a session stays as it is", () => {
    expect(plain("1d")).toEqual(SESSIONS.map(([date, ...rest]) => [date, date, ...rest]));
  });

  test("a volume is unknown if that of one session is", () => {
    const volume = Float64Array.of(100, Number.NaN, 50, 300, 400);
    expect(plain("1wk", { ...BARS, volume }).map((bar) => bar.at(-1))).toEqual([Number.NaN, 700]);
  });

  test("no sessions are no bars", () => {
    const none = new Float64Array();
    const empty = { dates: [], open: none, high: none, low: none, close: none, volume: none };
    for (const interval of ["1d", "1wk", "1mo"] as const)
      expect(plain(interval, empty)).toEqual([]);
  });
});

test("a week starts on Monday, also in the year before, and a month on the 1st", () => {
  const startOf = (date: string) =>
    (["1d", "1wk", "1mo"] as const).map((interval) => intervalStart(date, interval));
  // 1 January 2027 is a Friday.
  expect(startOf("2027-01-01")).toEqual(["2027-01-01", "2026-12-28", "2027-01-01"]);
  expect(startOf("2026-11-22")).toEqual(["2026-11-22", "2026-11-16", "2026-11-01"]);
  // Also in a list: neighbours, a Sunday before a Monday, gaps of weeks and months.
  const days = [0, 1, 3, 4, 5, 11, 12, 40, 41, 44, 45, 200, 207].map((i) =>
    addDays("2026-12-30", i),
  );
  for (const interval of ["1d", "1wk", "1mo"] as const)
    expect(intervalStarts(days, interval)).toEqual(
      days.map((date) => intervalStart(date, interval)),
    );
});
