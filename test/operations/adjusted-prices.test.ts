import { afterAll, describe, expect, test } from "bun:test";
import { IMPORT } from "#domain/records.ts";
import { getStockForecast } from "#operations/get-stock-forecast.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { expectError } from "../support/error.ts";
import { SAMPLE, stock } from "../support/market.ts";
import { quote } from "../support/refresher.ts";

interface Table {
  columns: string[];
  rows: (string | number | null)[][];
}
interface History {
  adjustment: string;
  dates: string[];
  closes: number[];
  bars?: Table;
  snapshot?: { closes: number[] };
  splits?: Table | null;
}
interface Statistics extends Table {
  adjustment: string;
  closes: Table;
  correlation: { symbols: string[] } | null;
  notes?: string[];
}

/*
 * Two new shares for one on 17 November 2026 and a dividend of 1 on the 18th, 2 % of the close before. As
 * traded: 100, 50, 49, 49. Split-adjusted: 50, 50, 49, 49. With dividends, 1 − 1 / 50 = 0.98: 49, 49, 49, 49.
 */
const CLOSES = { "16": 50, "17": 50, "18": 49, "19": 49 };
const SPLITS = [
  { exDate: "2020-01-06", numerator: 3, denominator: 1 },
  { exDate: "2026-11-17", numerator: 2, denominator: 1 },
];

const world = openHandMade();
const { market } = world;
const put = (country: "US" | "VN", symbol: string, source = "yahoo") => {
  market.put("instruments", [stock(country, symbol)], SAMPLE);
  const bars = Object.entries(CLOSES).map(([day, close]) => ({
    date: `2026-11-${day}`,
    open: close,
    high: close + 1,
    low: close - 1,
    close,
    volume: 1_000,
  }));
  const provenance = { source, storedAt: Date.parse("2026-11-20T12:00Z") };
  const history = { country, symbol, bars };
  if (source === IMPORT) market.bars.replace(history, provenance);
  else market.put("bars", [history], provenance);
  return { country, symbol, provenance };
};
const splits = (symbol: string, provenance: { source: string; storedAt: number }) =>
  market.put("splits", [{ country: "US", symbol, splits: SPLITS }], provenance);
const known = put("US", "KNOWN");
splits("KNOWN", known.provenance);
const dividends = [{ exDate: "2026-11-18", amount: 1 }];
market.put("dividends", [{ country: "US", symbol: "KNOWN", dividends }], known.provenance);
put("US", "UNKNOWN");
put("VN", "VNX");
splits("MINE", put("US", "MINE", IMPORT).provenance);
put("US", "HALF", IMPORT);
splits("HALF", known.provenance);
afterAll(() => world.close());

const history = (symbol: string, args: Record<string, unknown> = {}) =>
  world.answer<History>("get_stock_price_history", { country: "US", symbol, ...args });
const statistics = (symbols: string, args: Record<string, unknown> = {}) =>
  world.answer<Statistics>("get_price_statistics", { symbols, from: "2026-11-16", ...args });

describe("get_stock_price_history", () => {
  test.each([
    [{}, "split", [50, 50, 49, 49]],
    [{ adjust: "split" }, "split", [50, 50, 49, 49]],
    [{ adjusted: true }, "split", [50, 50, 49, 49]],
    [{ adjust: "none" }, "none", [100, 50, 49, 49]],
    [{ adjusted: false }, "none", [100, 50, 49, 49]],
    [{ adjust: "raw" }, "none", [100, 50, 49, 49]],
    [{ adjust: "total" }, "total", [49, 49, 49, 49]],
  ])("with %j is adjusted so: %s", async (args, adjustment, closes) => {
    expect(await history("KNOWN", args)).toMatchObject({ adjustment, closes });
  });

  test("adjusts all prices of a bar, volumes by splits alone, and whole weeks and months", async () => {
    const bars = async (args: Record<string, unknown>) =>
      (await history("KNOWN", { fields: "ohlcv", ...args })).bars?.rows;
    expect((await bars({ adjust: "none" }))?.[0]).toEqual(["2026-11-16", 100, 102, 98, 100, 500]);
    expect((await bars({ adjust: "total" }))?.[0]).toEqual([
      "2026-11-16",
      49,
      49.98,
      48.02,
      49,
      1_000,
    ]);
    // The open of Monday before the split, the low and close after it.
    expect(await bars({ adjust: "none", interval: "1wk" })).toEqual([
      ["2026-11-19", 100, 102, 48, 49, 3_500],
    ]);
  });

  test("is the same on every page", async () => {
    const page = await history("KNOWN", { adjust: "total", limit: 1, before: "2026-11-17" });
    expect(page).toMatchObject({ dates: ["2026-11-16"], closes: [49] });
  });

  test("has the splits of the period if they are asked for; null if they are unknown", async () => {
    const columns = ["ex_date", "numerator", "denominator"];
    const all = [
      ["2020-01-06", 3, 1],
      ["2026-11-17", 2, 1],
    ];
    expect((await history("KNOWN", { splits: true })).splits).toEqual({ columns, rows: all });
    const newer = await history("KNOWN", { splits: true, from: "2026-11-01" });
    expect(newer.splits?.rows).toEqual(all.slice(1));
    expect(await history("UNKNOWN", { splits: true })).toMatchObject({
      splits: null,
      splits_unknown: "its splits are not stored yet",
    });
    expect(await history("KNOWN")).not.toHaveProperty("splits");
  });

  test.each([
    ["US", "UNKNOWN", "its splits are not stored yet"],
    ["VN", "VNX", "adjusted for share dividends and rights that it does not list"],
    ["US", "HALF", "its prices were imported, and its splits were not"],
  ])("as traded are refused for %s:%s: %s", async (country, symbol, why) => {
    const refusal = await expectError(
      () => history(symbol, { country, adjust: "none" }),
      "invalid_argument",
    );
    expect(refusal.message).toContain(`Prices of ${country}:${symbol} as traded are unknown`);
    expect(refusal.message).toContain(why);
    expect(refusal.message).toContain("bourse import splits");
  });

  test("as traded are known for imported prices with imported splits, and without shares", async () => {
    expect((await history("MINE", { adjust: "none" })).closes).toEqual([100, 50, 49, 49]);
    const index = (adjust: string) => history("^GSPC", { adjust, limit: 2 });
    expect((await index("none")).closes).toEqual((await index("split")).closes);
  });

  test("with dividends are refused if these are unknown", async () => {
    for (const [symbol, why] of [
      ["UNKNOWN", "bourse import dividends"],
      ["^GSPC", "the dividends of an index are not stored"],
    ] as const) {
      const refused = () => history(symbol, { adjust: "total" });
      expect((await expectError(refused, "invalid_argument")).message).toContain(why);
    }
  });
});

describe("get_price_statistics", () => {
  const rowOf = (data: Statistics, row = 0) =>
    Object.fromEntries(data.columns.map((name, i) => [name, data.rows[row]?.[i]]));

  test("has the total return beside the price return", async () => {
    const data = await statistics("KNOWN");
    expect(data.adjustment).toBe("split");
    // 49 / 50 − 1; the dividend of 1 makes up for the fall of 1.
    expect(rowOf(data)).toMatchObject({
      from_close: 50,
      to_close: 49,
      return: -2,
      total_return: 0,
    });
    expect(data).not.toHaveProperty("notes");
  });

  test("with dividends has all figures of total-return prices", async () => {
    const data = await statistics("KNOWN", { adjust: "total", dates: "2026-11-16" });
    expect(data.adjustment).toBe("total");
    const row = { from_close: 49, to_close: 49, return: 0, total_return: 0, max_drawdown: 0 };
    expect(rowOf(data)).toMatchObject({ ...row, volatility: 0 });
    expect(data.closes.rows).toEqual([["US", "KNOWN", "2026-11-16", "2026-11-16", 49, 0]]);
  });

  test("as traded has raw closes, and a return that a split does not change", async () => {
    const data = await statistics("KNOWN", { adjusted: false, dates: "2026-11-16" });
    expect(data.adjustment).toBe("none");
    expect(rowOf(data)).toMatchObject({
      from_close: 100,
      to_close: 49,
      return: -2,
      max_drawdown: -2,
    });
    expect(data.closes.rows).toEqual([["US", "KNOWN", "2026-11-16", "2026-11-16", 100, -2]]);
    const refused = () => statistics("KNOWN,UNKNOWN", { adjust: "none" });
    expect((await expectError(refused, "invalid_argument")).message).toContain("US:UNKNOWN");
  });

  test("is null with the reason where dividends are unknown", async () => {
    const data = await statistics("KNOWN,UNKNOWN", { adjust: "total", dates: "2026-11-16" });
    expect(rowOf(data, 1)).toMatchObject({
      symbol: "UNKNOWN",
      from_session: "2026-11-16",
      from_close: null,
      to_close: null,
      sessions: 4,
      return: null,
      total_return: null,
      volatility: null,
      max_drawdown: null,
      beta: null,
    });
    expect(data.closes.rows[1]).toEqual(["US", "UNKNOWN", "2026-11-16", null, null, null]);
    expect(data.correlation?.symbols).toEqual(["US:KNOWN"]);
    expect(data.notes).toEqual([
      "The total return of US:UNKNOWN is unknown: its dividends are not stored; the operator can import them with `bourse import dividends`. Leave adjust out for prices that are adjusted for splits.",
    ]);
    expect(rowOf(await statistics("UNKNOWN"))).toMatchObject({ return: -2, total_return: null });
  });
});

test("a quote that shows an unknown split gives the market cap, and no target is compared with its price", async () => {
  const { market } = world;
  const provenance = { source: "yahoo", storedAt: Date.parse("2026-11-20T12:00Z") };
  market.put("instruments", [stock("US", "TENFOLD", { sharesOutstanding: 1e6 })], provenance);
  const bar = { date: "2026-11-19", open: 1_000, high: 1_000, low: 1_000, close: 1_000, volume: 1 };
  market.put("bars", [{ country: "US", symbol: "TENFOLD", bars: [bar] }], provenance);
  const live = { date: "2026-11-20", previousClose: 100, marketCap: 1.01e9 };
  market.put("quotes", [quote("TENFOLD", 101, live)], provenance);
  const target = { low: 900, mean: 1_200, median: 1_200, high: 1_500, analysts: 9 };
  const coverage = { ratings: [], priceTarget: target, estimates: [], actions: [] };
  const of = { country: "US", symbol: "TENFOLD" } as const;
  market.put("analystCoverage", [{ ...of, ...coverage }], provenance);
  const read = async () => {
    const { symbols } = await world.answer<{ symbols: { market_cap: number }[] }>("list_symbols", {
      country: "US",
      query: "TENFOLD",
    });
    const forecast = await world.answer<{
      price_target: { mean: number; upside_percent: number | null };
    }>("get_stock_forecast", of);
    const { mean, upside_percent: upside } = forecast.price_target;
    return [symbols[0]?.market_cap, mean, upside];
  };
  expect(await read()).toEqual([1.01e9, 1_200, null]);
  const split = { exDate: "2026-11-20", numerator: 10, denominator: 1 };
  const before = { source: "yahoo", storedAt: Date.parse("2026-11-19T22:00Z") };
  market.put("instruments", [stock("US", "TENFOLD", { sharesOutstanding: 1e6 })], before);
  market.put("analystCoverage", [{ ...of, ...coverage }], before);
  market.put("splits", [{ ...of, splits: [split] }], provenance);
  // 101 · 10 million shares; 1,200 / 10 = 120, 120 / 101 − 1 = 18.81 %.
  expect(await read()).toEqual([1.01e9, 120, 18.81]);
});

test("a company's forecast is in today's shares, newest announcement first, and comes with estimates", async () => {
  const { market } = world;
  const provenance = { source: "jquants", storedAt: Date.parse("2026-11-20T12:00Z") };
  const of = { country: "JP", symbol: "5FOR1" } as const;
  market.put("instruments", [stock("JP", "5FOR1", { currency: "JPY" })], provenance);
  const splits = [{ exDate: "2026-10-01", numerator: 5, denominator: 1 }];
  market.put("splits", [{ ...of, splits }], provenance);
  const year = {
    yearEnd: "2027-03-31",
    revenue: 1_000,
    operatingIncome: 100,
    ordinaryIncome: null,
  };
  const announce = (announcedOn: string, netIncome: number, eps: number) => ({
    ...year,
    announcedOn,
    sharesAsOf: announcedOn,
    netIncome,
    eps,
    dividendPerShare: eps / 5,
  });
  const forecasts = [announce("2026-05-08", 70, 70), announce("2026-11-05", 60, 12)];
  market.put("companyForecasts", [{ ...of, currency: "JPY", forecasts }], provenance);
  const answer = (sections?: string) =>
    world.answer<{ company_forecast?: Record<string, unknown>[] }>("get_stock_forecast", {
      ...of,
      ...(sections !== undefined && { sections }),
    });
  const common = { period_end: "2027-03-31", revenue: 1_000, operating_profit: 100 };
  const newest = { announced_on: "2026-11-05", net_profit: 60, eps: 12, dividend_per_share: 2.4 };
  // 70 / 5 = 14 and 14 / 5 = 2.8.
  const first = { announced_on: "2026-05-08", net_profit: 70, eps: 14, dividend_per_share: 2.8 };
  expect((await answer()).company_forecast).toEqual([
    { ...common, ...newest, ordinary_profit: null, revision: "lowered" },
    { ...common, ...first, ordinary_profit: null, revision: null },
  ]);
  expect(await answer("estimates")).toHaveProperty("company_forecast");
  // Without a source of analysts it is an answer too.
  expect(getStockForecast.needs?.(of)).toContainEqual({
    kind: "analystCoverage",
    ...of,
    substitute: "companyForecasts",
  });
  expect(await answer("actions")).not.toHaveProperty("company_forecast");
});
