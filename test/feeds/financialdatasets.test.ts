import { afterAll, describe, expect, test } from "bun:test";
import { START, startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

const headers = { "x-api-key": link, "content-type": "application/json" };
const base = `${service.origin}/feed/financialdatasets`;
const get = (path: string) => fetch(base + path, { headers });
const read = async <T>(path: string) => (await (await get(path)).json()) as T;

type Row = Readonly<Record<string, string | number | null>>;
const list = async (path: string) =>
  Object.values(await read<Record<string, Row[]>>(path))[0] ?? [];

async function search(body: object): Promise<{ status: number; rows: Row[] }> {
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${base}/financials/search/line-items`, init);
  const { search_results: rows = [] } = (await response.json()) as { search_results?: Row[] };
  return { status: response.status, rows };
}

const payload = <T>(path: string) => service.payload<T>(path, token);
/** The periods of the operation as objects. */
async function periods(symbol: string, country: string, type: string, query: string) {
  const room = type === "ratios" ? "ratios?" : `statements?type=${type}&`;
  const path = `/data/stocks/${symbol}/${room}country=${country}&figures=only&limit=40&${query}`;
  const { figures } = await payload<{
    figures: { columns: string[]; rows: (string | number | null)[][] };
  }>(path);
  return figures.rows.map((row): Row =>
    Object.fromEntries(figures.columns.map((name, i) => [name, row[i] ?? null])),
  );
}
async function compared(symbol: string, ...names: string[]): Promise<Row> {
  const path = `/data/stocks/compare?symbols=${symbol}&metrics=${names.join(",")}`;
  const { columns, rows } = await payload<{ columns: string[]; rows: (number | null)[][] }>(path);
  return Object.fromEntries(columns.map((name, i) => [name, rows[0]?.[i] ?? null]));
}

test.each([
  ["AAPL", "US", "AAPL"],
  ["7203.T", "JP", "7203"],
  ["FPT.VN", "VN", "FPT"],
])("the prices of %s are those of get_stock_price_history", async (ticker, country, symbol) => {
  const path = `/data/stocks/${symbol}/history?country=${country}&fields=ohlcv&from=2026-10-01&to=2026-11-13`;
  const { bars } = await payload<{ bars: { rows: [string, ...number[]][] } }>(path);
  const prices = await read<{ prices: Row[] }>(
    `/prices/?ticker=${ticker}&interval=day&interval_multiplier=1&start_date=2026-10-01&end_date=2026-11-13`,
  );
  expect(
    prices.prices.map((one) => [
      String(one["time"]).slice(0, 10),
      ...["open", "high", "low", "close", "volume"].map((name) => one[name]),
    ]),
  ).toEqual(bars.rows);
  const { snapshot } = await read<{ snapshot: Row }>(`/prices/snapshot/?ticker=${ticker}`);
  const {
    price,
    market_cap: cap,
    change_percent: change,
  } = await compared(`${country}:${symbol}`, "price", "market_cap", "change_percent");
  expect(snapshot).toMatchObject({ ticker, price, market_cap: cap, day_change_percent: change });
});

test("a snapshot is of one moment: the newest quote, also of a session without a bar", async () => {
  const key = { country: "US", symbol: "MSFT" } as const;
  const { bars } = await payload<{ bars: { rows: [string, ...number[]][] } }>(
    "/data/stocks/MSFT/history?country=US&fields=ohlcv&limit=1&snapshot=false",
  );
  const [before, close] = [bars.rows[0]?.[0], bars.rows[0]?.[4] ?? Number.NaN];
  expect(before).toBe("2026-11-19");
  const quote = { price: close * 1.1, previousClose: close, volume: null, marketCap: null };
  const none = { epsTtm: null, priceToBook: null, dividendYieldPercent: null };
  const provenance = { source: "sample", storedAt: START };
  const quotes = [{ ...key, date: "2026-11-20", ...quote, ...none }];
  service.market.documents.put("quotes", quotes, provenance);
  const { snapshot } = await read<{ snapshot: Row }>("/prices/snapshot/?ticker=MSFT");
  const { market_cap: cap } = await compared("US:MSFT", "market_cap");
  expect(snapshot).toMatchObject({ time: "2026-11-20T00:00:00Z", market_cap: cap });
  expect(Number(snapshot["price"]) / close).toBeCloseTo(1.1, 6);
  expect(Number(snapshot["day_change"]) / close).toBeCloseTo(0.1, 6);
  expect(snapshot["day_change_percent"]).toBeCloseTo(10, 4);
  // The close before is of a session without a bar, 5 % above the newest bar.
  const later = { ...quote, previousClose: close * 1.05 };
  service.market.documents.put(
    "quotes",
    [{ ...key, date: "2026-11-24", ...later, ...none }],
    provenance,
  );
  service.time.now += 31_000;
  const { snapshot: after } = await read<{ snapshot: Row }>("/prices/snapshot/?ticker=MSFT");
  expect(after).toMatchObject({ time: "2026-11-24T00:00:00Z", day_change: null });
  expect(Number(after["day_change_percent"])).toBeCloseTo((1.1 / 1.05 - 1) * 100, 1);
});

describe("statements", () => {
  test.each([
    ["income-statements", "income", "revenue", "revenue", 1],
    ["balance-sheets", "balance", "total_assets", "total_assets", 1],
    ["cash-flow-statements", "cashflow", "capital_expenditure", "capital_expenditure", -1],
  ])("%s are the periods of get_stock_statements", async (path, type, theirs, ours, sign) => {
    for (const [ticker, country, symbol] of [
      ["AAPL", "US", "AAPL"],
      ["7203.T", "JP", "7203"],
      ["FPT.VN", "VN", "FPT"],
    ] as const) {
      for (const period of ["annual", "quarterly"]) {
        const rows = await list(`/financials/${path}/?ticker=${ticker}&period=${period}&limit=40`);
        const own = await periods(symbol, country, type, `period=${period}`);
        expect(rows.map((row) => [row["report_period"], row["filing_date"], row[theirs]])).toEqual(
          own.map((row) => [
            row["period_end"] ?? null,
            row["filing_date"] ?? null,
            row[ours] === null ? null : Number(row[ours]) * sign,
          ]),
        );
        expect(rows[0]).toMatchObject({ ticker, period });
      }
    }
  });

  test("of a past day are those that were filed by then", async () => {
    const rows = await list(
      "/financials/income-statements/?ticker=AAPL&period=annual&filing_date_lte=2025-02-01",
    );
    const own = await periods("AAPL", "US", "income", "period=annual&known_on=2025-02-01");
    expect(rows.map((row) => row["revenue"])).toEqual(own.map((row) => row["revenue"] ?? null));
    for (const row of rows) expect(String(row["filing_date"]) <= "2025-02-01").toBe(true);
  });
});

describe("metrics", () => {
  const path = "/financial-metrics/?ticker=AAPL&limit=3";

  test("of the trailing twelve months are those of compare_stocks, before them fiscal years", async () => {
    const [newest, ...years] = await list(`${path}&period=ttm`);
    const own = await compared("AAPL", "market_cap", "pe", "roe", "net_margin", "eps");
    expect(newest).toMatchObject({
      ticker: "AAPL",
      period: "ttm",
      currency: "USD",
      market_cap: own["market_cap"],
      price_to_earnings_ratio: own["pe"],
      earnings_per_share: own["eps"],
      asset_turnover: null,
    });
    expect(newest?.["return_on_equity"]).toBeCloseTo(Number(own["roe"]) / 100, 8);
    const ratios = await periods("AAPL", "US", "ratios", "period=annual");
    const before = ratios.filter((row) => row["period_end"] !== newest?.["report_period"]);
    expect(years.map((row) => row["gross_margin"])).toEqual(
      before
        .slice(0, 2)
        .map((row) => Number((Number(row["gross_margin_percent"]) / 100).toFixed(6))),
    );
  });

  test("of a past day know no later price and no later filing", async () => {
    const [newest] = await list(`${path}&period=ttm`);
    const filed = String(newest?.["filing_date"]);
    // On the day of the filing the newest price was not known.
    const [then] = await list(`${path}&period=ttm&filing_date_lte=${filed}`);
    expect(then).toMatchObject({
      report_period: newest?.["report_period"] ?? "",
      net_margin: newest?.["net_margin"] ?? 0,
      market_cap: null,
      price_to_earnings_ratio: null,
      free_cash_flow_yield: null,
      // Its dividends are those up to today.
      payout_ratio: null,
    });
    const [past] = await list(`${path}&period=ttm&filing_date_lte=2025-02-01`);
    expect(String(past?.["filing_date"]) <= "2025-02-01").toBe(true);
    const { snapshot } = await read<{ snapshot: Row }>("/financial-metrics/snapshot/?ticker=AAPL");
    expect(snapshot).toEqual(newest ?? {});
  });
});

test("line items are the same figures, and null where there are none", async () => {
  const { rows } = await search({
    tickers: ["AAPL", "7203.T"],
    line_items: ["revenue", "free_cash_flow", "capital_expenditure", "working_capital", "toString"],
    end_date: "2026-11-20",
    period: "ttm",
    limit: 2,
  });
  const own = await compared("AAPL", "revenue", "free_cash_flow", "capital_expenditure");
  expect(rows).toHaveLength(4);
  expect(rows[0]).toMatchObject({
    ticker: "AAPL",
    revenue: own["revenue"],
    free_cash_flow: own["free_cash_flow"],
    capital_expenditure: -Number(own["capital_expenditure"]),
    working_capital: null,
    toString: null,
  });
  expect(rows[2]).toMatchObject({ ticker: "7203.T", currency: "JPY" });
  const known = { line_items: ["revenue"], period: "ttm", limit: 1 };
  const beside = await search({ ...known, tickers: ["NONE1", "AAPL"] });
  expect(beside.rows.map((row) => row["ticker"])).toEqual(["AAPL"]);
  expect((await search({ ...known, tickers: ["NONE1", "NONE2"] })).status).toBe(404);
  for (const body of [{}, [], { tickers: [], line_items: ["revenue"] }, { tickers: "AAPL" }])
    expect((await search(body)).status).toBe(400);
});

test("a company has facts and earnings with estimates", async () => {
  const { company_facts: facts } = await read<{ company_facts: Row }>(
    "/company/facts/?ticker=7203.T",
  );
  const { market_cap: cap } = await compared("JP:7203", "market_cap");
  expect(facts).toMatchObject({ ticker: "7203.T", location: "Japan", market_cap: cap, cik: null });
  const { surprises } = await payload<{
    surprises: { eps_actual: number; eps_estimate: number }[];
  }>("/data/stocks/AAPL/forecast?country=US");
  const [first] = surprises;
  const { earnings } = await read<{ earnings: { quarterly: Row }[] }>(
    "/earnings/?ticker=AAPL&limit=1",
  );
  expect(earnings).toHaveLength(1);
  expect(earnings[0]?.quarterly).toMatchObject({
    earnings_per_share: first?.eps_actual ?? 0,
    estimated_earnings_per_share: first?.eps_estimate ?? 0,
    eps_surprise: (first?.eps_actual ?? 0) > (first?.eps_estimate ?? 0) ? "BEAT" : "MISS",
  });
});

test("unknown tickers and what is not there are 404, wrong arguments 400, in its form", async () => {
  for (const [path, status, words] of [
    ["/prices/?ticker=NONE1&start_date=2026-01-01&end_date=2026-02-01", 404, "NONE1"],
    ["/company/facts?ticker=NONE1", 404, "NONE1"],
    ["/news/?ticker=AAPL", 404, "no news"],
    ["/insider-trades/?ticker=AAPL", 404, "no news"],
    ["/filings/?ticker=AAPL", 404, "no news"],
    ["/prices/?ticker=AAPL&interval=minute&start_date=2026-01-01", 400, "no intraday bars"],
    ["/financial-metrics/?ticker=AAPL&period=monthly", 400, "period must be"],
    ["/financial-metrics/?ticker=AAPL&filing_date_lte=soon", 400, "filing_date_lte must be"],
  ] as const) {
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([
      status,
      {
        error: status === 404 ? "Not Found" : "Bad Request",
        message: expect.stringContaining(words),
      },
    ]);
  }
});
