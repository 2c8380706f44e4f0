import { expect, test } from "bun:test";
import { isInOtherShares, type Split, splitRatio } from "#domain/split.ts";

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
