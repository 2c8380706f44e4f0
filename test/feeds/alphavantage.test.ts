import { afterAll, describe, expect, test } from "bun:test";
import { bar } from "../exports/split-share.ts";
import { SAMPLE, stock } from "../support/market.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

const get = (query: string) =>
  fetch(`${service.origin}/feed/alphavantage/query?${query}&apikey=${link}`);
const read = async <T>(query: string) => (await (await get(query)).json()) as T;

type Row = Readonly<Record<string, string>>;
type Series = Readonly<Record<string, Readonly<Record<string, Row>>>>;

const payload = <T>(path: string) => service.payload<T>(path, token);

/** The bars of the operation, newest first, as date and figures. */
async function bars(country: string, symbol: string, query: string) {
  const path = `/data/stocks/${symbol}/history?country=${country}&fields=ohlcv&snapshot=false&${query}`;
  return (await payload<{ bars: { rows: [string, ...number[]][] } }>(path)).bars.rows.toReversed();
}

const numbers = (row: Row | undefined) => Object.values(row ?? {}).map(Number);

describe("the series of Alpha Vantage", () => {
  test.each([
    ["AAPL", "US", "AAPL", "US/Eastern"],
    ["7203.T", "JP", "7203", "Asia/Tokyo"],
    ["FPT.VN", "VN", "FPT", "Asia/Ho_Chi_Minh"],
  ])("of %s are as traded, newest first", async (written, country, symbol, zone) => {
    const answer = await read<Series>(`function=TIME_SERIES_DAILY&symbol=${written}`);
    const rows = await bars(country, symbol, "limit=100&adjust=none");
    expect(answer["Meta Data"]).toMatchObject({
      "2. Symbol": written,
      "3. Last Refreshed": rows[0]?.[0],
      "4. Output Size": "Compact",
      "5. Time Zone": zone,
    });
    const series = Object.entries(answer["Time Series (Daily)"] ?? {});
    expect(series.map(([date, row]) => [date, ...numbers(row)])).toEqual(rows);
    expect(Object.keys(series[0]?.[1] ?? {})).toEqual([
      "1. open",
      "2. high",
      "3. low",
      "4. close",
      "5. volume",
    ]);
  });

  test("with adjusted have the close with dividends and both events", async () => {
    const answer = await read<Series>(
      "function=TIME_SERIES_DAILY_ADJUSTED&symbol=AAPL&outputsize=full",
    );
    const series = answer["Time Series (Daily)"] ?? {};
    const total = await bars("US", "AAPL", "range=max&limit=100000&adjust=total");
    expect(
      Object.entries(series).map(([date, row]) => [date, Number(row["5. adjusted close"])]),
    ).toEqual(total.map((row) => [row[0], row[4] ?? 0]));
    // Apple split 4:1 on 31 August 2020: 0.13 in today's shares was 0.52.
    expect(series["2020-06-16"]?.["7. dividend amount"]).toBe("0.5200");
    expect(series["2020-08-31"]?.["8. split coefficient"]).toBe("4.0000");
    expect(series["2020-08-28"]?.["8. split coefficient"]).toBe("1.0000");
  });

  test("of weeks and months are at the last session, of currencies without volume, and CSV", async () => {
    const weekly = await read<Series>("function=TIME_SERIES_WEEKLY&symbol=AAPL");
    const weeks = await bars("US", "AAPL", "range=max&limit=100000&interval=1wk&adjust=none");
    expect(Object.keys(weekly["Weekly Time Series"] ?? {})).toEqual(weeks.map(([date]) => date));
    const pair = await read<Series>("function=FX_DAILY&from_symbol=USD&to_symbol=JPY");
    const rates = await bars("JP", "JPY=X", "limit=100");
    const series = Object.entries(pair["Time Series FX (Daily)"] ?? {});
    expect(series.map(([date, row]) => [date, ...numbers(row)])).toEqual(
      rates.map((row) => row.slice(0, 5) as [string, ...number[]]),
    );
    const csv = await (await get("function=TIME_SERIES_DAILY&symbol=AAPL&datatype=csv")).text();
    expect(csv).toStartWith("timestamp,open,high,low,close,volume\r\n2026-11-19,");
  });
});

describe("the quotes, search and companies of Alpha Vantage", () => {
  test("have the newest session and rate", async () => {
    const [newest, before] = await bars("JP", "7203", "limit=2");
    const answer = await read<{ "Global Quote": Row }>("function=GLOBAL_QUOTE&symbol=7203.T");
    const quote = answer["Global Quote"];
    expect(Number(quote["05. price"])).toBe(newest?.[4] ?? 0);
    expect(Number(quote["08. previous close"])).toBe(before?.[4] ?? 0);
    expect(Number(quote["09. change"])).toBeCloseTo((newest?.[4] ?? 0) - (before?.[4] ?? 0), 6);
    const [rate] = await bars("JP", "JPY=X", "limit=1");
    const shown = await read<Record<string, Row>>(
      "function=CURRENCY_EXCHANGE_RATE&from_currency=USD&to_currency=JPY",
    );
    expect(shown["Realtime Currency Exchange Rate"]).toMatchObject({
      "1. From_Currency Code": "USD",
      "2. From_Currency Name": "US Dollar",
      "5. Exchange Rate": String(rate?.[4]),
    });
  });

  test("have no change of a share with one session, in JSON or CSV", async () => {
    const { market } = service;
    market.put("instruments", [stock("US", "FRESH")], SAMPLE);
    const bars = [bar("2026-11-19", 50)];
    market.put("bars", [{ country: "US", symbol: "FRESH", bars }], SAMPLE);
    market.documents.put("splits", [{ country: "US", symbol: "FRESH", splits: [] }], SAMPLE);
    const query = "function=GLOBAL_QUOTE&symbol=FRESH";
    const { "Global Quote": quote } = await read<{ "Global Quote": Row }>(query);
    expect(quote["10. change percent"]).toBe("None");
    const csv = await (await get(`${query}&datatype=csv`)).text();
    expect(csv.split("\r\n")[1]).toBe(
      "FRESH,50.0000,51.0000,49.0000,50.0000,100,2026-11-19,None,None,None",
    );
  });

  test("find symbols with their market's hours", async () => {
    const { bestMatches } = await read<{ bestMatches: Row[] }>(
      "function=SYMBOL_SEARCH&keywords=toyota",
    );
    expect(bestMatches[0]).toMatchObject({
      "1. symbol": "7203.T",
      "3. type": "Equity",
      "4. region": "Japan",
      "5. marketOpen": "09:00",
      "7. timezone": "UTC+09",
      "8. currency": "JPY",
    });
  });

  test("have the figures of compare_stocks, ratios instead of percent, None for unknown ones", async () => {
    const { columns, rows } = await payload<{ columns: string[]; rows: (number | null)[][] }>(
      "/data/stocks/compare?symbols=US:AAPL&metrics=market_cap,pe,net_margin,revenue,target_price",
    );
    const of = (name: string) => rows[0]?.[columns.indexOf(name)] ?? Number.NaN;
    const overview = await read<Row>("function=OVERVIEW&symbol=AAPL");
    expect(overview).toMatchObject({
      Symbol: "AAPL",
      MarketCapitalization: String(of("market_cap")),
      PERatio: String(of("pe")),
      RevenueTTM: String(of("revenue")),
      AnalystTargetPrice: String(of("target_price")),
      "50DayMovingAverage": "None",
    });
    expect(Number(overview["ProfitMargin"])).toBeCloseTo(of("net_margin") / 100, 8);
  });

  test.each([
    ["INCOME_STATEMENT", "income", "totalRevenue", "revenue"],
    ["BALANCE_SHEET", "balance", "totalAssets", "total_assets"],
    ["CASH_FLOW", "cashflow", "operatingCashflow", "operating_cash_flow"],
  ])("%s has the periods of get_stock_statements", async (name, type, theirs, ours) => {
    for (const [symbol, country, code] of [
      ["AAPL", "US", "AAPL"],
      ["7203.T", "JP", "7203"],
      ["FPT.VN", "VN", "FPT"],
    ]) {
      const report = await read<Record<string, Row[]>>(`function=${name}&symbol=${symbol}`);
      for (const [period, key] of [
        ["annual", "annualReports"],
        ["quarterly", "quarterlyReports"],
      ] as const) {
        const path = `/data/stocks/${code}/statements?country=${country}&type=${type}`;
        const { figures } = await payload<{
          figures: { columns: string[]; rows: (string | number | null)[][] };
        }>(`${path}&figures=only&limit=40&period=${period}`);
        const column = figures.columns.indexOf(ours);
        expect(report[key]?.map((row) => [row["fiscalDateEnding"], row[theirs]])).toEqual(
          figures.rows.map((row) => [String(row[1]), String(row[column] ?? "None")]),
        );
      }
    }
  });

  test("EARNINGS has the surprises of get_stock_forecast", async () => {
    const { surprises } = await payload<{ surprises: { eps_actual: number }[] }>(
      "/data/stocks/AAPL/forecast?country=US&limit=40",
    );
    const { quarterlyEarnings, annualEarnings } = await read<Record<string, Row[]>>(
      "function=EARNINGS&symbol=AAPL",
    );
    expect(quarterlyEarnings?.map((row) => Number(row["reportedEPS"]))).toEqual(
      surprises.map((one) => one.eps_actual),
    );
    // September has 30 days.
    expect(quarterlyEarnings?.[0]?.["fiscalDateEnding"]).toBe("2026-09-30");
    expect(annualEarnings?.length).toBeGreaterThan(4);
  });
});

test("errors and unknown symbols have Alpha Vantage's form, with the status 200", async () => {
  for (const [query, body] of [
    [
      "function=TIME_SERIES_DAILY&symbol=NONE1",
      { "Error Message": expect.stringContaining("NONE1") },
    ],
    ["function=TIME_SERIES_DAILY", { "Error Message": "symbol is missing." }],
    ["function=NEWS_SENTIMENT", { "Error Message": expect.stringContaining("no function NEWS") }],
    ["function=constructor", { "Error Message": expect.stringContaining("no function CONSTR") }],
    ["function=GLOBAL_QUOTE&symbol=NONE1", { "Global Quote": {} }],
    ["function=OVERVIEW&symbol=NONE1", {}],
    ["function=BALANCE_SHEET&symbol=NONE1", {}],
    ["function=SYMBOL_SEARCH&keywords=xqzxqzxqz", { bestMatches: [] }],
  ] as const) {
    const response = await get(query);
    expect([response.status, await response.json()]).toEqual([200, body]);
  }
});
