import { afterAll, describe, expect, test } from "bun:test";
import type { PayloadOf } from "#operations/index.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { user, token } = service.createToken();
const { token: link } = service.accounts.createToken(user, "yahoo", null, "feed");

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
  const response = await service.request(path, token);
  const { data } = (await response.json()) as { data: PayloadOf<"get_stock_price_history"> };
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
