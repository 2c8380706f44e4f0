import { describe, expect, test } from "bun:test";
import { openFeedClient } from "../support/feed-client.ts";

// Not part of the suite: it installs the client from the npm registry.

const PROGRAM = `
const { restClient } = await import("@massive.com/client-js");
const [base, key, method, args] = process.argv.slice(2);
const client = restClient(key, base + "/massive");
try {
  console.log(JSON.stringify(await client[method](JSON.parse(args))));
} catch (error) {
  console.log(JSON.stringify({ httpStatus: error.response?.status, ...error.response?.data }));
}
`;
const { isInstalled, link, call, stored, expectRefusals } = await openFeedClient(
  { "@massive.com/client-js": "10.8.0" },
  PROGRAM,
);

interface Bars {
  readonly ticker: string;
  readonly results: readonly { readonly t: number; readonly c: number }[];
}

describe.skipIf(!isInstalled)("the client of Massive", () => {
  test.each([
    ["AAPL", "US", "AAPL", "America/New_York"],
    ["7203.T", "JP", "7203", "Asia/Tokyo"],
    ["FPT.VN", "VN", "FPT", "Asia/Ho_Chi_Minh"],
  ] as const)("reads the bars of %s", async (ticker, country, symbol, timeZone) => {
    const bars = await call<Bars>(link, "getStocksAggregates", {
      stocksTicker: ticker,
      multiplier: 1,
      timespan: "day",
      from: "2026-10-01",
      to: "2026-11-18",
      adjusted: true,
      sort: "asc",
      limit: 120,
    });
    const { dates, closes } = stored(country, symbol, "2026-10-01", "2026-11-19");
    const local = (t: number) => new Date(t).toLocaleDateString("sv-SE", { timeZone });
    expect(bars.results.map(({ t }) => local(t))).toEqual(dates);
    expect(bars.results.map(({ c }) => c)).toEqual(closes);
  });

  test("reads dividends, splits, a search, a company and the newest session", async () => {
    const list = async (method: string, args: object) =>
      (await call<{ results: object[] }>(link, method, args)).results;
    const paid = { ticker: "AAPL", exDividendDateGte: "2020-06-01", limit: 1, order: "asc" };
    // Apple split 4:1 on 31 August 2020: 0.13 in today's shares was 0.52.
    expect(await list("listDividends", paid)).toMatchObject([
      { ex_dividend_date: "2020-06-16", cash_amount: 0.52 },
    ]);
    expect(await list("listStockSplits", { ticker: "AAPL" })).toMatchObject([
      { execution_date: "2020-08-31", split_from: 1, split_to: 4 },
    ]);
    expect(await list("listTickers", { search: "toyota" })).toContainEqual(
      expect.objectContaining({ ticker: "7203.T", market: "stocks" }),
    );
    const { results } = await call<{ results: object }>(link, "getTicker", { ticker: "AAPL" });
    expect(results).toMatchObject({ name: "Apple Inc.", market: "stocks" });
    // Thanksgiving, and the early close after it.
    const holidays = await call<object[]>(link, "getMarketHolidays", {});
    expect(holidays).toContainEqual(
      expect.objectContaining({ date: "2026-11-27", status: "early-close" }),
    );
    expect(await call<object>(link, "getMarketStatus", {})).toMatchObject({ market: "open" });
    const previous = { stocksTicker: "FPT.VN" };
    expect(await list("getPreviousStocksAggregates", previous)).toMatchObject([{ T: "FPT.VN" }]);
  });

  test("meets an unknown symbol, a used-up quota and a revoked link as Massive's", async () => {
    const get = (token: string, ticker: string) => call<object>(token, "getTicker", { ticker });
    expect(await get(link, "NONE1")).toMatchObject({ httpStatus: 404, status: "NOT_FOUND" });
    await expectRefusals("massive/v3/reference/splits?ticker=AAPL", (token) => get(token, "AAPL"), {
      usedUp: expect.objectContaining({
        httpStatus: 429,
        status: "ERROR",
        error: expect.stringContaining("Rate limit exceeded"),
      }),
      revoked: expect.objectContaining({ httpStatus: 401, status: "ERROR" }),
    });
  });
});
