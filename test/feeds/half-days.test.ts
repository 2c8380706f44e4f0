import { afterAll, expect, test } from "bun:test";
import { SAMPLE } from "#sample/stamp.ts";
import { startService } from "../support/service.ts";

// NYSE closes at 13:00 on 27 November 2026, the day after Thanksgiving: 18:00 UTC. It opens at 9:30, 14:30 UTC.
const OPENED = Date.parse("2026-11-27T14:30:00Z") / 1000;
const CLOSED = Date.parse("2026-11-27T18:00:00Z") / 1000;

const service = await startService({ oneNode: true });
afterAll(() => service.stop());
const { link } = service.createFeedLink();

const instrument = service.market.instruments.find({ country: "US", symbol: "AAPL" });
const { dates, open, high, low, close, volume } = service.market.bars.series(
  instrument?.id ?? 0,
  300,
);
const bars = dates.map((date, i) => ({
  date,
  open: open[i] ?? 0,
  high: high[i] ?? 0,
  low: low[i] ?? 0,
  close: close[i] ?? 0,
  volume: volume[i] ?? null,
}));
const [newest] = bars.slice(-1);
if (!newest) throw new Error("no bars");
bars.push({ ...newest, date: "2026-11-27" });
service.market.bars.replace(
  { country: "US", symbol: "AAPL", bars },
  { source: SAMPLE, storedAt: OPENED * 1000 },
);

async function read<T>(path: string, at: string): Promise<T> {
  service.time.now = Date.parse(at);
  return (await (await fetch(`${service.origin}/feed/${link}/${path}`)).json()) as T;
}

/** When the newest price was made, by each layer that states it. */
async function timesOf(at: string) {
  const { chart } = await read<{ chart: { result: [{ meta: Record<string, unknown> }] } }>(
    "yahoo/v8/finance/chart/AAPL?range=5d",
    at,
  );
  const { regularMarketTime, currentTradingPeriod } = chart.result[0].meta;
  const { timestamp } = await read<{ timestamp: number }>("eodhd/api/real-time/AAPL.US", at);
  return { regularMarketTime, currentTradingPeriod, timestamp };
}

test("a session with an early close ends with it, in every layer", async () => {
  // The next day, and at 16:30 in New York.
  for (const at of ["2026-11-28T12:00:00Z", "2026-11-27T21:30:00Z"]) {
    expect(await timesOf(at)).toMatchObject({
      regularMarketTime: CLOSED,
      currentTradingPeriod: { regular: { start: OPENED, end: CLOSED } },
      timestamp: CLOSED,
    });
  }
  // At noon, the price is of noon.
  const noon = "2026-11-27T17:00:00Z";
  expect(await timesOf(noon)).toMatchObject({
    regularMarketTime: Date.parse(noon) / 1000,
    currentTradingPeriod: { regular: { start: OPENED, end: CLOSED } },
    timestamp: Date.parse(noon) / 1000,
  });
});

test("the exchange is closed after an early close", async () => {
  const isOpen = async (at: string) =>
    (await read<{ is_market_open: boolean }>("twelvedata/quote?symbol=AAPL", at)).is_market_open;
  expect(await isOpen("2026-11-27T17:59:00Z")).toBe(true);
  expect(await isOpen("2026-11-27T18:00:00Z")).toBe(false);
});

test("Massive's form names the days that are closed and the days that end early", async () => {
  const path = "massive/v1/marketstatus";
  const days = await read<object[]>(`${path}/upcoming`, "2026-11-20T17:30:00Z");
  expect(days.slice(0, 4)).toEqual([
    { exchange: "NYSE", date: "2026-11-26", name: "Thanksgiving Day", status: "closed" },
    { exchange: "NASDAQ", date: "2026-11-26", name: "Thanksgiving Day", status: "closed" },
    ...["NYSE", "NASDAQ"].map((exchange) => ({
      exchange,
      date: "2026-11-27",
      name: "Day after Thanksgiving",
      status: "early-close",
      open: new Date(OPENED * 1000).toISOString(),
      close: new Date(CLOSED * 1000).toISOString(),
    })),
  ]);
  for (const [at, market, fx] of [
    ["2026-11-27T17:59:00Z", "open", "open"],
    ["2026-11-27T18:00:00Z", "closed", "open"],
    // Currencies end their week at 17:00 in New York.
    ["2026-11-27T22:00:00Z", "closed", "closed"],
  ] as const) {
    expect(await read<object>(`${path}/now`, at)).toEqual({
      market,
      exchanges: { nyse: market, nasdaq: market, otc: market },
      currencies: { fx, crypto: "open" },
      serverTime: new Date(at).toISOString(),
    });
  }
});

test("Alpha Vantage's form has the hours of an early close on its day", async () => {
  const statusAt = async (at: string) => {
    const path = "alphavantage/query?function=MARKET_STATUS";
    const { markets } = await read<{ markets: Record<string, string>[] }>(path, at);
    return markets.map((one) => [one["region"], one["local_close"], one["current_status"]]);
  };
  // 18:00 UTC is 1:00 or 3:00 of the next day in Viet Nam and Japan.
  const others = [
    ["Japan", "15:30", "closed"],
    ["Viet Nam", "14:45", "closed"],
  ];
  expect(await statusAt("2026-11-27T17:59:00Z")).toEqual([
    ["United States", "13:00", "open"],
    ...others,
  ]);
  expect(await statusAt("2026-11-27T18:00:00Z")).toEqual([
    ["United States", "13:00", "closed"],
    ...others,
  ]);
  expect((await statusAt("2026-11-20T17:30:00Z"))[0]).toEqual(["United States", "16:00", "open"]);
});

test("a future has no hours of an exchange: its sessions are days in UTC, in every layer", async () => {
  const at = "2026-11-28T12:00:00Z";
  const { chart } = await read<{ chart: { result: [{ meta: Record<string, unknown> }] } }>(
    "yahoo/v8/finance/chart/GC=F?range=5d",
    at,
  );
  const { regularMarketTime, exchangeTimezoneName } = chart.result[0].meta;
  const { timestamp } = await read<{ timestamp: number }>("eodhd/api/real-time/GC.COMM", at);
  // The newest session is 19 November.
  const end = Date.parse("2026-11-20") / 1000;
  expect([regularMarketTime, exchangeTimezoneName, timestamp]).toEqual([end, "UTC", end]);
  const quote = await read<Record<string, unknown>>("twelvedata/quote?symbol=GC=F", at);
  expect([quote["timestamp"], quote["is_market_open"]]).toEqual([end - 86_400, null]);
  expect(await read<object>("udf/symbols?symbol=GC=F", at)).toMatchObject({ session: "24x7" });
  const { quoteResponse } = await read<{ quoteResponse: { result: [{ market: string }] } }>(
    "yahoo/v7/finance/quote?symbols=GC=F",
    at,
  );
  expect(quoteResponse.result[0].market).toBe("us24_market");
});

test("UDF names the days that are closed and the days that end early", async () => {
  // Thanksgiving and Christmas, and 24 December, a Thursday, with an early close.
  expect(await read<object>("udf/symbols?symbol=US:AAPL", "2026-11-20T17:30:00Z")).toMatchObject({
    session: "0930-1600",
    session_holidays: expect.stringMatching(/^20261126,20261225,20270101,/),
    corrections: "0930-1300:20261127,20261224",
  });
  // Tokyo has holidays and no early closes, a currency pair neither.
  const tokyo = await read<object>("udf/symbols?symbol=7203.T", "2026-11-20T17:30:00Z");
  expect(tokyo).toMatchObject({ session_holidays: expect.stringMatching(/^20261123,/) });
  expect(tokyo).not.toHaveProperty("corrections");
  const pair = await read<object>("udf/symbols?symbol=USD/JPY", "2026-11-20T17:30:00Z");
  expect(pair).not.toHaveProperty("session_holidays");
});
