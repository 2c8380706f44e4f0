import { expect, test } from "bun:test";
import { findIndexList } from "#operations/portfolio/index-lists.ts";
import { expectError } from "../../support/error.ts";
import { openTestMarket, SAMPLE, stock } from "../../support/market.ts";

test("the members of an index on a day have their symbols of today, and no day before the first list has any", async () => {
  using home = openTestMarket();
  const { market } = home;
  market.put("instruments", [stock("US", "META"), stock("US", "IBM")], SAMPLE);
  const listed = (...symbols: string[]) =>
    symbols.map((symbol) => ({ country: "US" as const, symbol, indexMember: true }));
  // Facebook became META on 9 June 2022.
  market.indexMembers.put(listed("FB", "IBM", "GONE"), "2022-06-01");
  market.indexMembers.put(listed("META", "FB", "IBM"), "2022-06-10");
  const on = (day: string) =>
    findIndexList(market, "s-p-500", day)?.items.map(({ symbol }) => symbol);
  expect(on("2022-06-01")).toEqual(["META", "GONE", "IBM"]);
  expect(on("2022-06-10")).toEqual(["META", "IBM"]);
  const { message } = await expectError(() => on("1980-09-01"), "not_found");
  expect(message).toBe(
    "The members of the index S&P 500 are known here since 2022-06-01, not on 1980-09-01.",
  );
  expect(findIndexList(market, "semis", "2022-06-10")).toBeNull();
});
