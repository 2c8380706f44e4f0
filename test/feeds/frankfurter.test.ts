import { afterAll, describe, expect, test } from "bun:test";
import { bar } from "../exports/split-share.ts";
import { instrument, SAMPLE } from "../support/market.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

const get = (path: string) => fetch(`${service.origin}/feed/${link}/frankfurter${path}`);
const read = async <T>(path: string) => (await (await get(path)).json()) as T;

interface Row {
  readonly date: string;
  readonly base: string;
  readonly quote: string;
  readonly rate: number;
}

/** The closes of a currency pair by date. */
async function closesOf(country: string, symbol: string): Promise<ReadonlyMap<string, number>> {
  const path = `/data/stocks/${encodeURIComponent(symbol)}/history?country=${country}&range=1m`;
  const data = await service.payload<{ dates: string[]; closes: number[] }>(path, token);
  return new Map(data.dates.map((date, i) => [date, data.closes[i] ?? Number.NaN]));
}

describe("the rates of Frankfurter", () => {
  test("are the stored rates, direct, inverse and across the dollar", async () => {
    const yen = (await closesOf("JP", "JPY=X")).get("2026-11-18") ?? 0;
    const euro = (await closesOf("US", "EURUSD=X")).get("2026-11-18") ?? 0;
    for (const [pair, rate] of [
      ["USD/JPY", yen],
      ["JPY/USD", 1 / yen],
      ["EUR/USD", euro],
      ["USD/EUR", 1 / euro],
      ["EUR/JPY", euro * yen],
    ] as const) {
      const [base = "", quote = ""] = pair.split("/");
      const row = await read<Row>(`/v2/rate/${pair}?date=2026-11-18`);
      expect(row).toMatchObject({ date: "2026-11-18", base, quote });
      expect(row.rate / rate).toBeCloseTo(1, 4);
    }
  });

  test("are one for each calendar day: a weekend has Friday's", async () => {
    const rows = await read<Row[]>(
      "/v2/rates?base=USD&quotes=JPY,VND&from=2026-11-13&to=2026-11-16",
    );
    expect(rows.map(({ date, quote }) => `${date} ${quote}`)).toEqual(
      ["13", "14", "15", "16"].flatMap((day) => [`2026-11-${day} JPY`, `2026-11-${day} VND`]),
    );
    const yen = rows.filter(({ quote }) => quote === "JPY").map(({ rate }) => rate);
    expect(yen[1]).toBe(yen[0] ?? 0);
    expect(yen[2]).toBe(yen[0] ?? 0);
    const stored = await closesOf("JP", "JPY=X");
    expect(yen[3]).toBe(stored.get("2026-11-16") ?? 0);
  });

  test("have the form of version 1 too", async () => {
    const row = await read<Row>("/v2/rate/EUR/JPY?date=2026-11-18");
    expect(await read<object>("/2026-11-18?base=EUR&symbols=JPY")).toEqual({
      amount: 1,
      base: "EUR",
      date: "2026-11-18",
      rates: { JPY: row.rate },
    });
    const period = await read<{ rates: Record<string, object> }>(
      "/v1/2026-11-16..2026-11-18?base=EUR&symbols=JPY",
    );
    expect(Object.keys(period.rates)).toEqual(["2026-11-16", "2026-11-17", "2026-11-18"]);
    expect(period.rates["2026-11-18"]).toEqual({ JPY: row.rate });
    expect(await read<object>("/v2/currencies")).toContainEqual({
      iso_code: "VND",
      name: "Vietnamese Dong",
    });
    expect(await read<object>("/latest?base=USD&symbols=JPY")).toMatchObject({ base: "USD" });
  });

  test("begin with the first stored rate, however early the period begins", async () => {
    const rows = await read<Row[]>("/v2/rates?base=JPY&quotes=USD&from=0001-01-01&to=2016-12-31");
    const path = "/data/stocks/JPY=X/history?country=JP&range=max&limit=100000";
    const { dates } = await service.payload<{ dates: string[] }>(path, token);
    expect(rows[0]?.date).toBe(dates[0] ?? "");
  });

  test("are at most 30,000, counted from the first stored rate of each currency", async () => {
    const first = await read<Row[]>("/v2/rates?base=JPY&quotes=USD&from=0001-01-01&to=2016-12-31");
    // 30,000 days with the first one.
    const begin = Date.parse(first[0]?.date ?? "");
    const [last, tooLate] = [29_999, 30_000].map((days) =>
      new Date(begin + days * 86_400_000).toISOString().slice(0, 10),
    );
    const path = "/v2/rates?base=JPY&quotes=USD&from=0001-01-01";
    expect(await read<Row[]>(`${path}&to=${last}`)).toHaveLength(30_000);
    for (const to of [tooLate, "3000-01-01"]) {
      const response = await get(`${path}&to=${to}`);
      expect([response.status, await response.json()]).toEqual([
        400,
        { status: 400, message: "An answer has at most 30000 rates. Ask for a shorter period." },
      ]);
    }
  });

  test("are none of a currency in itself, to the last day of the calendar", async () => {
    expect(
      await read<Row[]>("/v2/rates?base=USD&quotes=USD&from=0001-01-01&to=9999-12-31"),
    ).toEqual([]);
  });

  test("leave out an unknown currency beside known ones, as Frankfurter does", async () => {
    const { rates } = await read<{ rates: object }>("/latest?base=USD&symbols=JPY,QQQ");
    expect(Object.keys(rates)).toEqual(["JPY"]);
    const rows = await read<Row[]>("/v2/rates?base=USD&quotes=QQQ,EUR");
    expect(rows.map(({ quote }) => quote)).toEqual(["EUR"]);
    expect((await get("/latest?base=USD&symbols=QQQ,QQZ")).status).toBe(404);
    expect((await get("/latest?base=QQQ&symbols=JPY")).status).toBe(404);
  });

  test("refuse an unknown currency, a future day and a period without order", async () => {
    for (const [path, status, words] of [
      ["/v2/rate/USD/QQQ", 404, "no rate of QQQ"],
      ["/v2/rate/USD/JPY?date=2027-01-01", 400, "up to 2026-11-20"],
      ["/v2/rates?from=2026-11-10&to=2026-11-01", 400, "in order"],
      ["/nothing", 404, "unknown"],
    ] as const) {
      const response = await get(path);
      expect([response.status, await response.json()]).toEqual([
        status,
        { status, message: expect.stringContaining(words) },
      ]);
    }
  });
});

test("version 1 reads an amount, and from and to as base and symbols, on each of its paths", async () => {
  interface Answer {
    readonly amount: number;
    readonly base: string;
    readonly rates: Readonly<Record<string, unknown>>;
  }
  const { rates: one } = await read<Answer>("/2026-11-18?base=USD&symbols=JPY");
  const yen = Number(one["JPY"]);
  const ten = Number((yen * 10).toPrecision(12));
  for (const query of ["base=USD&symbols=JPY&amount=10", "from=USD&to=JPY&amount=10"]) {
    const day = { amount: 10, base: "USD", rates: { JPY: ten } };
    expect(await read<object>(`/2026-11-18?${query}`)).toMatchObject(day);
    expect(await read<object>(`/v1/2026-11-18?${query}`)).toMatchObject(day);
    expect(await read<object>(`/2026-11-18..2026-11-18?${query}`)).toMatchObject({
      ...day,
      rates: { "2026-11-18": { JPY: ten } },
    });
  }
  for (const amount of ["-1", "much", "Infinity"])
    expect((await get(`/latest?amount=${amount}`)).status).toBe(400);
});

test("all pairs of a market count, also beyond the first hundred", async () => {
  const codes = "BCDEFGHIJKL"
    .split("")
    .flatMap((a) => "PQRSTUVWXYZ".split("").map((b) => `Q${a}${b}`));
  const keys = codes.map((code) => ({ country: "US", symbol: `${code}=X` }) as const);
  service.market.put(
    "instruments",
    keys.map(({ country, symbol }, i) =>
      instrument(country, symbol, { assetType: "currency", currency: codes[i] ?? "" }),
    ),
    SAMPLE,
  );
  const bars = [bar("2026-11-19", 50)];
  service.market.put(
    "bars",
    keys.map((key) => ({ ...key, bars })),
    SAMPLE,
  );
  // Answers are cached for 30 seconds.
  service.time.now += 31_000;
  const rows = await read<Row[]>("/v2/rates?base=USD&from=2026-11-19&to=2026-11-19");
  const found = new Set(rows.map(({ quote }) => quote));
  expect(codes.filter((code) => !found.has(code))).toEqual([]);
});
