import { expect, test } from "bun:test";
import { multipleText } from "#console/app/pages/symbol-own-history.ts";
import { reader } from "#console/app/reader.ts";

test("small yields differ where two decimals are the same", () => {
  reader.value = { language: "en" };
  expect([0.0157, 0.0165, 0.0122, 0.0239].map(multipleText)).toEqual([
    "0.0157",
    "0.0165",
    "0.0122",
    "0.0239",
  ]);
  expect([0.00812, 0, 0.1, 2.5, -0.0333, 56.926, null].map(multipleText)).toEqual([
    "0.00812",
    "0.00",
    "0.10",
    "2.50",
    "−0.0333",
    "56.93",
    "—",
  ]);
});
