import { afterAll, describe, expect, test } from "bun:test";
import type { PayloadOf } from "#operations/index.ts";
import { instrument, SAMPLE } from "../support/market.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

interface Chart {
  readonly meta: object;
  readonly timestamp?: number[];
  readonly indicators: {
    readonly quote: [Record<string, unknown[]>];
    readonly adjclose: [{ readonly adjclose: unknown[] }];
  };
  readonly events: {
    readonly splits: Record<string, object>;
    readonly dividends: Record<string, { amount: number }>;
  };
}

async function chart(path: string) {
  const response = await fetch(`${service.origin}/feed/${link}/yahoo/v8/finance/chart/${path}`);
  const body = (await response.json()) as {
    chart: { result: [Chart] | null; error: { code: string; description: string } | null };
  };
  return { status: response.status, ...body.chart };
}

/** The only result of a chart. */
async function result(path: string): Promise<Chart> {
  const { result: results } = await chart(path);
  if (!results) throw new Error(`no chart for ${path}`);
  return results[0];
}

async function history(country: string, symbol: string, query: string) {
  const path = `/data/stocks/${symbol}/history?country=${country}&fields=ohlcv&${query}`;
  const data = await service.payload<PayloadOf<"get_stock_price_history">>(path, token);
  const { columns = [], rows = [] } = data.bars ?? {};
  const column = (name: string) => rows.map((row) => row[columns.indexOf(name)]);
  return { data, column };
}

describe("the chart of Yahoo", () => {
  test.each([
    ["AAPL", "US", "AAPL", "1mo", "1d", "range=1m"],
    ["7203.T", "JP", "7203", "1y", "1wk", "range=1y&interval=1wk"],
    ["FPT.VN", "VN", "FPT", "2y", "1mo", "range=2y&interval=1mo"],
    ["^N225", "JP", "^N225", "5d", "1d", "limit=5&snapshot=false"],
  ])("of %s has the figures of get_stock_price_history", async (...row) => {
    const [written, country, symbol, range, interval, query] = row;
    const found = await result(`${written}?range=${range}&interval=${interval}`);
    const { data, column } = await history(country, symbol, query);
    const [quote] = found.indicators.quote;
    for (const name of ["open", "high", "low", "close", "volume"])
      expect(quote[name]).toEqual(column(name));
    expect(found.timestamp).toHaveLength(column("date").length);
    expect(found.meta).toMatchObject({ currency: data.currency, longName: data.name, range });
  });

  test("says when trading began: the open of the first stored session", async () => {
    const { meta } = await result("7203.T?range=5d");
    const toyota = service.market.instruments.find({ country: "JP", symbol: "7203" });
    const { dates } = service.market.bars.series(toyota?.id ?? 0, 99_999, { from: "1900-01-01" });
    // 9:00 in Tokyo is midnight UTC.
    expect(meta).toMatchObject({ firstTradeDate: Date.parse(dates[0] ?? "") / 1000 });
  });

  test("has sessions at their opening, weeks at their Monday, months at their first day", async () => {
    // New York has summer time until 1 November 2026: 9:30 is 13:30 UTC, then 14:30.
    const period = `period1=${Date.parse("2026-10-30") / 1000}&period2=${Date.parse("2026-11-04") / 1000}`;
    const at = async (interval: string) =>
      (await result(`AAPL?${period}&interval=${interval}`)).timestamp?.map((second: number) =>
        new Date(second * 1000).toISOString(),
      );
    expect(await at("1d")).toEqual([
      "2026-10-30T13:30:00.000Z",
      "2026-11-02T14:30:00.000Z",
      "2026-11-03T14:30:00.000Z",
    ]);
    expect(await at("1wk")).toEqual(["2026-11-02T14:30:00.000Z"]);
  });

  test("has dividends and splits by the second of their session", async () => {
    const { events } = await result("AAPL?range=10y&events=div%7Csplit");
    const second = Date.parse("2020-08-31T13:30:00Z") / 1000;
    expect(events.splits[second]).toEqual({
      date: second,
      numerator: 4,
      denominator: 1,
      splitRatio: "4:1",
    });
    const { data } = await history("US", "AAPL", "range=10y&dividends=true");
    const amounts = Object.values(events.dividends).map(({ amount }) => amount);
    expect(amounts).toEqual((data.dividends?.rows ?? []).map(([, amount]) => Number(amount)));
  });

  test("has only events of its sessions, because yfinance adds a row for any other", async () => {
    // Apple pays in September and December; the newest session is 2026-11-19.
    expect((await result("AAPL?range=5d&events=div,splits")).events).toBeUndefined();
    const { events, timestamp } = await result("AAPL?range=60d&events=div,splits");
    expect(Object.keys(events.dividends)).toHaveLength(1);
    expect(timestamp).toContain(Number(Object.keys(events.dividends)[0]));
  });

  test("has the closes of an index as adjusted ones, because an index pays no dividends", async () => {
    const { indicators } = await result("^N225?range=5d");
    expect(indicators.adjclose[0].adjclose).toEqual(indicators.quote[0]["close"] ?? []);
    expect(indicators.adjclose[0].adjclose).toHaveLength(5);
  });

  test("has Yahoo's form of an error for an unknown symbol, an interval, a range and a path", async () => {
    for (const [path, status, code, words] of [
      ["NONE1?range=1y", 404, "Not Found", "Not found"],
      ["AAPL?range=1y&interval=5m", 400, "Bad Request", "no intraday bars"],
      ["AAPL?range=7y", 400, "Bad Request", "range must be one of 1d"],
      ["AAPL?period1=yesterday", 400, "Bad Request", "seconds since 1970"],
      ["AAPL/x", 404, "Not Found", "has no such path"],
    ] as const) {
      const failed = await chart(path);
      expect([failed.status, failed.result, failed.error?.code]).toEqual([status, null, code]);
      expect(failed.error?.description).toContain(words);
    }
  });
});

interface Quote extends Readonly<Record<string, unknown>> {
  readonly symbol: string;
}

const read = async <T>(path: string) =>
  (await (await fetch(`${service.origin}/feed/${link}/yahoo/${path}`)).json()) as T;

async function quotes(symbols: string): Promise<Quote[]> {
  const path = `v7/finance/quote?symbols=${symbols}&crumb=bourse`;
  return (await read<{ quoteResponse: { result: Quote[] } }>(path)).quoteResponse.result;
}

async function summary(symbol: string, modules: string) {
  const path = `v10/finance/quoteSummary/${symbol}?formatted=false&modules=${modules}`;
  type Module = Readonly<Record<string, unknown>>;
  const { quoteSummary } = await read<{
    quoteSummary: { result: [Readonly<Record<string, Module>>] };
  }>(path);
  return quoteSummary.result[0];
}

/** The figures of an instrument as `compare_stocks` gives them. */
async function compare(symbol: string, metrics: string) {
  const path = `/data/stocks/compare?symbols=${symbol}&metrics=${metrics}`;
  const { data } = (await (await service.request(path, token)).json()) as {
    data: { columns: string[]; rows: (number | null)[][] };
  };
  return (name: string) => data.rows[0]?.[data.columns.indexOf(name)] ?? null;
}

describe("the quotes of Yahoo", () => {
  test("have the figures of the comparison and the newest session, in the order of the symbols", async () => {
    const found = await quotes("7203.T,NONE1,AAPL,7203.T,%5EGSPC,JPY=X,BTC-USD,GC=F");
    expect(found.map(({ symbol, quoteType, currency }) => [symbol, quoteType, currency])).toEqual([
      ["7203.T", "EQUITY", "JPY"],
      ["AAPL", "EQUITY", "USD"],
      ["^GSPC", "INDEX", "USD"],
      ["JPY=X", "CURRENCY", "JPY"],
      ["BTC-USD", "CRYPTOCURRENCY", "USD"],
      ["GC=F", "FUTURE", "USD"],
    ]);
    const figure = await compare("JP:7203", "price,pe,market_cap,dividend_yield,high_52w");
    const { column } = await history("JP", "7203", "limit=2&snapshot=false");
    const [before, close] = column("close").map(Number) as [number, number];
    const [toyota, apple] = found;
    expect(toyota).toMatchObject({
      regularMarketPrice: figure("price"),
      trailingPE: figure("pe"),
      marketCap: figure("market_cap"),
      fiftyTwoWeekHigh: figure("high_52w"),
      trailingAnnualDividendYield: Number(((figure("dividend_yield") ?? 0) / 100).toFixed(6)),
      regularMarketPreviousClose: before,
      regularMarketChange: close - before,
      regularMarketChangePercent: Number(((close / before - 1) * 100).toFixed(6)),
      regularMarketVolume: column("volume")[1],
      // Tokyo closes at 15:30, nine hours ahead of UTC.
      regularMarketTime: Date.parse("2026-11-20T06:30:00Z") / 1000,
      marketState: "CLOSED",
    });
    expect(apple).toMatchObject({
      marketState: "REGULAR",
      exchangeTimezoneName: "America/New_York",
    });
    // A pair has no company's figures, and unknown ones are left out.
    expect(found[3]).not.toHaveProperty("marketCap");
    expect(JSON.stringify(found)).not.toContain("null");
    expect(await quotes("NONE1")).toEqual([]);
  });

  test("of a session without a bar have its price, and the change only where the close before is known", async () => {
    const stock = service.market.instruments.find({ country: "US", symbol: "MSFT" });
    const close = service.market.bars.series(stock?.id ?? 0, 1).close[0] ?? 0;
    const { time } = service;
    const began = time.now;
    const quoteAfter = async (previousClose: number) => {
      const session = { country: "US", symbol: "MSFT", date: "2026-11-20", price: 540 } as const;
      const unknown = { volume: null, marketCap: null, epsTtm: null, priceToBook: null };
      const quote = { ...session, ...unknown, previousClose, dividendYieldPercent: null };
      service.market.put("quotes", [quote], { source: "sample", storedAt: time.now });
      // Answers are cached for 30 seconds.
      time.now += 31_000;
      return (await quotes("MSFT"))[0];
    };
    const next = await quoteAfter(close);
    expect(next).toMatchObject({
      regularMarketPrice: 540,
      regularMarketTime: time.now / 1000,
      regularMarketPreviousClose: close,
      regularMarketChange: Number((540 - close).toFixed(6)),
    });
    expect(next).not.toHaveProperty("regularMarketOpen");
    // Another session was between the newest bar and this price.
    const later = await quoteAfter(close + 20);
    expect(later).toMatchObject({
      regularMarketChangePercent: Number(((540 / (close + 20) - 1) * 100).toFixed(2)),
    });
    expect(later).not.toHaveProperty("regularMarketPreviousClose");
    time.now = began;
  });

  test("have ranges of prices without an exponent", async () => {
    const { market } = service;
    const key = { country: "US", symbol: "TINY-USD" } as const;
    market.put(
      "instruments",
      [instrument("US", key.symbol, { assetType: "cryptocurrency" })],
      SAMPLE,
    );
    const prices = { open: 4.4e-7, high: 4.5e-7, low: 4.3e-7, close: 4.4e-7 };
    market.put("bars", [{ ...key, bars: [{ date: "2026-11-19", volume: 10, ...prices }] }], SAMPLE);
    const [quote] = await quotes("TINY-USD");
    expect(quote).toMatchObject({ regularMarketDayRange: "0.00000043 - 0.00000045" });
  });

  test("have a summary by module, in Yahoo's units", async () => {
    const metrics = "net_margin,debt_to_equity,return_1y,revenue,total_debt,pe,rating";
    const figure = await compare("JP:7203", metrics);
    const { financialData, defaultKeyStatistics, summaryDetail, assetProfile, ...others } =
      await summary(
        "7203.T",
        "financialData,defaultKeyStatistics,summaryDetail,assetProfile,secFilings",
      );
    expect(others).toEqual({});
    expect(financialData).toMatchObject({
      totalRevenue: figure("revenue"),
      totalDebt: figure("total_debt"),
      // Ratios, and the one that Yahoo has in percent.
      profitMargins: Number(((figure("net_margin") ?? 0) / 100).toPrecision(12)),
      debtToEquity: Number(((figure("debt_to_equity") ?? 0) * 100).toPrecision(12)),
      recommendationMean: figure("rating"),
      financialCurrency: "JPY",
    });
    expect(defaultKeyStatistics).toMatchObject({
      "52WeekChange": Number(((figure("return_1y") ?? 0) / 100).toPrecision(12)),
    });
    expect(summaryDetail).toMatchObject({ trailingPE: figure("pe"), currency: "JPY" });
    expect(assetProfile).toMatchObject({ country: "Japan", sector: "Consumer Cyclical" });
    // Yahoo wraps numbers if it is not told otherwise.
    const wrapped = await read<{ quoteSummary: { result: [{ price: Record<string, unknown> }] } }>(
      "v10/finance/quoteSummary/7203.T?modules=price",
    );
    const { regularMarketPrice } = wrapped.quoteSummary.result[0].price;
    const price = await compare("JP:7203", "price");
    expect(regularMarketPrice).toEqual({ raw: price("price"), fmt: String(price("price")) });
  });

  test("have the reports, the ratings and the next events of a company", async () => {
    const modules = "earningsHistory,recommendationTrend,calendarEvents";
    const { earningsHistory, recommendationTrend, calendarEvents } = await summary("AAPL", modules);
    const path = "/data/stocks/AAPL/forecast?country=US&sections=surprises,rating_trend&limit=4";
    const { data } = (await (await service.request(path, token)).json()) as {
      data: PayloadOf<"get_stock_forecast">;
    };
    const history = earningsHistory?.["history"] as { epsActual: number; quarter: number }[];
    expect(history.map(({ epsActual }) => epsActual)).toEqual(
      (data.surprises ?? []).map(({ eps_actual }) => eps_actual).toReversed(),
    );
    const quarters = history.map(({ quarter }) => new Date(quarter * 1000).toISOString());
    expect(quarters.at(-1)).toBe("2026-09-30T00:00:00.000Z");
    expect(recommendationTrend?.["trend"]).toMatchObject([
      { period: "0m", strongBuy: data.rating_trend?.[0]?.strong_buy },
      { period: "-1m", strongBuy: data.rating_trend?.[1]?.strong_buy },
      { period: "-2m" },
      { period: "-3m" },
    ]);
    const earnings = "/data/earnings/calendar?tickers=AAPL";
    const { data: next } = (await (await service.request(earnings, token)).json()) as {
      data: PayloadOf<"get_earnings_calendar">;
    };
    expect(calendarEvents?.["earnings"]).toMatchObject({
      earningsDate: [Date.parse(next.earnings[0]?.date ?? "") / 1000],
      earningsAverage: next.earnings[0]?.eps_estimate,
    });
    // Report dates of other countries, and forecasts of an index, are not known.
    const tokyo = await summary("7203.T", "calendarEvents");
    expect(tokyo["calendarEvents"]?.["earnings"]).toEqual({
      earningsDate: [],
      earningsCallDate: [],
    });
    const index = await summary("%5EGSPC", "financialData,earningsHistory");
    expect(index["financialData"]).toMatchObject({ recommendationKey: "none" });
    expect(index["earningsHistory"]?.["history"]).toEqual([]);
  });

  test("have a search, a cookie and a crumb", async () => {
    const { quotes: found } = await read<{ quotes: object[] }>("v1/finance/search?q=toyota");
    expect(found[0]).toMatchObject({ symbol: "7203.T", quoteType: "EQUITY", exchange: "JPX" });
    expect(await read<object>("v1/finance/search?q=toyota&quotesCount=0")).toMatchObject({
      count: 0,
      quotes: [],
    });
    // The cookie belongs to the path of the page, and holds nothing.
    const page = await fetch(`${service.origin}/feed/${link}/yahoo/quote/AAPL`);
    expect(page.headers.get("set-cookie")).toBe("A3=bourse; HttpOnly; SameSite=Strict");
    const crumb = await fetch(`${service.origin}/feed/${link}/yahoo/v1/test/getcrumb`);
    expect([await crumb.text(), crumb.headers.get("set-cookie")]).toEqual(["bourse", null]);
    // Neither opens anything without a feed link.
    const headers = { cookie: "A3=bourse" };
    const without = `${service.origin}/feed/yahoo/v7/finance/quote?symbols=AAPL&crumb=bourse`;
    expect((await fetch(without, { headers })).status).toBe(401);
  });

  test("have Yahoo's form of an error", async () => {
    for (const [path, status, root, words] of [
      ["v7/finance/quote?crumb=x", 400, "finance", "symbols is missing"],
      ["v1/finance/search", 400, "finance", "q is missing"],
      ["v10/finance/quoteSummary/NONE1?modules=price", 404, "quoteSummary", "Not found"],
      ["v10/finance/quoteSummary/AAPL?modules=secFilings", 404, "quoteSummary", "there are price,"],
      ["v7/finance/options/AAPL", 404, "finance", "has no such path"],
    ] as const) {
      const response = await fetch(`${service.origin}/feed/${link}/yahoo/${path}`);
      const body = (await response.json()) as Record<string, { error: { description: string } }>;
      expect([response.status, Object.keys(body)]).toEqual([status, [root]]);
      expect(body[root]?.error.description).toContain(words);
    }
  });
});
