import { afterAll, beforeAll, expect, test } from "bun:test";
import { openHandMade } from "../support/contract-answers.ts";
import { START } from "../support/service.ts";
import { listInstruments } from "../support/market.ts";

const home = openHandMade();
afterAll(() => home.close());

const total = async () =>
  (await home.answer<{ total_symbols: number }>("get_markets")).total_symbols;
/** How many companies the sectors of the US count. */
const stocks = async () => {
  type Sectors = { sectors: Record<string, { overview: { Stocks: string } }> };
  const { sectors } = await home.answer<Sectors>("get_sectors", { country: "US" });
  return Object.values(sectors).reduce((sum, { overview }) => sum + Number(overview.Stocks), 0);
};
const apple = { country: "US", symbol: "AAPL" };
let before = 0;
let stocksBefore = 0;

beforeAll(async () => {
  const { market } = home;
  before = await total();
  stocksBefore = await stocks();
  const [instrument] = listInstruments(market, "US").filter(({ symbol }) => symbol === "AAPL");
  if (!instrument) throw new Error("the market has no AAPL");
  const { id: _, source, storedAt: __, ...record } = instrument;
  const us = { country: "US" } as const;
  market.put("instruments", [record], { source, storedAt: START - 1 }, us);
  // A list of the same source that does not name it.
  market.instruments.delistMissing({ ...us, source, listedAt: START });
});

test("a delisted company is in no catalog, search or sector", async () => {
  expect(await total()).toBe(before - 1);
  expect(await home.answer("list_symbols", { country: "US", query: "AAPL" })).toMatchObject({
    symbols: [],
    total: 0,
  });
  expect(await stocks()).toBe(stocksBefore - 1);
});

test.each([
  ["get_stock_overview", apple],
  ["get_stock_technicals", apple],
  ["get_stock_statements", { ...apple, type: "income" }],
  ["get_stock_forecast", apple],
  ["get_stock_price_history", { ...apple, range: "1m" }],
  ["get_valuation_history", apple],
  ["compare_stocks", { symbols: "AAPL,JP:7203" }],
  ["get_price_statistics", { symbols: "JP:7203,US:AAPL" }],
  ["analyze_portfolio", { holdings: "US:AAPL=10" }],
  ["get_earnings_calendar", { tickers: "AAPL" }],
])("%s says so, also from the cache", async (name, args) => {
  const delisted = expect.stringMatching(/^US:AAPL Apple Inc\.? was delisted on 2026-11-20$/);
  for (let i = 0; i < 2; i++) expect(await home.answer(name, args)).toMatchObject({ delisted });
});

test("an answer about listed companies does not", async () => {
  const answer = await home.answer("compare_stocks", { symbols: "JP:7203" });
  expect(answer).not.toHaveProperty("delisted");
});

test("its overview says so; other overviews have no such label", async () => {
  const answer = await home.answer<{ overview: Record<string, string> }>(
    "get_stock_overview",
    apple,
  );
  expect(answer.overview).toMatchObject({
    Name: expect.stringContaining("Apple"),
    // START is on 20 November 2026.
    Delisted: "2026-11-20",
  });
  const toyota = await home.answer<{ overview: object }>("get_stock_overview", {
    country: "JP",
    symbol: "7203",
  });
  expect(toyota.overview).not.toHaveProperty("Delisted");
  expect(toyota.overview).toHaveProperty("Local name", "トヨタ自動車");
});
