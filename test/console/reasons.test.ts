import { expect, test } from "bun:test";
import { reasonOf } from "#console/app/parts/reasons.ts";
import { rowsOf } from "#console/app/parts/rows.ts";

test("a missing figure has the reason of its cell, of its column, or of its row", () => {
  const data = {
    columns: ["country", "symbol", "pe", "pb"],
    rows: [
      ["US", "LOSS", null, 2],
      ["US", "^GSPC", null, null],
      ["US", "YOUNG", null, null],
    ],
    reasons: {
      not_meaningful: ["pe"],
      not_stored: ["pe of US:YOUNG", "pb of US:YOUNG"],
      not_applicable: ["pe of US:^GSPC", "all of US:^GSPC"],
    },
  };
  const found = rowsOf(data).map((row) => [reasonOf(data, row, "pe"), reasonOf(data, row, "pb")]);
  expect(found.slice(1)).toEqual([
    ["not_applicable", "not_applicable"],
    ["not_stored", "not_stored"],
  ]);
  expect(found[0]?.[0]).toBe("not_meaningful");
  expect(reasonOf({ rows: [] }, { symbol: "AAPL" }, "pe")).toBeUndefined();
});
