import { afterAll, describe, expect, test } from "bun:test";
import { COUNTRY_CODES } from "#domain/country.ts";
import { SECTORS } from "#domain/taxonomy.ts";
import { CALLS, SYMBOLS } from "../support/contract-calls.ts";
import { startService } from "../support/service.ts";
import { tokensOf } from "../support/tokens.ts";
import { flatBar, listInstruments } from "../support/market.ts";

const DEFAULT_BUDGET = 1_600;
/** For answers with many figures by contract: 23 of each sector. */
const WIDE_BUDGET = 3_000;
/**
 * The default price history has the year of sessions and the month-ends that the contract asks for. A date has 7
 * tokens and a close at least 3 with its comma, so 250 sessions and 120 months take 370 × 10 = 3,700: the contract
 * goes before the budget of 3,000.
 */
const HISTORY_BUDGET = 4_800;
const LARGEST_BUDGET = 20_000;

/** Operations whose default answers are larger. */
const LARGER = new Set(["get_sectors", "get_stock_price_history"]);

const service = await startService();
const token = service.createToken().token;
afterAll(() => service.stop());

/** The tokens of one copy of an answer. A client shows the model the text or structuredContent. */
async function tokens(name: string, args: object): Promise<number> {
  const { result } = await service.callTool(token, name, args);
  const text = result?.content[0]?.text ?? "";
  if (!result?.structuredContent) throw new Error(`${name}: ${text}`);
  return tokensOf(text);
}

describe("a default answer stays under 1,600 tokens, with many figures under 3,000", () => {
  const small = CALLS.filter(
    ({ isDefault, operation }) => isDefault && !LARGER.has(operation.name),
  );
  test.each(small.map((call) => [call.title, call] as const))("%s", async (_, call) => {
    expect(await tokens(call.operation.name, call.arguments)).toBeLessThan(DEFAULT_BUDGET);
  });

  test.each([...COUNTRY_CODES])("%s: other tickers and statements", async (country) => {
    const { stock, other } = SYMBOLS[country];
    for (const [name, args] of [
      ...other.flatMap((symbol) =>
        ["get_stock_overview", "get_stock_technicals"].map(
          (tool) => [tool, { country, symbol }] as const,
        ),
      ),
      ...["balance", "cashflow", "ratios"].map(
        (type) => ["get_stock_statements", { country, symbol: stock, type }] as const,
      ),
      ["get_stock_statements", { country, symbol: stock, type: "income", period: "quarterly" }],
    ] as const) {
      expect({ [name]: (await tokens(name, args)) < DEFAULT_BUDGET }).toEqual({ [name]: true });
    }
  });

  test.each([...COUNTRY_CODES])("%s: closes by session, week and month", async (country) => {
    const { stock, other } = SYMBOLS[country];
    for (const symbol of [stock, ...other]) {
      for (const args of [{}, { interval: "1wk" }, { interval: "1mo" }] as {
        interval?: string;
      }[]) {
        const cost = await tokens("get_stock_price_history", { country, symbol, ...args });
        expect(cost).toBeLessThan(args.interval === undefined ? HISTORY_BUDGET : WIDE_BUDGET);
      }
    }
  });

  test.each([...COUNTRY_CODES])(
    "%s: the default price history is whole; without its month-ends it stays under 3,000",
    async (country) => {
      const { stock: symbol } = SYMBOLS[country];
      const call = { country, symbol };
      const { result } = await service.callTool(token, "get_stock_price_history", call);
      const { data: answered } = result?.structuredContent ?? {};
      const { dates, snapshot, total } = answered as {
        dates: string[];
        snapshot: { dates: string[] };
        total: number;
      };
      const monthOf = (date: string | undefined) => String(date).slice(0, 7);
      const yearBefore = `${Number(dates.at(-1)?.slice(0, 4)) - 1}${dates.at(-1)?.slice(4, 7)}`;
      expect(monthOf(dates[0])).toBe(yearBefore);
      // One close for each month from the first session of all to the one in which the year begins.
      const all = await service.request(
        `/data/stocks/${symbol}/history?country=${country}&limit=${total}`,
        token,
      );
      const { data } = (await all.json()) as { data: { dates: string[] } };
      const earlier = data.dates.map(monthOf).filter((month) => month < yearBefore);
      expect(snapshot.dates.map(monthOf)).toEqual([...new Set(earlier)]);
      const year = await tokens("get_stock_price_history", { ...call, snapshot: false });
      expect(year).toBeLessThan(WIDE_BUDGET);
    },
  );

  test.each([...COUNTRY_CODES])("%s: a table of sectors stays under 500", async (country) => {
    const columns = "stocks,change_percent,return_1y,pe_median,pb_median,roe_median";
    expect(await tokens("get_sectors", { country, columns })).toBeLessThan(500);
  });

  test("a table of reports costs less than 70 % of their objects", async () => {
    const period = { from: "2027-01-11", to: "2027-02-20", limit: 20 };
    const objects = await tokens("get_earnings_calendar", period);
    const table = await tokens("get_earnings_calendar", { ...period, table: true });
    expect(table).toBeLessThan(objects * 0.7);
  });

  test.each([...COUNTRY_CODES])("%s: get_sectors, and one sector of it", async (country) => {
    expect(await tokens("get_sectors", { country })).toBeLessThan(WIDE_BUDGET);
    for (const sector of SECTORS.keys()) {
      expect(await tokens("get_sectors", { country, sector })).toBeLessThan(WIDE_BUDGET / 8);
    }
  });
});

describe("an answer stays under 20,000 tokens", () => {
  test.each(CALLS.map((call) => [call.title, call] as const))("%s", async (_, call) => {
    expect(await tokens(call.operation.name, call.arguments)).toBeLessThan(LARGEST_BUDGET);
  });

  test.each([
    ["list_symbols", { limit: 100 }],
    ["get_macro_calendar", { limit: 200 }],
    ["get_sector_overview", { level: "industry" }],
    ["get_stock_forecast", { country: "US", symbol: "AAPL", limit: 100 }],
    [
      "get_stock_statements",
      { country: "US", symbol: "AAPL", type: "income", period: "quarterly", limit: 40 },
    ],
    ["get_stock_price_history", { country: "JP", symbol: "^N225", limit: 600 }],
    ["get_stock_price_history", { country: "JP", symbol: "^N225", limit: 600, fields: "ohlcv" }],
    ["get_stock_price_history", { country: "US", symbol: "BTC-USD", limit: 600, fields: "ohlcv" }],
  ])("%s with %j", async (name, args) => {
    expect(await tokens(name, args)).toBeLessThan(LARGEST_BUDGET);
  });

  test("the longest history of any US symbol over MCP", async () => {
    for (const { symbol } of listInstruments(service.market, "US").filter((_, i) => i % 40 === 0)) {
      const args = { country: "US", symbol, range: "max", fields: "ohlcv" };
      expect(await tokens("get_stock_price_history", args)).toBeLessThan(LARGEST_BUDGET);
    }
  });

  test("the longest history of a symbol whose prices have floating-point noise", async () => {
    const { market } = service;
    const bars = market.bars.series(
      market.instruments.find({ country: "US", symbol: "SPY" })?.id ?? 0,
      9_999,
    );
    const noisy = bars.dates.map((date, i) => {
      // As written by yfinance: single precision, printed as double.
      const close = Math.fround((bars.close[i] ?? 1) + 0.01);
      return flatBar(date, close);
    });
    market.transaction(() =>
      market.bars.replace(
        { country: "US", symbol: "SPY", bars: noisy },
        { source: "import", storedAt: 0 },
      ),
    );
    service.time.now += 60_000;
    const args = { country: "US", symbol: "SPY", range: "max", fields: "ohlcv" };
    const cost = await tokens("get_stock_price_history", args);
    expect(cost).toBeLessThan(LARGEST_BUDGET);
  });
});

test("the full daily series of a US ticker is one REST call", async () => {
  const path = "/data/stocks/AAPL/history?country=US&limit=100000";
  const { data } = (await (await service.request(path, token)).json()) as {
    data: { dates: string[]; closes: number[]; total: number; next_before: null };
  };
  expect([data.dates.length, data.closes.length]).toEqual([data.total, data.total]);
  // Ten years have some 2,520 sessions.
  expect(data.total).toBeGreaterThan(2_500);
  expect(data.next_before).toBeNull();
  const newest = (await (await service.request(path.replace("100000", "1"), token)).json()) as {
    data: { more: string };
  };
  expect(newest.data.more).toEndWith(`All at once: limit=${data.total}.`);
  const bars = (await (
    await service.request(`${path.replace("100000", "1")}&fields=ohlcv`, token)
  ).json()) as { data: { more: string } };
  expect(bars.data.more).toEndWith(`All at once, over REST only: limit=${data.total}.`);
});

describe("a truncated answer has the total and a way to get the rest", () => {
  const data = async (name: string, args: object) => {
    const { result } = await service.callTool(token, name, args);
    return (result?.structuredContent?.["data"] ?? {}) as Record<string, unknown>;
  };

  test("the calendar counts the events beyond the limit", async () => {
    const { events, summary } = await data("get_macro_calendar", { limit: 3 });
    expect(events).toHaveLength(3);
    expect((summary as { total: number }).total).toBeGreaterThan(3);
  });

  test("the list of symbols has a cursor to the next page", async () => {
    const { symbols, total, next_cursor } = await data("list_symbols", {});
    expect(symbols).toHaveLength(25);
    expect(total).toBeGreaterThan(25);
    expect(next_cursor).toBeString();
  });

  test("the price history has the date of the next page", async () => {
    const { dates, total, next_before } = await data("get_stock_price_history", {
      country: "US",
      symbol: "AAPL",
    });
    expect(total).toBeGreaterThan((dates as string[]).length);
    expect(next_before).toBe((dates as string[])[0]);
  });

  test("statements and forecasts count their periods and actions", async () => {
    const { periods, periods_total } = await data("get_stock_statements", {
      country: "US",
      symbol: "AAPL",
      type: "income",
      period: "quarterly",
      limit: 2,
    });
    expect(periods).toHaveLength(2);
    expect(periods_total).toBeGreaterThan(2);
    const { actions, actions_total } = await data("get_stock_forecast", {
      country: "US",
      symbol: "AAPL",
      limit: 1,
    });
    expect(actions).toHaveLength(1);
    expect(actions_total).toBeGreaterThan(1);
  });
});

test("a portfolio of ten holdings in three countries takes less than 600 tokens", async () => {
  const holdings =
    "US:AAPL=10,US:MSFT=5,US:NVDA=20,US:JPM=8,JP:7203=300,JP:6758=100,JP:9432=1000,VN:FPT=500,VN:VNM=1000,VN:HPG=2000";
  expect(await tokens("analyze_portfolio", { holdings })).toBeLessThan(600);
});
