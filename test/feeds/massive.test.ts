import { afterAll, describe, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

const get = (path: string) =>
  fetch(`${service.origin}/feed/massive${path}`, { headers: { authorization: `Bearer ${link}` } });
const read = async <T>(path: string) => (await (await get(path)).json()) as T;

interface Bar {
  readonly t: number;
  readonly o: number;
  readonly h: number;
  readonly l: number;
  readonly c: number;
  readonly v: number;
}
interface Bars {
  readonly ticker: string;
  readonly adjusted: boolean;
  readonly resultsCount: number;
  readonly results?: readonly Bar[];
}

/** The bars of the operation: date, open, high, low, close, volume. */
async function history(country: string, symbol: string, query: string) {
  const path = `/data/stocks/${symbol}/history?country=${country}&fields=ohlcv&snapshot=false&${query}`;
  type History = { bars: { rows: [string, ...number[]][] } };
  return (await service.payload<History>(path, token)).bars.rows;
}

const rowsOf = ({ results = [] }: Bars, zone: string) =>
  results.map(({ t, o, h, l, c, v }) => [
    new Date(t).toLocaleDateString("sv-SE", { timeZone: zone }),
    o,
    h,
    l,
    c,
    v,
  ]);

describe("the bars of Massive", () => {
  const period = "2026-10-01/2026-11-13";

  test.each([
    ["AAPL", "US", "AAPL", "America/New_York"],
    ["7203.T", "JP", "7203", "Asia/Tokyo"],
    ["FPT.VN", "VN", "FPT", "Asia/Ho_Chi_Minh"],
  ])("of %s are those of get_stock_price_history at local midnight", async (...row) => {
    const [ticker, country, symbol, zone] = row;
    const bars = await read<Bars>(`/v2/aggs/ticker/${ticker}/range/1/day/${period}`);
    expect(bars).toMatchObject({ ticker, adjusted: true, status: "OK" });
    expect(rowsOf(bars, zone)).toEqual(
      await history(country, symbol, "from=2026-10-01&to=2026-11-13"),
    );
    for (const { t } of bars.results ?? [])
      expect(new Date(t).toLocaleTimeString("sv-SE", { timeZone: zone })).toBe("00:00:00");
  });

  test("are as traded with adjusted=false, newest first with sort=desc", async () => {
    const path = "/v2/aggs/ticker/AAPL/range/1/day/2020-08-24/2020-09-04?adjusted=false&sort=desc";
    const bars = await read<Bars>(path);
    const raw = await history("US", "AAPL", "from=2020-08-24&to=2020-09-04&adjust=none");
    expect(bars.adjusted).toBe(false);
    expect(rowsOf(bars, "America/New_York")).toEqual(raw.toReversed());
  });

  test("of a week begin on Sunday, of a month on the first", async () => {
    const days = async (span: string, count: number) => {
      const { results = [] } = await read<Bars>(
        `/v2/aggs/ticker/AAPL/range/1/${span}/2026-10-05/2026-10-30?limit=${count}`,
      );
      return results.map(({ t }) => new Date(t).toISOString());
    };
    // 4 October 2026 is a Sunday; New York is four hours behind UTC.
    expect(await days("week", 2)).toEqual(["2026-10-04T04:00:00.000Z", "2026-10-11T04:00:00.000Z"]);
    expect(await days("month", 1)).toEqual(["2026-10-01T04:00:00.000Z"]);
  });

  test("of the newest session, of a currency pair and an index have Massive's tickers", async () => {
    const [newest] = await history("JP", "7203", "limit=1");
    const { results } = await read<{ results: object[] }>("/v2/aggs/ticker/7203.T/prev");
    expect(results).toMatchObject([{ T: "7203.T", c: newest?.[4], v: newest?.[5] }]);
    expect(await read<Bars>("/v2/aggs/ticker/C:USDJPY/prev")).toMatchObject({ ticker: "C:USDJPY" });
    expect(await read<Bars>("/v2/aggs/ticker/I:SPX/prev")).toMatchObject({ ticker: "I:SPX" });
  });

  test("are none for an unknown ticker or a period without prices", async () => {
    for (const path of [`NONE1/range/1/day/${period}`, "AAPL/range/1/day/1990-01-01/1990-02-01"]) {
      const response = await get(`/v2/aggs/ticker/${path}`);
      const body = (await response.json()) as Bars;
      expect([response.status, body.resultsCount, body.results]).toEqual([200, 0, undefined]);
    }
  });
});

describe("the reference data of Massive", () => {
  test("has dividends as paid and in today's shares, and splits", async () => {
    const dividends = await read<{ results: object[] }>(
      "/v3/reference/dividends?ticker=AAPL&ex_dividend_date.gte=2020-06-01&ex_dividend_date.lt=2020-10-01&order=asc",
    );
    // Apple split 4:1 on 31 August 2020: 0.13 in today's shares was 0.52.
    expect(dividends.results).toMatchObject([
      { ex_dividend_date: "2020-06-16", cash_amount: 0.52, split_adjusted_cash_amount: 0.13 },
      { ex_dividend_date: "2020-09-16", cash_amount: 0.13, currency: "USD" },
    ]);
    expect(
      (await read<{ results: object[] }>("/v3/reference/splits?ticker=AAPL")).results,
    ).toMatchObject([{ execution_date: "2020-08-31", split_from: 1, split_to: 4, ticker: "AAPL" }]);
    expect(await read<object>("/v3/reference/splits?ticker=NONE1")).toMatchObject({ results: [] });
  });

  test("finds tickers by name, symbol and market", async () => {
    const search = async (query: string) =>
      (await read<{ results: object[] }>(`/v3/reference/tickers?${query}`)).results;
    expect((await search("search=toyota"))[0]).toMatchObject({
      ticker: "7203.T",
      primary_exchange: "XJPX",
      currency_name: "jpy",
      market: "stocks",
      locale: "global",
    });
    expect(await search("ticker=FPT.VN")).toMatchObject([{ ticker: "FPT.VN" }]);
    for (const one of await search("market=fx&limit=5"))
      expect(one).toMatchObject({ market: "fx", ticker: expect.stringMatching(/^C:[A-Z]{6}$/) });
    expect(await search("limit=150")).toHaveLength(150);
    expect(await search("ticker=NONE1")).toEqual([]);
  });

  test("describes a company with the figures of compare_stocks", async () => {
    const path = "/data/stocks/compare?symbols=US:AAPL&metrics=market_cap,shares_outstanding";
    const { data } = (await (await service.request(path, token)).json()) as {
      data: { rows: number[][] };
    };
    const [cap, shares] = data.rows[0]?.slice(5) ?? [];
    const { results } = await read<{ results: object }>("/v3/reference/tickers/AAPL");
    expect(results).toMatchObject({
      ticker: "AAPL",
      name: "Apple Inc.",
      market_cap: cap,
      weighted_shares_outstanding: shares,
    });
    // The operations name a share's country, and the US and Viet Nam have several exchanges.
    expect(results).not.toHaveProperty("primary_exchange");
  });

  test("has Massive's form of an error", async () => {
    for (const [path, status, body] of [
      ["/v3/reference/tickers/NONE1", 404, { status: "NOT_FOUND", message: "Ticker not found." }],
      [
        "/v2/aggs/ticker/AAPL/range/5/minute/2026-11-02/2026-11-03",
        400,
        { status: "ERROR", error: expect.stringContaining("not of 5 minute") },
      ],
      [
        "/v3/reference/splits",
        400,
        { status: "ERROR", error: expect.stringContaining("ticker is missing") },
      ],
    ] as const) {
      const response = await get(path);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject(body);
    }
  });
});

test("one session is the one of get_stock_price_history; a day without one is not found", async () => {
  const path = "/data/stocks/AAPL/history?country=US&from=2026-11-18&to=2026-11-18&fields=ohlcv";
  const { data } = (await (await service.request(path, token)).json()) as {
    data: { bars: { columns: string[]; rows: (string | number)[][] } };
  };
  const [[, open, high, low, close, volume] = []] = data.bars.rows;
  const day = await fetch(`${service.origin}/feed/${link}/massive/v1/open-close/AAPL/2026-11-18`);
  const prices = { open, high, low, close, volume };
  expect(await day.json()).toEqual({ status: "OK", from: "2026-11-18", symbol: "AAPL", ...prices });
  // A Sunday, and a ticker that no country has.
  for (const asked of ["AAPL/2026-11-15", "NONE1/2026-11-18"]) {
    const none = await fetch(`${service.origin}/feed/${link}/massive/v1/open-close/${asked}`);
    expect([none.status, await none.json()]).toMatchObject([404, { status: "NOT_FOUND" }]);
  }
});

test("the types of tickers are a list, not a ticker", async () => {
  const { results } = await read<{ results: { code: string }[] }>("/v3/reference/tickers/types");
  expect(results.map(({ code }) => code)).toEqual(["CS", "ETF", "INDEX"]);
});
