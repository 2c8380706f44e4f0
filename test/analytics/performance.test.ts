import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  changePercent,
  opensYear,
  type Performance,
  performancePercent,
  performanceReferences,
  performanceWindows,
  sessionsOfCloses,
} from "#analytics/performance.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

/** Sessions of [date, open, close]; without an open, a series of closes. */
type Session = readonly [date: string, open: number, close: number];

function series(sessions: readonly Session[]): BarSeries {
  const open = Float64Array.from(sessions, ([, price]) => price);
  const close = Float64Array.from(sessions, ([, , price]) => price);
  return {
    dates: sessions.map(([date]) => date),
    open,
    high: open,
    low: close,
    close,
    volume: new Float64Array(sessions.length).fill(NaN),
  };
}

const TODAY = "2026-11-20";

/** The windows of a series, with linear search for sessions. */
function windowsOf(bars: BarSeries, today: string): Performance {
  const at = (index: number) => {
    const [date, open, close] = [bars.dates[index], bars.open[index], bars.close[index]];
    return date === undefined || open === undefined || close === undefined
      ? null
      : { date, open, close };
  };
  const findAtOrBefore = (date: string) => at(bars.dates.findLastIndex((one) => one <= date));
  return performanceWindows(findAtOrBefore(today), today, {
    findAtOrBefore,
    findOnOrAfter: (date) => at(bars.dates.findIndex((one) => one >= date)),
  });
}

describe("a window", () => {
  test("starts that many calendar days before today", () => {
    expect(performanceReferences(TODAY, TODAY)).toEqual({
      oneWeek: "2026-11-13",
      oneMonth: "2026-10-21",
      threeMonths: "2026-08-22",
      sixMonths: "2026-05-24",
      yearToDate: "2026-01-01",
      oneYear: "2025-11-20",
      fiveYears: "2021-11-20",
      tenYears: "2016-11-20",
    });
  });

  test("is the change from the open of the session on its date to the newest close: 120 / 100", () => {
    const bars = series([
      ["2026-11-12", 90, 95],
      ["2026-11-13", 100, 110],
      ["2026-11-16", 111, 112],
      ["2026-11-20", 113, 120],
    ]);
    expect(windowsOf(bars, TODAY).oneWeek).toBeCloseTo(20, 12);
  });

  test("starts with the session before its date if the exchange was closed on that date", () => {
    const bars = series([
      ["2026-11-12", 96, 95],
      ["2026-11-16", 111, 112],
      ["2026-11-20", 113, 120],
    ]);
    expect(windowsOf(bars, TODAY).oneWeek).toBeCloseTo(25, 12);
  });

  test("is null if the history is shorter", () => {
    const bars = series([
      ["2026-10-22", 100, 100],
      ["2026-11-20", 100, 130],
    ]);
    const performance = windowsOf(bars, TODAY);
    expect(performance.oneWeek).toBeCloseTo(30, 12);
    expect(performance.oneMonth).toBeNull();
    expect(performance.tenYears).toBeNull();
  });

  test("starts with the session's close if the series has no opens", () => {
    const bars = series([
      ["2026-11-13", NaN, 80],
      ["2026-11-20", NaN, 100],
    ]);
    expect(windowsOf(bars, TODAY).oneWeek).toBeCloseTo(25, 12);
  });

  test("ends today if the newest session is at most 7 days old", () => {
    expect(performanceReferences(TODAY, "2026-11-13").oneWeek).toBe("2026-11-13");
  });

  test("ends on the newest session if that is more than 7 days old", () => {
    expect(performanceReferences(TODAY, "2026-11-12").oneWeek).toBe("2026-11-05");
    expect(performanceReferences(TODAY, "2024-12-30").yearToDate).toBe("2024-01-01");
    const bars = series([
      ["2024-12-23", 100, 101],
      ["2024-12-30", 105, 110],
    ]);
    expect(windowsOf(bars, TODAY).oneWeek).toBeCloseTo(10, 12);
  });

  test("ignores sessions after today", () => {
    const bars = series([
      ["2026-11-13", 100, 100],
      ["2026-11-20", 100, 120],
      ["2026-11-23", 100, 999],
    ]);
    expect(windowsOf(bars, TODAY).oneWeek).toBeCloseTo(20, 12);
  });

  test("is null in a series without sessions up to today", () => {
    expect(windowsOf(series([]), TODAY).oneWeek).toBeNull();
    expect(windowsOf(series([["2026-11-23", 1, 1]]), TODAY).yearToDate).toBeNull();
  });
});

describe("the year to date", () => {
  const yearToDate = (sessions: readonly Session[], today = TODAY) =>
    windowsOf(series(sessions), today).yearToDate;

  test("starts with the open of the year's first session, not with the last close of the previous year", () => {
    expect(
      yearToDate([
        ["2025-12-30", 70, 75],
        ["2026-01-05", 80, 85],
        ["2026-11-20", 99, 100],
      ]),
    ).toBeCloseTo(25, 12);
  });

  test("is known for a history that begins with the year's first sessions", () => {
    expect(
      yearToDate([
        ["2026-01-11", 80, 85],
        ["2026-11-20", 99, 100],
      ]),
    ).toBeCloseTo(25, 12);
  });

  test("is null for a stock listed later in the year", () => {
    expect(
      yearToDate([
        ["2026-01-12", 80, 85],
        ["2026-11-20", 99, 100],
      ]),
    ).toBeNull();
  });

  test("starts with the first session of the year for a stock that was suspended when the year began", () => {
    expect(opensYear("2026-06-01", true)).toBe(true);
    expect(
      yearToDate([
        ["2025-03-03", 70, 75],
        ["2026-06-01", 80, 85],
        ["2026-11-20", 99, 100],
      ]),
    ).toBeCloseTo(25, 12);
  });

  test("is null before the year's first session", () => {
    expect(yearToDate([["2026-12-30", 70, 75]], "2027-01-02")).toBeNull();
    expect(
      yearToDate(
        [
          ["2026-12-30", 70, 75],
          ["2027-01-04", 80, 85],
        ],
        "2027-01-02",
      ),
    ).toBeNull();
  });
});

describe("the change of the newest session", () => {
  test("is close / previous close − 1: 99 / 110 − 1 = −10 %", () => {
    expect(changePercent(99, 110)).toBeCloseTo(-10, 12);
  });

  test("is null below two sessions", () => {
    expect(changePercent(1, null)).toBeNull();
    expect(changePercent(null, null)).toBeNull();
  });
});

test("every window agrees with a linear search", () => {
  const price = fc.integer({ min: 1, max: 1_000 });
  const sessions = fc
    .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 4_000 }), price, price), {
      maxLength: 60,
      selector: ([day]) => day,
    })
    .map((found) =>
      found
        .toSorted(([a], [b]) => a - b)
        .map(([day, open, close]): Session => [addDays("2016-01-01", day), open, close]),
    );
  const days = { oneWeek: 7, oneMonth: 30, threeMonths: 90, sixMonths: 180 } as const;
  const longer = { oneYear: 365, fiveYears: 1826, tenYears: 3652 } as const;
  fc.assert(
    fc.property(sessions, (all) => {
      const performance = windowsOf(series(all), TODAY);
      const known = all.filter(([date]) => date <= TODAY);
      const newest = known.at(-1);
      if (newest === undefined) return;
      const end = daysBetween(newest[0], TODAY) > 7 ? newest[0] : TODAY;
      for (const [window, back] of Object.entries({ ...days, ...longer })) {
        const reference = known.findLast(([date]) => daysBetween(date, end) >= back);
        const expected = reference === undefined ? null : 100 * (newest[2] / reference[1] - 1);
        const found = performance[window as keyof typeof performance];
        if (expected === null) expect(found).toBeNull();
        else expect(found).toBeCloseTo(expected, 9);
      }
    }),
  );
});

test("a percentage is based on the open, or on the close without an open", () => {
  expect(performancePercent(150, { open: 100, close: 120 })).toBeCloseTo(50, 12);
  expect(performancePercent(150, { open: NaN, close: 120 })).toBeCloseTo(25, 12);
});

test.skipIf(!hasRecordings)(
  "the Nikkei 225 of 2024 rose from 33,193.05 at its first open to 39,894.54 at its last close, by 20.19 %",
  () => {
    const sessions = recordedText("prices/nkx.csv")
      .trim()
      .split("\n")
      .slice(1)
      .map((line): Session => {
        const [date = "", open, , , close] = line.split(",");
        return [date, Number(open), Number(close)];
      })
      .filter(([date]) => date <= "2024-12-31");
    const performance = windowsOf(series(sessions), "2024-12-31");
    expect(performance.yearToDate).toBeCloseTo(100 * (39_894.54 / 33_193.05 - 1), 2);
    expect(performance.tenYears).not.toBeNull();
  },
);

describe("performance from closes alone", () => {
  const YEAR_BEFORE = "2025-11-20";
  /** Closes on these dates, and the newest price. */
  const windows = (price: number, closes: Readonly<Record<string, number>>) => {
    const dates = Object.keys(closes).sort();
    const from = dates[0] ?? TODAY;
    const record = {
      from,
      days: dates.map((date) => daysBetween(from, date)),
      closes: dates.map((date) => closes[date] ?? 0),
    };
    const newest = { date: TODAY, close: price };
    return performanceWindows(newest, TODAY, sessionsOfCloses(record, price));
  };

  test("is the change from the close of each window's reference session", () => {
    const closes = { [YEAR_BEFORE]: 80, "2026-01-02": 90, "2026-10-20": 96, "2026-11-13": 100 };
    expect(windows(120, closes)).toEqual({
      // 120 / 100, 120 / 96 on 20 October, the last close on or before 21 October.
      oneWeek: 100 * (120 / 100 - 1),
      oneMonth: 100 * (120 / 96 - 1),
      // The references of 22 August and 24 May are both the close of 2 January.
      threeMonths: 100 * (120 / 90 - 1),
      sixMonths: 100 * (120 / 90 - 1),
      yearToDate: 100 * (120 / 90 - 1),
      oneYear: 100 * (120 / 80 - 1),
      fiveYears: null,
      tenYears: null,
    });
  });

  test("has a year if the first close is within a week after the day one year ago", () => {
    const oneYear = (first: string) => windows(120, { [first]: 80, "2026-11-13": 100 }).oneYear;
    expect(oneYear("2025-11-24")).toBe(100 * (120 / 80 - 1));
    expect(oneYear("2025-11-28")).toBeNull();
  });

  test("is unknown after a split: the closes are in other shares than the price", () => {
    const none = Object.values(windows(50, { [YEAR_BEFORE]: 80, "2026-11-13": 100 }));
    expect(new Set(none)).toEqual(new Set([null]));
    expect(windows(60, { [YEAR_BEFORE]: 80, "2026-11-13": 100 }).oneWeek).toBe(100 * (0.6 - 1));
    const unknown = performanceWindows({ date: TODAY, close: 5 }, TODAY, sessionsOfCloses(null, 5));
    expect(new Set(Object.values(unknown))).toEqual(new Set([null]));
  });
});
