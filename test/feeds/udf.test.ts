import { afterAll, describe, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

async function read<T>(path: string): Promise<T> {
  const response = await fetch(`${service.origin}/feed/${link}/udf/${path}`);
  return (await response.json()) as T;
}

interface History {
  readonly s: string;
  readonly t: number[];
  readonly c: number[];
  readonly nextTime?: number;
}
const second = (date: string) => Date.parse(date) / 1000;
const historyOf = (symbol: string, query: string) =>
  read<History>(`history?symbol=${symbol}&${query}`);

describe("UDF", () => {
  test("describes itself, and a symbol of each country in its sessions and currency", async () => {
    expect(await read<object>("config")).toMatchObject({
      supports_search: true,
      supports_group_request: false,
      supported_resolutions: ["1D", "1W", "1M"],
    });
    expect(await (await fetch(`${service.origin}/feed/${link}/udf/time`)).text()).toBe(
      String(service.time.now / 1000),
    );
    for (const [symbol, ticker, currency, session, timezone] of [
      ["AAPL", "US:AAPL", "USD", "0930-1600", "America/New_York"],
      ["7203.T", "JP:7203", "JPY", "0900-1130,1230-1530", "Asia/Tokyo"],
      ["HOSE:FPT", "VN:FPT", "VND", "0900-1130,1300-1445", "Asia/Ho_Chi_Minh"],
      ["USD/JPY", "JP:JPY=X", "JPY", "24x7", "Etc/UTC"],
    ]) {
      const info = await read<Record<string, unknown>>(`symbols?symbol=${symbol}`);
      expect(info).toMatchObject({ ticker, session, timezone, currency_code: currency });
      // The library takes an answer with this field for an error.
      expect(info).not.toHaveProperty("s");
    }
  });

  test("finds symbols by name", async () => {
    const found = await read<{ ticker: string }[]>("search?query=toyota&exchange=JP&type=&limit=5");
    expect(found[0]?.ticker).toBe("JP:7203");
  });

  test("has the closes of get_stock_price_history at midnight UTC", async () => {
    const path = "/data/stocks/7203/history?country=JP&from=2026-10-01&to=2026-11-18";
    const { data } = (await (await service.request(path, token)).json()) as {
      data: { dates: string[]; closes: number[] };
    };
    const from = second("2026-10-01");
    const { s, t, c } = await historyOf("JP:7203", `from=${from}&to=${second("2026-11-19")}`);
    expect([s, t, c]).toEqual(["ok", data.dates.map(second), data.closes]);
  });

  test("counts bars back from `to`, which is excluded, and has weeks at their Monday", async () => {
    const to = second("2026-11-18");
    const days = await historyOf("AAPL", `resolution=1D&to=${to}&countback=2&from=${to}`);
    expect(days.t).toEqual([second("2026-11-16"), second("2026-11-17")]);
    const weeks = await historyOf("AAPL", `resolution=1W&to=${to}&countback=2`);
    expect(weeks.t).toEqual([second("2026-11-09"), second("2026-11-16")]);
  });

  test("says where older data is if a period has none, and that there is none before it", async () => {
    const weekend = `from=${second("2026-11-14")}&to=${second("2026-11-16")}`;
    expect(await historyOf("AAPL", weekend)).toEqual({
      s: "no_data",
      nextTime: second("2026-11-13"),
    } as History);
    const before = `from=0&to=${second("1990-01-01")}`;
    expect(await historyOf("AAPL", before)).toEqual({ s: "no_data" } as History);
  });

  test("has errors in its own form", async () => {
    for (const [path, words] of [
      ["history?symbol=NONE1&resolution=1D", "Not found"],
      ["history?symbol=AAPL&resolution=5", "no intraday bars"],
      ["symbols", "symbol is missing"],
      ["nothing", "has no such path"],
    ] as const)
      expect(await read<object>(path)).toEqual({
        s: "error",
        errmsg: expect.stringContaining(words),
      });
  });

  test("has quotes in the order of the symbols, and marks of splits and dividends", async () => {
    const { d } = await read<{ d: { s: string; n: string; v?: { lp: number } }[] }>(
      "quotes?symbols=VN:FPT,NONE1,AAPL",
    );
    expect(d.map(({ s, n }) => [s, n])).toEqual([
      ["ok", "VN:FPT"],
      ["error", "NONE1"],
      ["ok", "AAPL"],
    ]);
    expect(d[0]?.v?.lp).toBeGreaterThan(1_000);
    const period = `from=${second("2020-08-01")}&to=${second("2020-10-01")}`;
    const marks = await read<{ time: number; label: string; tooltip: string[] }[]>(
      `timescale_marks?symbol=AAPL&resolution=1D&${period}`,
    );
    expect(marks.find(({ label }) => label === "S")).toMatchObject({
      time: second("2020-08-31"),
      tooltip: ["Split 4:1", "2020-08-31"],
    });
  });
});

test("marks reports on the bars, by the surprises of get_stock_forecast", async () => {
  const path = "/data/stocks/AAPL/forecast?country=US&sections=surprises&limit=100";
  const { data } = (await (await service.request(path, token)).json()) as {
    data: { surprises: { quarter_end: string; reported_on: string; surprise_percent: number }[] };
  };
  const [newest, , third] = data.surprises;
  const [from, to] = [third, newest].map((one) => second(one?.reported_on ?? ""));
  const marks = await read<{ id: string; time: number; color: string }[]>(
    `marks?symbol=AAPL&from=${from}&to=${to}&resolution=1D`,
  );
  // The period ends before the newest report.
  expect(marks.map(({ id, time, color }) => ({ id, time, color }))).toEqual(
    data.surprises.slice(1, 3).map((one) => ({
      id: `E-${one.quarter_end}`,
      time: second(one.reported_on),
      color: one.surprise_percent < 0 ? "red" : "green",
    })),
  );
  expect(await read<object[]>("marks?symbol=SPY")).toEqual([]);
});

test("a symbol in another currency has that currency, and its own beside it", async () => {
  const info = await read<object>("symbols?symbol=AAPL&currencyCode=JPY");
  expect(info).toMatchObject({ currency_code: "JPY", original_currency_code: "USD" });
  const { currency_codes: codes } = await read<{ currency_codes: string[] }>("config");
  expect(codes).toContain("VND");
});
