import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  changePercent,
  type FindClose,
  PERFORMANCE_WINDOWS,
  performanceOf,
  type SessionClose,
  type Window,
  WINDOWS,
  windowStart,
  windowStarts,
} from "#analytics/performance.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

/** A search for the last close at or before a date, and the newest close. */
function seriesOf(closes: Readonly<Record<string, number>>) {
  const sessions = Object.entries(closes).map(([date, close]) => ({ date, close }));
  sessions.sort((a, b) => (a.date < b.date ? -1 : 1));
  const findClose: FindClose = (date) => sessions.findLast((one) => one.date <= date) ?? null;
  return { findClose, newest: sessions.at(-1) ?? null };
}

function performance(closes: Readonly<Record<string, number>>) {
  const { newest, findClose } = seriesOf(closes);
  return performanceOf(newest, findClose);
}

describe("the start date of a window", () => {
  const starts = (newest: string) =>
    Object.fromEntries(WINDOWS.map((window) => [window, windowStart(window, newest)]));

  test("is counted from the newest session, in days, months and years of the calendar", () => {
    expect(starts("2026-11-20")).toEqual({
      "1d": "2026-11-19",
      "1w": "2026-11-13",
      "1m": "2026-10-20",
      "3m": "2026-08-20",
      "6m": "2026-05-20",
      ytd: "2025-12-31",
      "1y": "2025-11-20",
      "2y": "2024-11-20",
      "3y": "2023-11-20",
      "5y": "2021-11-20",
      "10y": "2016-11-20",
    });
  });

  test.each([
    ["1m", "2026-03-31", "2026-02-28"],
    ["1m", "2024-03-31", "2024-02-29"],
    ["3m", "2026-05-31", "2026-02-28"],
    ["6m", "2026-08-31", "2026-02-28"],
    ["1y", "2024-02-29", "2023-02-28"],
    ["5y", "2024-02-29", "2019-02-28"],
    // Four years after a leap day is a leap day again.
    ["1y", "2025-02-28", "2024-02-28"],
    ["1w", "2024-03-07", "2024-02-29"],
    ["1m", "2026-01-15", "2025-12-15"],
    ["ytd", "2027-01-04", "2026-12-31"],
    ["ytd", "2026-12-31", "2025-12-31"],
  ] as const)("%s before %s is %s", (window, newest, start) => {
    expect(windowStart(window, newest)).toBe(start);
  });
});

describe("a window", () => {
  test("is the newest close / the close on its start date − 1: 120 / 100", () => {
    const closes = { "2026-11-12": 95, "2026-11-13": 100, "2026-11-16": 112, "2026-11-20": 120 };
    expect(performance(closes)["1w"]).toBeCloseTo(20, 12);
  });

  test("starts with the session before its date if the exchange was closed on that date", () => {
    const closes = { "2026-11-12": 96, "2026-11-16": 112, "2026-11-20": 120 };
    expect(performance(closes)["1w"]).toBeCloseTo(25, 12);
  });

  test("is null if the prices begin later, by a day too", () => {
    const found = performance({ "2026-10-21": 100, "2026-11-20": 130 });
    expect(found["1w"]).toBeCloseTo(30, 12);
    expect([found["1m"], found["10y"]]).toEqual([null, null]);
    expect(performance({ "2026-10-20": 100, "2026-11-20": 130 })["1m"]).toBeCloseTo(30, 12);
  });

  test("of a history that stopped ends with its last session", () => {
    expect(performance({ "2024-12-23": 100, "2024-12-30": 110 })["1w"]).toBeCloseTo(10, 12);
  });

  test("of a stock that was suspended starts with the last session before", () => {
    const closes = { "2025-03-03": 64, "2026-11-17": 60, "2026-11-20": 80 };
    expect(performance(closes)).toMatchObject({ "1w": 25, "1m": 25, ytd: 25, "1y": 25 });
    expect(performance(closes)["5y"]).toBeNull();
  });

  test("is null without a close", () => {
    expect(new Set(Object.values(performance({})))).toEqual(new Set([null]));
  });
});

describe("the year to date", () => {
  test("has the year's first session: it starts with the last close of the year before", () => {
    expect(performance({ "2025-12-30": 80, "2026-01-05": 100 }).ytd).toBeCloseTo(25, 12);
    expect(performance({ "2025-12-30": 80, "2026-01-05": 90, "2026-11-20": 100 }).ytd).toBe(25);
  });

  test("is null for a stock that was listed in the year, on its first session too", () => {
    expect(performance({ "2026-01-02": 80, "2026-11-20": 100 }).ytd).toBeNull();
    expect(performance({ "2026-03-02": 80, "2026-11-20": 100 }).ytd).toBeNull();
  });

  test("is that of the year that ended, until the new year has a session", () => {
    expect(performance({ "2025-12-31": 80, "2026-12-31": 100 }).ytd).toBeCloseTo(25, 12);
  });
});

describe("the change between two closes", () => {
  test("is close / previous close − 1: 99 / 110 − 1 = −10 %", () => {
    expect(changePercent(99, 110)).toBeCloseTo(-10, 12);
  });

  test("is null if one is unknown", () => {
    expect(changePercent(1, null)).toBeNull();
    expect(changePercent(null, 1)).toBeNull();
  });
});

test("every window agrees with a linear search", () => {
  const session = fc.record({
    day: fc.integer({ min: 0, max: 4_000 }),
    close: fc.integer({ min: 1, max: 1_000 }),
  });
  const sessions = fc.uniqueArray(session, { maxLength: 60, selector: ({ day }) => day });
  fc.assert(
    fc.property(sessions, (all) => {
      const closes = Object.fromEntries(
        all.map(({ day, close }) => [addDays("2016-01-01", day), close]),
      );
      const { newest, findClose } = seriesOf(closes);
      const found = performanceOf(newest, findClose);
      const starts = windowStarts(newest?.date ?? null, findClose);
      for (const window of PERFORMANCE_WINDOWS) {
        // The session nearest to the start date among those that are not after it.
        const start = newest && windowStart(window, newest.date);
        const before = Object.keys(closes)
          .filter((date) => start !== null && daysBetween(date, start) >= 0)
          .sort((a, b) => daysBetween(a, b))[0];
        expect(starts[window]?.date).toBe(before);
        const expected = before === undefined ? null : (newest?.close ?? 0) / (closes[before] ?? 0);
        if (expected === null) expect(found[window]).toBeNull();
        else expect(found[window]).toBeCloseTo(100 * (expected - 1), 9);
      }
    }),
  );
});

/** The closes of a recorded file by date, up to a date. */
function recordedCloses(file: string, until: string): Record<string, number> {
  const [header = "", ...lines] = recordedText(`prices/${file}`).trim().split("\n");
  const names = header.replaceAll(/["\uFEFF\r]/g, "").split(",");
  const at = names.findIndex((name) => ["Close", "close", "Last"].includes(name));
  const sessions = lines.map((line): [string, number] => {
    const cells = line.startsWith('"') ? line.slice(1).split('","') : line.split(",");
    const date = (cells[0] ?? "").replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, "$3-$2-$1").slice(0, 10);
    return [date, Number((cells[at] ?? "").replaceAll(",", ""))];
  });
  return Object.fromEntries(sessions.filter(([date]) => date <= until));
}

// Computed by pandas 1.5.3:
//   c = pd.read_csv(file, encoding="utf-8-sig"); dates as index, column Close, close or Last; sorted
//   c = c[:end]; n = c.index[-1]
//   start = n - pd.DateOffset(days=1), (weeks=1), (months=1), … (years=10); ytd: Timestamp(n.year - 1, 12, 31)
//   b = c[:start]; 100 * (c.iloc[-1] / b.iloc[-1] - 1), and b.index[-1]; null if b is empty
// prettier-ignore
const WITNESSES: [file: string, end: string, starts: (string | null)[]][] = [
  ["nkx.csv", "2026-08-21", ["2026-08-20=-0.302687", "2026-08-14=-3.925613", "2026-07-21=-0.325866", "2026-05-21=7.023230", "2026-02-20=16.173422", "2025-12-30=31.142314", "2025-08-21=54.930986", "2024-08-21=73.947897", "2023-08-21=109.139932", "2021-08-20=144.385105", "2016-08-19=298.991154"]],
  // A leap day.
  ["nkx.csv", "2024-02-29", ["2024-02-28=-0.106712", "2024-02-22=0.172670", "2024-01-29=8.713618", "2023-11-29=17.541293", "2023-08-29=21.532339", "2023-12-29=17.039177", "2023-02-28=42.705016", "2022-02-28=47.647517", "2021-02-26=35.214314", "2019-02-28=83.146589", "2014-02-28=163.904089"]],
  // The first session of a year.
  ["nkx.csv", "2024-01-04", ["2023-12-29=-0.525585", "2023-12-28=-0.749358", "2023-12-04=0.171584", "2023-10-04=9.045825", "2023-07-04=-0.401617", "2023-12-29=-0.525585", "2023-01-04=29.441502", "2022-01-04=13.604971", "2021-01-04=22.121300", "2019-01-04=70.168468", "2013-12-30=104.331573"]],
  // The end of a month that is longer than others. 31 December is no session in Tokyo.
  ["nkx.csv", "2023-03-31", ["2023-03-30=0.930610", "2023-03-24=2.396292", "2023-02-28=2.171280", "2022-12-30=7.461268", "2022-09-30=8.112937", "2022-12-30=7.461268", "2022-03-31=0.790940", "2021-03-31=-3.897762", "2020-03-31=48.234212", "2018-03-30=30.703306", "2013-03-29=126.179090"]],
  // The calendar year 2024, published as +19.22 %.
  ["nkx.csv", "2024-12-31", ["2024-12-27=-0.959806", "2024-12-23=1.872253", "2024-11-29=4.414014", "2024-09-30=5.208364", "2024-06-28=0.786854", "2023-12-29=19.215677", "2023-12-29=19.215677", "2022-12-30=52.884857", "2021-12-30=38.562586", "2019-12-30=68.640070", "2014-12-30=128.611919"]],
  ["7203.csv", "2026-08-21", ["2026-08-20=2.152642", "2026-08-14=3.708609", "2026-07-21=6.367804", "2026-05-21=5.171256", "2026-02-20=-12.554743", "2025-12-30=-5.285015", "2025-08-21=11.141365", "2024-08-21=23.845747", "2023-08-21=44.756722", "2021-08-20=102.345724", "2016-08-19=251.528645"]],
  ["7203.csv", "2012-02-29", ["2012-02-28=-0.886288", "2012-02-22=-0.739647", "2012-01-27=18.217039", "2011-11-29=32.661143", "2011-08-29=24.325752", "2011-12-30=30.799202", "2011-02-28=-10.694320", "2010-02-26=3.803237", "2009-02-27=10.481671", "2007-02-28=-54.098762", "2002-02-28=15.232054"]],
  ["VNINDEX.csv", "2026-08-21", ["2026-08-20=1.953594", "2026-08-14=2.257848", "2026-07-21=2.170396", "2026-05-21=-6.788480", "2026-02-13=-3.068379", "2025-12-31=-0.917349", "2025-08-21=4.746445", "2024-08-21=37.698688", "2023-08-21=49.871160", "2021-08-20=32.998353", "2016-08-19=166.974693"]],
  // The series begins in January 2004, after the start of ten years.
  ["VNINDEX.csv", "2013-12-31", ["2013-12-30=0.855401", "2013-12-24=-0.195799", "2013-11-29=-0.620347", "2013-09-30=2.435905", "2013-06-28=4.884335", "2012-12-28=21.970851", "2012-12-28=21.970851", "2011-12-30=43.544304", "2010-12-31=4.111822", "2008-12-31=59.885305", null]],
  ["FPT_vci.csv", "2026-08-07", ["2026-08-06=0.141443", "2026-07-31=5.514158", "2026-07-07=-3.278689", "2026-05-07=-1.680322", "2026-02-06=-26.456840", "2025-12-31=-25.079365", "2025-08-07=-31.712963", "2024-08-07=-30.595040", "2023-08-07=17.412935", null, null]],
  ["FPT_investing.csv", "2025-01-02", ["2024-12-31=-0.327873", "2024-12-26=1.468612", "2024-12-02=6.891739", "2024-10-02=13.043403", "2024-07-02=19.578741", "2024-12-31=-0.327873", "2024-01-02=84.641222", "2022-12-30=170.602519", "2021-12-31=171.629473", "2020-01-02=503.404408", null]],
  ["AAPL_yfinance.csv", "2026-08-20", ["2026-08-19=-1.745415", "2026-08-13=1.978634", "2026-07-20=-4.681714", null, null, null, null, null, null, null, null]],
];

test.skipIf(!hasRecordings).each(WITNESSES)(
  "%s up to %s as computed by pandas",
  (file, end, starts) => {
    const { newest, findClose } = seriesOf(recordedCloses(file, end));
    const found = WINDOWS.map((window: Window) => {
      const start: SessionClose | null = newest && findClose(windowStart(window, newest.date));
      const percent = changePercent(newest?.close ?? null, start?.close ?? null);
      return start && `${start.date}=${percent?.toFixed(6)}`;
    });
    expect(found).toEqual(starts);
    expect(starts).toHaveLength(WINDOWS.length);
  },
);
