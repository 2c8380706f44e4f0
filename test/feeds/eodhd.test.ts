import { afterAll, describe, expect, test } from "bun:test";
import { bar } from "../exports/split-share.ts";
import { SAMPLE, stock } from "../support/market.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

const get = (path: string) => fetch(`${service.origin}/feed/eodhd/api/${path}&api_token=${link}`);
const read = async <T>(path: string) => (await (await get(`${path}&fmt=json`)).json()) as T;
const rest = <T>(path: string) => service.payload<T>(path, token);

interface Entry {
  readonly Code: string;
  readonly Exchange: string;
  readonly Type: string;
}

describe("the exchanges of EODHD", () => {
  test.each([
    ["US", "US"],
    ["TSE", "JP"],
    ["VN", "VN"],
  ])("%s lists all shares of %s, beyond a page", async (exchange, country) => {
    const entries = await read<Entry[]>(`exchange-symbol-list/${exchange}?`);
    const totals = await Promise.all(
      ["stock", "reit", "etf"].map((type) =>
        rest<{ total: number }>(`/data/symbols?country=${country}&type=${type}&limit=1`),
      ),
    );
    expect(entries).toHaveLength(totals.reduce((sum, { total }) => sum + total, 0));
    expect(new Set(entries.map(({ Exchange }) => Exchange))).toEqual(new Set([exchange]));
    const funds = await read<Entry[]>(`exchange-symbol-list/${exchange}?type=etf`);
    expect(funds).toEqual(entries.filter(({ Type }) => Type === "ETF"));
  });

  test("are listed, with those of indices, currencies and commodities", async () => {
    const codes = (await read<Entry[]>("exchanges-list/?")).map(({ Code }) => Code);
    expect(codes).toEqual(["US", "TSE", "VN", "INDX", "FOREX", "CC", "COMM"]);
    const pairs = await read<Entry[]>("exchange-symbol-list/forex?");
    expect(pairs.map(({ Code }) => Code)).toContain("USDJPY");
    const unknown = await get("exchange-symbol-list/XETRA?");
    expect([unknown.status, await unknown.text()]).toEqual([
      404,
      "There is no such exchange; there are US, TSE, VN, INDX, FOREX, CC, COMM.",
    ]);
  });
});

test("unknown symbols alone are 404, and beside known ones left out in bulk", async () => {
  expect((await get("real-time/NONE1.US?s=NONE2.US")).status).toBe(404);
  const bulk = "eod-bulk-last-day/TSE?fmt=json&symbols=7203,NONE1";
  expect(await read<object[]>(bulk)).toEqual([expect.objectContaining({ code: "7203" })]);
  expect((await get("eod-bulk-last-day/TSE?symbols=NONE1,NONE2")).status).toBe(404);
  // A class of shares is no exchange.
  const classes = await read<{ code: string }[]>("eod-bulk-last-day/US?symbols=BRK.B,AAPL.US");
  expect(classes.map(({ code }) => code)).toEqual(["BRK.B", "AAPL"]);
});

describe("the newest session in bulk", () => {
  test("has the bars of get_stock_price_history for the given symbols", async () => {
    const rows = await read<object[]>("eod-bulk-last-day/TSE?symbols=7203,6758.TSE");
    const expected = await Promise.all(
      ["7203", "6758"].map(async (code) => {
        const path = `/data/stocks/${code}/history?country=JP&limit=1&fields=ohlcv&snapshot=false`;
        const { bars } = await rest<{ bars: { rows: (string | number)[][] } }>(path);
        const [date, open, high, low, close, volume] = bars.rows[0] ?? [];
        const prices = { open, high, low, close, adjusted_close: close, volume };
        return { code, exchange_short_name: "TSE", date, ...prices };
      }),
    );
    expect(rows).toEqual(expected);
  });

  test("has the dividends and splits of a day", async () => {
    // Apple split 4:1 on 31 August 2020.
    const day = "symbols=AAPL&date=2020-08-31";
    expect(await read<object[]>(`eod-bulk-last-day/US?type=splits&${day}`)).toEqual([
      { code: "AAPL", exchange: "US", date: "2020-08-31", split: "4.000000/1.000000" },
    ]);
    expect(await read<object[]>(`eod-bulk-last-day/US?type=dividends&${day}`)).toEqual([]);
  });

  test("has the closes of a whole exchange, and nothing that is not known", async () => {
    const rows = await read<Record<string, unknown>[]>("eod-bulk-last-day/VN?");
    const { symbols } = await rest<{ symbols: { symbol: string; price: number }[] }>(
      "/data/symbols?country=VN&query=FPT&limit=1",
    );
    const [fpt] = symbols;
    expect(rows.find(({ code }) => code === "FPT")).toEqual({
      code: "FPT",
      exchange_short_name: "VN",
      date: "2026-11-20",
      open: null,
      high: null,
      low: null,
      close: fpt?.price,
      adjusted_close: fpt?.price,
      volume: null,
    });
    const halted = { country: "VN", symbol: "HALT" } as const;
    service.market.put("instruments", [stock("VN", "HALT", { currency: "VND" })], SAMPLE);
    service.market.put("bars", [{ ...halted, bars: [bar("2026-10-02", 12_000)] }], SAMPLE);
    service.time.now += 31_000;
    const later = await read<Record<string, unknown>[]>("eod-bulk-last-day/VN?");
    expect(later.find(({ code }) => code === "HALT")).toMatchObject({
      date: "2026-10-02",
      close: 12_000,
    });
    const refused = await get("eod-bulk-last-day/VN?date=2026-11-18");
    expect([refused.status, await refused.text()]).toEqual([
      400,
      "date and type need symbols: the service has the newest close of a whole exchange.",
    ]);
  });
});

test("the user has the calls of the link, which every call changes", async () => {
  const before = await read<{ apiRequests: number }>("user?");
  expect(await read<object>("user?")).toMatchObject({
    apiRequests: before.apiRequests + 1,
    dailyRateLimit: 50_000,
    subscriptionType: "max",
  });
});

test("dividends and splits have the exact amounts of the operation; a period that is none is refused", async () => {
  const path = "/data/stocks/AAPL/history?country=US&limit=1&dividends=true&snapshot=false";
  const { dividends } = await rest<{ dividends: { rows: [string, number][] } }>(path);
  const rows =
    await read<{ date: string; value: number; unadjustedValue: number }[]>("div/AAPL.US?");
  expect(rows.map(({ date, value }) => [date, value])).toEqual(dividends.rows);
  // Apple split 4:1 on 31 August 2020.
  const june = rows.find(({ date }) => date === "2020-06-16");
  expect(june).toMatchObject({ value: 0.13, unadjustedValue: 0.52 });
  expect(await read<object[]>("splits/AAPL.US?from=2020-08-31&to=2020-08-31")).toEqual([
    { date: "2020-08-31", split: "4.000000/1.000000" },
  ]);
  for (const path of ["div/AAPL.US?from=2026-13-45", "splits/AAPL.US?to=soon"])
    expect((await get(path)).status).toBe(400);
});

test("the newest session of a currency pair ends at midnight UTC, that of an index with its exchange", async () => {
  const timeOf = async (symbol: string) =>
    (await read<{ timestamp: number }>(`real-time/${symbol}?`)).timestamp % 86_400;
  expect(await timeOf("USDJPY.FOREX")).toBe(0);
  // Tokyo closes at 15:30, nine hours ahead of UTC.
  expect(await timeOf("N225.INDX")).toBe(6.5 * 3600);
});

test("an index pays no dividends: its adjusted closes are its closes", async () => {
  type Bar = { close: number; adjusted_close: number | null };
  const bars = await read<Bar[]>("eod/N225.INDX?");
  expect(bars.length).toBeGreaterThan(50);
  expect(bars.map((bar) => bar.adjusted_close)).toEqual(bars.map(({ close }) => close));
});

test("an unknown symbol among several leaves the others their figures", async () => {
  const alone = await read<object>("real-time/MSFT.US?");
  const quotes = await read<object[]>("real-time/NONE1.US?s=MSFT.US,NONE2.US");
  const unknown = { timestamp: null, close: null, previousClose: null, change_p: null };
  expect(quotes).toMatchObject([
    { code: "NONE1.US", ...unknown },
    alone,
    { code: "NONE2.US", ...unknown },
  ]);
  expect((await get("real-time/NONE1.US?")).status).toBe(404);
  const bulk = await read<{ code: string }[]>("eod-bulk-last-day/US?symbols=NONE1,MSFT");
  expect(bulk.map(({ code }) => code)).toEqual(["MSFT"]);
});
