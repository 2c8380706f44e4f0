import { expect, test } from "bun:test";
import { analystRating } from "#analytics/analyst-rating.ts";

const counts = (
  strongBuy: number,
  buy: number,
  hold: number,
  sell: number,
  strongSell: number,
) => ({
  strongBuy,
  buy,
  hold,
  sell,
  strongSell,
});

test("the mean determines the label, and a limit belongs to the better label", () => {
  // The comment of each line is the mean from 1 to 5.
  expect(analystRating(counts(3, 0, 0, 0, 0))).toBe("Strong buy"); // 1
  expect(analystRating(counts(1, 1, 0, 0, 0))).toBe("Strong buy"); // 3 / 2 = 1.5
  expect(analystRating(counts(1, 1, 1, 0, 0))).toBe("Buy"); // 6 / 3 = 2
  expect(analystRating(counts(0, 1, 1, 0, 0))).toBe("Buy"); // 5 / 2 = 2.5
  expect(analystRating(counts(0, 0, 4, 0, 0))).toBe("Neutral"); // 3
  expect(analystRating(counts(0, 0, 1, 1, 0))).toBe("Neutral"); // 7 / 2 = 3.5
  expect(analystRating(counts(0, 0, 0, 2, 0))).toBe("Sell"); // 4
  expect(analystRating(counts(0, 0, 0, 1, 2))).toBe("Strong sell"); // 14 / 3 = 4.67
});

test("without analysts the rating is null", () => {
  expect(analystRating(counts(0, 0, 0, 0, 0))).toBeNull();
});
