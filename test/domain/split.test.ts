import { expect, test } from "bun:test";
import { changesShares, isInOtherShares, type Split, splitRatio } from "#domain/split.ts";

const splits: Split[] = [
  { exDate: "2014-06-09", numerator: 7, denominator: 1 },
  { exDate: "2020-08-31", numerator: 4, denominator: 1 },
  { exDate: "2026-11-23", numerator: 1, denominator: 10 },
];

test.each([
  // Apple: one share of before June 2014 is 28 shares today.
  ["2014-06-08", "2026-11-22", 28],
  // The shares of the end of an ex-date are the new ones.
  ["2014-06-09", "2026-11-22", 4],
  ["2020-08-30", "2020-08-30", 1],
  ["2020-08-30", "2020-08-31", 4],
  ["2020-08-31", "2026-11-22", 1],
  // A reverse split makes fewer shares.
  ["2020-08-31", "2026-11-23", 0.1],
])("one share of the end of %s is on %s: %p", (after, through, ratio) => {
  expect(splitRatio(splits, after, through)).toBe(ratio);
});

test("without splits a share stays a share", () => {
  expect(splitRatio([], "", "9999-12-31")).toBe(1);
});

test.each([
  // The previous close of the quote is the stored close, or a tenth of it after an unknown split.
  [121.79, 1_208.88, 1_208.88, false],
  [121.79, 120.888, 1_208.88, true],
  [12.5, 12, 1.2, true],
  // Without a previous close the price is compared; a crash of 40 % is no split.
  [60, null, 100, false],
  [179, null, 100, false],
  [180, null, 100, true],
  [56, null, 100, false],
  [55, null, 100, true],
  // A new drug doubles the price in a session: the previous close is the same.
  [210, 100, 100, false],
  [50, null, 100, true],
])(
  "a quote of %p after %p beside a close of %p is in other shares: %p",
  (price, previousClose, close, is) => {
    expect(isInOtherShares({ price, previousClose }, close)).toBe(is);
  },
);

test.each([
  // Splits, stock dividends and reverse splits.
  ["NVIDIA 2024", 10, 1, true],
  ["3 for 2", 3, 2, true],
  ["1.3 for 1, as in Tokyo", 1.3, 1, true],
  ["Tootsie Roll, every year", 103, 100, true],
  ["a stock dividend of 5 %", 21, 20, true],
  ["the same, not reduced", 1050, 1000, true],
  ["a third, in digits", 0.333333, 1, true],
  ["a reverse split by a merger", 1, 15.463, true],
  // Spin-offs, as Yahoo lists them.
  ["GE 2023, GE HealthCare", 1281, 1000, false],
  ["GE 2024, GE Vernova", 1253, 1000, false],
  ["AT&T 2022, Warner", 1324, 1000, false],
  ["3M 2024, Solventum", 1196, 1000, false],
  ["IBM 2021, Kyndryl", 1046, 1000, false],
  ["eBay 2015, PayPal", 2376, 1000, false],
  ["HP 2015, Hewlett Packard Enterprise", 2202, 1000, false],
] as const)("%s: %d for %d changes the number of shares: %p", (_, numerator, denominator, is) => {
  expect(changesShares({ exDate: "2024-06-10", numerator, denominator }, "US")).toBe(is);
});

test.each([
  ["VN", "Vietcombank 2021, a share dividend of 27.6 %", 1.276],
  ["VN", "a share dividend of 12 %", 1.12],
  ["JP", "a free allotment of 1.06 for 1", 1.06],
] as const)("in %s, %s changes the number of shares", (country, _, numerator) => {
  expect(changesShares({ exDate: "2021-12-22", numerator, denominator: 1 }, country)).toBe(true);
});
