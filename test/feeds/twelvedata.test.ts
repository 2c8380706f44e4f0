import { afterAll, describe, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

const get = (path: string) => fetch(`${service.origin}/feed/twelvedata/${path}&apikey=${link}`);
const read = async <T>(path: string) => (await (await get(path)).json()) as T;

interface Series {
  readonly meta: object;
  readonly values: { datetime: string; close: string }[];
  readonly status: string;
}

const history = (country: string, symbol: string, query: string) =>
  service.payload<{ dates: string[]; closes: number[] }>(
    `/data/stocks/${symbol}/history?country=${country}&${query}`,
    token,
  );

describe("the prices of Twelve Data", () => {
  test.each([
    ["AAPL", "US", "AAPL", "USD"],
    ["7203&mic_code=XTKS", "JP", "7203", "JPY"],
    ["FPT&exchange=HOSE", "VN", "FPT", "VND"],
  ])("of %s are those of get_stock_price_history, newest first, as text", async (...row) => {
    const [written, country, symbol, currency] = row;
    const { meta, values, status } = await read<Series>(
      `time_series?symbol=${written}&interval=1day&outputsize=5`,
    );
    const { dates, closes } = await history(country, symbol, "limit=5&snapshot=false");
    expect(status).toBe("ok");
    expect(meta).toMatchObject({ symbol, currency, interval: "1day", type: "Common Stock" });
    expect(values.map(({ datetime }) => datetime)).toEqual(dates.toReversed());
    expect(values.map(({ close }) => close)).toEqual(closes.toReversed().map(String));
  });

  test("are as traded or with dividends if asked for, and oldest first", async () => {
    const period = "start_date=2020-08-03&end_date=2020-09-30";
    for (const [adjust, ours] of [
      ["splits", "split"],
      ["none", "none"],
      ["all", "total"],
    ]) {
      const { values } = await read<Series>(
        `time_series?symbol=AAPL&interval=1day&${period}&order=ASC&adjust=${adjust}`,
      );
      const { closes } = await history(
        "US",
        "AAPL",
        `from=2020-08-03&to=2020-09-30&adjust=${ours}`,
      );
      expect(values.map(({ close }) => Number(close))).toEqual(closes);
    }
  });

  test.each([
    ["1week", (day: Date) => day.getUTCDay() === 1],
    ["1month", (day: Date) => day.getUTCDate() === 1],
  ])("of %s have its first day", async (interval, isFirst) => {
    const { values } = await read<Series>(
      `time_series?symbol=AAPL&interval=${interval}&outputsize=14`,
    );
    expect(values).toHaveLength(14);
    expect(values.filter(({ datetime }) => !isFirst(new Date(datetime)))).toEqual([]);
    const csv = await (
      await get(`time_series?symbol=AAPL&interval=${interval}&outputsize=14&format=CSV`)
    ).text();
    expect(csv).toContain(`\r\n${values[0]?.datetime},`);
  });

  test("have a price, a quote, a search and a rate of a day", async () => {
    const [newest] = (await history("JP", "7203", "limit=1&snapshot=false")).closes;
    expect(await read<object>("price?symbol=7203.T")).toEqual({ price: String(newest) });
    const quote = await read<Record<string, string>>("quote?symbol=7203.T");
    const { close, previous_close: before, percent_change: percent } = quote;
    expect(Number(percent)).toBeCloseTo((Number(close) / Number(before) - 1) * 100, 4);
    const { data } = await read<{ data: object[] }>("symbol_search?symbol=toyota");
    expect(data[0]).toMatchObject({ symbol: "7203", mic_code: "XJPX", country: "Japan" });
    const rates = await history("JP", "JPY=X", "from=2026-11-13&to=2026-11-13");
    expect(await read<object>("exchange_rate?symbol=USD/JPY&date=2026-11-15")).toMatchObject({
      symbol: "USD/JPY",
      rate: rates.closes[0],
    });
  });

  test.each(["price", "quote", "eod", "time_series", "exchange_rate", "currency_conversion"])(
    "of several symbols are what /%s answers for each, by the symbols as they were written",
    async (path) => {
      const written = ["AAPL", "7203:JPX", "USD/JPY"];
      const rest = "interval=1day&outputsize=3";
      const alone = await Promise.all(
        written.map((symbol) => read<object>(`${path}?symbol=${symbol}&${rest}`)),
      );
      const symbols = [...written, "AAPL", "NONE1"].join(", ");
      const unknown = { code: 404, message: expect.stringContaining("NONE1"), status: "error" };
      expect(await read<object>(`${path}?symbol=${symbols}&${rest}`)).toEqual({
        ...Object.fromEntries(written.map((symbol, i) => [symbol, alone[i]])),
        NONE1: unknown,
      });
      // A list of unknown symbols is an answer too.
      expect(await read<object>(`${path}?symbol=NONE1,NONE1`)).toEqual({ NONE1: unknown });
    },
  );

  test("of a symbol without a session in the period are its error, beside the others", async () => {
    // A Saturday and a Sunday, on which currencies have no session either.
    const period = "interval=1day&start_date=2026-11-14&end_date=2026-11-15";
    const found = await read<Record<string, object>>(`time_series?symbol=AAPL,BTC/USD&${period}`);
    expect(found["AAPL"]).toMatchObject({ code: 400, message: expect.stringContaining("session") });
    expect(Object.keys(found).sort()).toEqual(["AAPL", "BTC/USD"]);
  });

  test("of several symbols are one call", async () => {
    const usage = async () => (await read<{ daily_usage: number }>("api_usage?")).daily_usage;
    const before = await usage();
    await get("price?symbol=AAPL,MSFT,NVDA");
    expect(await usage()).toBe(before + 2);
  });

  test("have the year, the mean volume, the opening and the state of the exchange in a quote", async () => {
    const quote = await read<Record<string, unknown>>("quote?symbol=7203&mic_code=XTKS");
    const path = "/data/stocks/compare?symbols=JP:7203&metrics=price,low_52w,high_52w";
    const { data } = (await (await service.request(path, token)).json()) as {
      data: { columns: string[]; rows: number[][] };
    };
    const figure = (name: string) => data.rows[0]?.[data.columns.indexOf(name)] ?? 0;
    const [price, low, high] = [figure("price"), figure("low_52w"), figure("high_52w")];
    expect(quote["fifty_two_week"]).toEqual({
      low: String(low),
      high: String(high),
      low_change: (price - low).toFixed(5),
      high_change: (price - high).toFixed(5),
      low_change_percent: ((price / low - 1) * 100).toFixed(5),
      high_change_percent: ((price / high - 1) * 100).toFixed(5),
      range: `${low} - ${high}`,
    });
    const { values } = await read<{ values: { volume: string }[] }>(
      "time_series?symbol=7203:JPX&interval=1day&outputsize=9",
    );
    const mean = values.reduce((sum, { volume }) => sum + Number(volume), 0) / 9;
    // Tokyo opens at 9:00, which is midnight UTC. At 17:30 UTC it is closed, and New York is open.
    const opened = Date.parse(String(quote["datetime"])) / 1000;
    expect(quote).toMatchObject({
      average_volume: String(Math.round(mean)),
      timestamp: opened,
      is_market_open: false,
      mic_code: "XJPX",
    });
    const open = async (symbol: string) =>
      (await read<{ is_market_open: unknown }>(`quote?symbol=${symbol}`)).is_market_open;
    expect(await open("AAPL")).toBe(true);
    // A weekend: currencies trade again from Sunday, 17:00 in New York.
    const { now } = service.time;
    for (const [time, dollar, coin] of [
      ["2026-11-20T21:59:00Z", true, true],
      ["2026-11-20T22:00:00Z", false, true],
      ["2026-11-22T21:59:00Z", false, true],
      ["2026-11-22T22:00:00Z", true, true],
    ] as const) {
      service.time.now = Date.parse(time);
      expect([await open("USD/JPY"), await open("BTC/USD")]).toEqual([dollar, coin]);
    }
    service.time.now = now;
  });

  test("have Twelve Data's form of an error", async () => {
    for (const [path, code, words] of [
      ["time_series?symbol=NONE1&interval=1day", 404, "Not found"],
      ["time_series?symbol=AAPL&interval=1min", 400, "no intraday bars"],
      ["time_series?symbol=AAPL&interval=1day&outputsize=9000", 400, "1 to 5000"],
      ["price?", 400, "symbol is missing"],
      ["time_series?symbol=AAPL,MSFT&interval=1day&format=CSV", 400, "several symbols"],
      ["currency_conversion?symbol=USD/JPY&amount=much", 400, "amount must be a number"],
      ["eod?symbol=AAPL&date=tomorrow", 400, "date must be a date"],
    ] as const) {
      const response = await get(path);
      expect([response.status, await response.json()]).toEqual([
        code,
        { code, message: expect.stringContaining(words), status: "error" },
      ]);
    }
  });
});

test("a profile has what get_stock_overview knows, and null for the rest", async () => {
  const path = "/data/stocks/7203/overview?country=JP";
  const { data } = (await (await service.request(path, token)).json()) as {
    data: { business_model: { employees: number; sector: string; industry: string } };
  };
  const { employees, sector, industry } = data.business_model;
  expect(await read<object>("profile?symbol=7203&mic_code=XTKS")).toMatchObject({
    symbol: "7203",
    mic_code: "XJPX",
    employees,
    sector,
    industry,
    CEO: null,
    country: "Japan",
  });
  // The words of an overview for an unknown sector are not a sector.
  expect(await read<object>("profile?symbol=SPY")).toMatchObject({ sector: null, type: "ETF" });
});

test("the usage counts the calls of the link", async () => {
  const usage = () => read<{ current_usage: number }>("api_usage?");
  const { current_usage: before } = await usage();
  expect(await usage()).toEqual({
    timestamp: "2026-11-20 17:30:00",
    current_usage: before + 1,
    plan_limit: 5_000,
    daily_usage: before + 1,
    plan_daily_limit: 50_000,
    plan_category: "max",
  } as never);
});
