import { expect, test } from "bun:test";
import { isInOtherShares, isSplitBetween, type Split, splitRatio } from "#domain/split.ts";

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
  // Shin-Etsu Chemical, 5 for 1 on 2023-03-30: 20,670 before and 4,195 after, in the shares of each day.
  [20_670, 4_195, 5, true],
  // The same closes with the older one adjusted.
  [4_134, 4_195, 5, false],
  [100, 1_000, 0.1, true],
  [100, 104, 0.1, false],
  // A share dividend of 15 %, and a session at the daily limit of Ho Chi Minh City (7 %).
  [100, 88, 1.15, true],
  [100, 93, 1.15, false],
  // NTT, 25 for 1: not 24 or 26 by the closes, but certainly no ordinary session.
  [4_271, 169.5, 25, true],
  // A crash is no split, and a price is no other one's hundredth.
  [100, 60, 5, false],
  [100, 1, 5, false],
])(
  "closes of %p and %p with %p shares for one: in different shares is %p",
  (before, after, ratio, is) => {
    expect(isSplitBetween(before, after, ratio)).toBe(is);
  },
);

test.each([
  // The previous close of the quote is the stored close, or a tenth of it after an unknown split.
  [121.79, 1_208.88, 1_208.88, false],
  [121.79, 120.888, 1_208.88, true],
  [12.5, 12, 1.2, true],
  // Without a previous close the price is compared; a crash of 40 % is no split.
  [60, null, 100, false],
  [50, null, 100, true],
])(
  "a quote of %p after %p beside a close of %p is in other shares: %p",
  (price, previousClose, close, is) => {
    expect(isInOtherShares({ price, previousClose }, close)).toBe(is);
  },
);
