import { expect, test } from "bun:test";
import { openTestMarket } from "../support/market.ts";

const DOW = { country: "US", symbol: "^DJI" } as const;
const inDow = (...symbols: string[]) =>
  symbols.map((symbol) => ({
    country: "US" as const,
    symbol,
    indexMember: null,
    memberOf: "^DJI",
  }));

test("the newest list of a day has the members of an index, from the first list on", () => {
  using home = openTestMarket();
  const { indexMembers } = home.market;
  const on = (day: string) => indexMembers.listOn(DOW, day).symbols.join(" ");
  expect(indexMembers.listOn(DOW, "2026-12-31")).toEqual({ symbols: [], knownFrom: null });
  indexMembers.put(inDow("AAPL", "IBM", "INTC"), "2026-11-20");
  indexMembers.put(inDow("AAPL", "IBM", "INTC"), "2026-11-21");
  // INTC leaves, NVDA joins; later INTC is back, and leaves on the same day.
  indexMembers.put(inDow("NVDA", "IBM", "AAPL"), "2026-11-25");
  indexMembers.put(inDow("NVDA", "IBM", "AAPL", "INTC"), "2026-12-01");
  indexMembers.put(inDow("NVDA", "IBM", "AAPL"), "2026-12-01");
  expect(["2026-11-19", "2026-11-20", "2026-11-24", "2026-11-25", "2026-12-01"].map(on)).toEqual([
    "",
    "AAPL IBM INTC",
    "AAPL IBM INTC",
    "AAPL IBM NVDA",
    "AAPL IBM NVDA",
  ]);
  expect(indexMembers.listOn(DOW, "2026-11-19").knownFrom).toBe("2026-11-20");
  indexMembers.put(inDow("NVDA", "IBM", "AAPL", "INTC"), "2026-12-01");
  expect(on("2026-12-01")).toBe("AAPL IBM INTC NVDA");
});

test("a list of one index changes no other, and half a list changes nothing", () => {
  using home = openTestMarket();
  const { indexMembers } = home.market;
  indexMembers.put(inDow("AAPL", "IBM", "NVDA"), "2026-11-20");
  const inSp500 = (symbol: string) => ({ country: "US" as const, symbol, indexMember: true });
  indexMembers.put([inSp500("AAPL"), inSp500("IBM")], "2026-11-21");
  indexMembers.put(inDow("AAPL"), "2026-11-22");
  const on = (symbol: string) =>
    indexMembers.listOn({ country: "US", symbol }, "2026-11-30").symbols;
  expect(on("^DJI")).toEqual(["AAPL", "IBM", "NVDA"]);
  expect(on("^GSPC")).toEqual(["AAPL", "IBM"]);
});
