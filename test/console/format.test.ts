import { afterEach, describe, expect, test, setSystemTime } from "bun:test";
import {
  currencyUnit,
  formatAgo,
  formatCountdown,
  formatDate,
  formatDay,
  formatDuration,
  formatInstant,
  formatMonth,
  formatNumber,
  formatLabel,
  formatPercent,
  formatPrice,
  formatShort,
  formatText,
  formatTime,
  formatUntil,
  unitsNow,
} from "#console/app/format.ts";
import { figureIn } from "#panels/local-text.ts";
import { formatInOneUnit } from "#console/app/one-unit.ts";
import { dateOf, keptDatesOf, monthsBefore, utcDatesOf } from "#console/app/days.ts";
import { knownZone, languageOf, reader } from "#console/app/reader.ts";

afterEach(() => void (reader.value = { language: "en" }));

/** Versions of CLDR differ in the spaces before a unit, and some are no-break spaces. */
const spaceless = (text: string) => text.replace(/\s/g, "");

// 万 10⁴, 億 10⁸, 兆 10¹²; nghìn 10³, triệu 10⁶, tỷ 10⁹, nghìn tỷ 10¹².
describe.each([
  ["en", 40.31e12, "40.31 T"],
  ["ja", 40.31e12, "40.31兆"],
  ["vi", 186.9e12, "186,90 nghìn tỷ"],
  ["vi", 5.5e9, "5,50 tỷ"],
  ["ja", 79_263_000, "7,926万"],
  ["ja", 12_345, "1.23万"],
  ["ja", 847.698e9, "8,476.98億"],
  ["vi", 3_030.25e12, "3.030,25 nghìn tỷ"],
  ["ja", -3.2e9, "−32.00億"],
  ["vi", 79_260_000, "79,26 triệu"],
  ["en", 812, "812"],
  ["vi", 812.5, "812,50"],
] as const)("in %s, %d", (language, value, expected) => {
  test(`is ${expected}`, () => {
    reader.value = { language };
    expect(spaceless(formatShort(value))).toBe(spaceless(expected));
  });
});

describe("large numbers side by side have one unit", () => {
  test.each([
    ["en", "USD", "USD billion", [988.74e9, 1.01e12, null], ["988.74", "1,010.00", "—"]],
    ["en", "USD", "USD million", [-3.2e6, 0, 4.1e9], ["−3.20", "0.00", "4,100.00"]],
    ["en", "USD", "USD million", [120_000, 416.161e9], ["0.12", "416,161"]],
    ["en", "USD", "USD billion", [4.84e12, 3_200_000, 41e6], ["4,840.00", "0.0032", "0.041"]],
    ["en", "", "million", [83_696_300, 9.9e9], ["83.70", "9,900.00"]],
    ["en", "JPY", "JPY", [12, 812], ["12", "812"]],
    ["en", "USD", "USD", [], []],
    ["ja", "JPY", "億円", [-3.2e9, 847.698e9], ["−32.00", "8,476.98"]],
    ["ja", "JPY", "億円", [1_829.72e8, 29.62e12], ["1,830", "296,200"]],
    ["vi", "VND", "tỷ đồng", [1_608.7e9, 9.65e12], ["1.608,70", "9.650,00"]],
  ] as const)("%s: %p", (language, currency, unit, values, expected) => {
    reader.value = { language };
    const form = formatInOneUnit(values, currency);
    expect(form.unit).toBe(unit);
    expect(values.map((value) => form.format(value))).toEqual([...expected]);
  });
});

test("numbers that were rounded to two decimals get no digits by another unit", () => {
  const form = formatInOneUnit([174.2e12, 858.33e9], "JPY", 1);
  expect([form.unit, form.format(174.2e12), form.format(858.33e9)]).toEqual([
    "JPY trillion",
    "174.20",
    "0.86",
  ]);
});

describe("a figure that the service writes in English", () => {
  test.each([
    ["en", "186.89 T VND", "186.89 T VND"],
    ["vi", "186.89 T VND", "186,89 nghìn tỷ đồng"],
    ["ja", "186.89 T VND", "186.89兆ドン"],
    ["vi", "-3,112.50%", "−3.112,50%"],
    ["vi", "+0.40%", "+0,40%"],
    ["vi", "-73.1 USD bn", "−73,1 USD bn"],
    ["vi", "1,177.39 USD", "1.177,39 USD"],
    ["ja", "-73.1 USD bn", "−73.1 USD bn"],
    // Limits and smallest amounts are written as in conditions.
    ["vi", "5T", "5 nghìn tỷ"],
    ["ja", "233K", "23.3万"],
    // 79.53 B is known to ten million, so 795.3億.
    ["ja", "79.53 B USD", "795.3億ドル"],
    ["en", "10B", "10B"],
    // No figures: dates, years, periods and words.
    ["vi", "2026-11-20", "2026-11-20"],
    ["vi", "2026", "2026"],
    ["vi", "Q3 2026", "Q3 2026"],
    ["vi", "3 of 5", "3 of 5"],
    ["vi", "—", "—"],
    ["vi", "Technology", "Technology"],
  ] as const)("in %s, %s is %s", (language, text, expected) => {
    reader.value = { language };
    expect(spaceless(formatText(text))).toBe(spaceless(expected));
  });
});

// Dong have no smaller unit. On TSE, prices up to 3,000 yen can have tick sizes of tenths.
test.each([
  [3112, "JPY", "3,112"],
  [191.8, "JPY", "191.8"],
  [191, "JPY", "191"],
  [25_300, "VND", "25,300"],
  [388.7, "USD", "388.70"],
  [3112, "", "3,112.00"],
  [0.00001234, "USD", "0.00001234"],
  [null, "JPY", "—"],
] as const)("a price of %p %s is %s", (value, currency, expected) => {
  expect(formatPrice(value, currency)).toBe(expected);
});

test("one concept has one label", () => {
  expect(["Mkt cap", "Chg %", "EPS dilTTM"].map(formatLabel)).toEqual([
    "Market cap",
    "1 day",
    "EPS diluted TTM",
  ]);
});

/** 20 November 2026, a Friday, 14:05 UTC: 23:05 in Tokyo. */
const AT = Date.UTC(2026, 10, 20, 14, 5);

test.each([
  ["en", ["1,234.50", "−2.10%", "20 Nov 2026", "Nov 2026", "20 Nov 2026, 23:05", "12 min"]],
  ["ja", ["1,234.50", "−2.10%", "2026/11/20", "2026年11月", "2026/11/20 23:05", "12 分"]],
  ["vi", ["1.234,50", "−2,10%", "20/11/2026", "11/2026", "20/11/2026 23:05", "12 phút"]],
] as const)("in %s, numbers and dates have the forms of its readers", (language, expected) => {
  reader.value = { language, timeZone: "Asia/Tokyo" };
  expect(
    [
      formatNumber(1234.5),
      formatPercent(-2.1),
      formatDate("2026-11-20"),
      formatMonth("2026-11"),
      formatInstant(AT),
      formatDuration(720),
    ].map(spaceless),
  ).toEqual(expected.map(spaceless));
});

test("a past instant is named in the reader's language", () => {
  for (const [language, expected] of [
    ["en", "12 min ago"],
    ["ja", "12分前"],
    ["vi", "12 phút trước"],
  ] as const) {
    reader.value = { language };
    expect(spaceless(formatAgo(new Date().getTime() - 720_000))).toBe(spaceless(expected));
  }
});

test("days from now are those of the reader's calendar", () => {
  // Saturday 00:30 in Tokyo is Friday 15:30 in UTC.
  setSystemTime(Date.UTC(2026, 10, 20, 15, 30));
  reader.value = { language: "en", timeZone: "Asia/Tokyo" };
  const HOUR_MS = 3_600_000;
  expect([35, 46, 48, 96].map((hours) => formatUntil(Date.now() + hours * HOUR_MS))).toEqual([
    "in 35 h",
    "tomorrow",
    "in 2 days",
    "in 4 days",
  ]);
  expect([35, 46, 49, 96].map((hours) => formatAgo(Date.now() - hours * HOUR_MS))).toEqual([
    "35 h ago",
    "2 days ago",
    "3 days ago",
    "4 days ago",
  ]);
  reader.value = { language: "ja", timeZone: "Asia/Tokyo" };
  expect(formatUntil(Date.now() + 46 * HOUR_MS)).toBe("明日");
  setSystemTime();
});

describe("a day is that of the reader's time zone", () => {
  // 20:00 in New York is 01:00 UTC of the next day, and 10:00 in Tokyo.
  const late = Date.UTC(2026, 10, 21, 1);
  test.each([
    ["America/New_York", "2026-11-20", "20:00"],
    ["Asia/Tokyo", "2026-11-21", "10:00"],
    ["Asia/Ho_Chi_Minh", "2026-11-21", "08:00"],
    ["Pacific/Kiritimati", "2026-11-21", "15:00"],
  ])("in %s", (timeZone, date, time) => {
    reader.value = { language: "en", timeZone };
    expect([dateOf(late), formatTime(late)]).toEqual([date, time]);
  });

  test("all its events are in the UTC dates that are asked for, from +14 to −12 hours", () => {
    // Over the end of a year.
    expect(utcDatesOf("2026-12-31", "2027-01-01")).toEqual({
      from: "2026-12-30",
      to: "2027-01-02",
    });
    const { from, to } = utcDatesOf("2026-11-21", "2026-11-21");
    for (const hours of [14, -12]) {
      const start = Date.UTC(2026, 10, 21) - hours * 3_600_000;
      const dates = [start, start + 86_399_999].map((at) =>
        new Date(at).toISOString().slice(0, 10),
      );
      for (const date of dates) expect(date >= from && date <= to).toBe(true);
    }
  });

  // On 23 November 2026 the service keeps events from 24 September on: 30 − 24 + 31 + 23 = 60 days.
  test.each([
    // The oldest day, and the day before, which still has hours of it west of UTC.
    ["2026-09-24", "2026-09-30", "2026-09-24", "2026-10-01"],
    ["2026-09-23", "2026-09-29", "2026-09-24", "2026-09-30"],
    // A week that only ends in the days that are kept.
    ["2026-09-18", "2026-09-24", "2026-09-24", "2026-09-25"],
    // All days are kept, or none.
    ["2026-09-25", "2026-10-01", "2026-09-24", "2026-10-02"],
    ["2026-09-26", "2026-10-02", "2026-09-25", "2026-10-03"],
    ["2026-09-16", "2026-09-22", "2026-09-15", "2026-09-23"],
  ])("events from %s to %s are asked for from %s to %s", (from, to, first, last) => {
    for (const timeZone of ["Pacific/Pago_Pago", "UTC", "Pacific/Kiritimati"]) {
      reader.value = { language: "en", timeZone };
      for (const now of ["2026-11-23T00:00Z", "2026-11-23T23:59Z"]) {
        expect(keptDatesOf(from, to, Date.parse(now))).toEqual({ from: first, to: last });
      }
    }
  });

  test("a date of the calendar is the same everywhere", () => {
    reader.value = { language: "en", timeZone: "America/New_York" };
    expect([formatDay("2026-11-25"), formatDate("2026-11-25")]).toEqual([
      "Wed 25 Nov",
      "25 Nov 2026",
    ]);
  });
});

test("the language is the first of the browser's that the console has", () => {
  expect(languageOf(["fr-FR", "ja-JP", "en"])).toBe("ja");
  expect(languageOf(["VI"])).toBe("vi");
  expect(languageOf(["fr"])).toBe("en");
});

test("a time zone that the browser does not know is left out", () => {
  expect(knownZone("Asia/Tokyo")).toBe("Asia/Tokyo");
  expect(knownZone("Asia/Atlantis")).toBeUndefined();
  expect(knownZone(undefined)).toBeUndefined();
});

test.each([
  [2 * 3_600_000 + 14 * 60_000, "2:14"],
  [2 * 3_600_000 + 13 * 60_000 + 1, "2:14"],
  [59_000, "0:01"],
  [24 * 3_600_000 - 60_000, "23:59"],
  [61 * 3_600_000, "3 days"],
])("%d ms are left: %s", (ms, text) => {
  expect(formatCountdown(ms)).toBe(text);
});

test.each([
  ["2026-11-19", 1, "2026-10-19"],
  ["2026-01-15", 1, "2025-12-15"],
  ["2026-03-31", 1, "2026-02-28"],
  ["2024-02-29", 12, "2023-02-28"],
  ["2024-03-31", 1, "2024-02-29"],
])("%s less %d months is %s", (date, months, expected) => {
  expect(monthsBefore(date, months)).toBe(expected);
});

/** An amount above the size of a unit, as the service writes it. */
const ABOVE: Readonly<Record<number, string>> = {
  1e12: "1.50 T",
  1e9: "1.50 B",
  1e8: "150.00 M",
  1e6: "1.50 M",
  1e4: "15.00 K",
  1e3: "1.50 K",
};

// The browser has no code of the service, so each has its own table of units.
test.each(["en", "ja", "vi"] as const)("messages have the units of pages in %s", (language) => {
  reader.value = { language };
  for (const [size, unit] of unitsNow())
    for (const currency of ["USD", "JPY", "VND"])
      expect(figureIn(language, `${ABOVE[size]} ${currency}`)).toEndWith(
        unit + currencyUnit(currency),
      );
});
