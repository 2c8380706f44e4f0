import { afterAll, describe, expect, test } from "bun:test";
import type { CachedAnswer } from "#operations/execute.ts";
import { screenStocks } from "#operations/screen-stocks.ts";
import { shorten } from "#mcp/long-answer.ts";
import { expectCut } from "../support/long-answers.ts";
import { startService } from "../support/service.ts";

const service = await startService();
const token = service.createToken().token;
afterAll(() => service.stop());

const FIVE = "AAPL,MSFT,NVDA,AMZN,GOOGL";

/** The longest calls of each operation with rows. */
const LONG: readonly (readonly [string, object])[] = [
  ["get_stock_price_history", { country: "US", symbol: "AAPL", range: "max" }],
  ["get_stock_price_history", { country: "JP", symbol: "7203", limit: 600, fields: "ohlcv" }],
  [
    "get_stock_price_history",
    { country: "VN", symbol: "FPT", range: "5y", currency: "USD", row_rates: true },
  ],
  ["screen_stocks", { country: "all", limit: 100, metrics: "pe,pb,ps,roe,roa,beta,rsi,roic" }],
  ["list_symbols", { limit: 100 }],
  ["get_sector_overview", { level: "industry" }],
  [
    "get_stock_statements",
    {
      country: "US",
      symbol: "AAPL",
      type: "income",
      period: "quarterly",
      limit: 40,
      figures: true,
    },
  ],
  ["get_earnings_calendar", { from: "2026-11-20", to: "2027-03-01", limit: 200 }],
  [
    "get_metric_history",
    { symbols: FIVE, metrics: "revenue,roe,pe,pb,ps", period: "ttm", limit: 40 },
  ],
  [
    "get_price_statistics",
    { symbols: FIVE, years: "2010-2025", months: "1,2,3,4,5,6,7,8,9,10,11,12" },
  ],
  [
    "get_valuation_history",
    { country: "US", symbol: "AAPL", metric: "pe,pb,ps,ev_ebitda", range: "10y", interval: "1wk" },
  ],
];

describe("a long answer has its first and last rows", () => {
  test.each(LONG)("%s %j", async (name, args) => {
    const { result: cut } = await service.callTool(token, name, args as never);
    const whole = await service.callTool(token, name, { ...args, as: "rows" } as never);
    if (!cut || !whole.result) throw new Error(`${name} has no answer`);
    expectCut(cut, whole.result);
    const data = cut.structuredContent?.["data"] as Record<string, Record<string, string>>;
    expect(data["left_out"]?.["more"]).toContain("as=csv_link");
    const link = await service.callTool(token, name, { ...args, as: "csv_link" } as never);
    expect(link.result?.isError).toBeUndefined();
  });
});

test.each([
  ["get_stock_price_history", { country: "US", symbol: "AAPL" }],
  // By contract, its payload is the payload of REST.
  ["get_macro_calendar", { limit: 200 }],
  ["get_macro_indicators", { country: "US" }],
  ["get_sectors", { country: "US" }],
])("%s %j is whole", async (name, args) => {
  const { result } = await service.callTool(token, name, args as never);
  expect(result?.structuredContent?.["data"]).not.toHaveProperty("left_out");
});

test("a table with as many columns as rows, and a matrix, keep their columns", () => {
  const many = Array.from({ length: 60 }, (_, i) => `name_${i}`);
  const cells = many.map((_, row) => many.map((_, column) => row * 1000 + column));
  const given = {
    columns: many,
    rows: cells,
    correlation: { symbols: many.slice(0, 9), matrix: cells.slice(0, 9) },
    reasons: { not_known: many },
  };
  const whole = { body: JSON.stringify({ data: given }) } as CachedAnswer;
  const { body } = shorten(screenStocks as never, whole, true);
  const { data } = JSON.parse(body) as { data: typeof given & { left_out: { of: number } } };
  const { left_out: leftOut, rows, ...others } = data;
  expect(leftOut.of).toBe(60);
  expect(rows).toEqual([...cells.slice(0, rows.length / 2), ...cells.slice(-rows.length / 2)]);
  const { rows: _, ...expected } = given;
  expect(others).toEqual(expected);
});
