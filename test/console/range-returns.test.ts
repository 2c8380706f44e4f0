import { expect, test } from "bun:test";
import { readReturns } from "#console/app/parts/range-returns.ts";
import type { PayloadOf } from "#operations/index.ts";

const answer = (rows: readonly (readonly (string | number | null)[])[]) =>
  ({
    columns: "country symbol from_session from_close to_session to_close return".split(" "),
    rows,
  }) as unknown as PayloadOf<"get_price_statistics">;
const MSFT = ["US", "MSFT", "2025-11-20", 100, "2026-11-20", 110, 10];
const TOYOTA = ["JP", "7203", "2025-11-20", 200, "2026-11-20", 190, -5];

test("returns are joined by instrument, also if the answer lacks one or has another order", () => {
  const asked = [
    { country: "US", symbol: "GONE" },
    { country: "US", symbol: "MSFT" },
    { country: "JP", symbol: "7203" },
  ];
  const percents = readReturns(answer([TOYOTA, MSFT]), asked).map((one) => one?.percent ?? null);
  expect(percents).toEqual([null, 10, -5]);
});

test("the only instrument has the only row, however its address writes it", () => {
  const [found] = readReturns(answer([MSFT]), [{ country: "us", symbol: "msft" }]);
  expect(found?.percent).toBe(10);
  expect(readReturns(answer([]), [{ country: "US", symbol: "MSFT" }])).toEqual([null]);
});
