import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Metric, METRIC_NAMES, METRICS } from "#analytics/metrics.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import type { Panel } from "#domain/schema.ts";
import { compareStocks } from "#operations/compare-stocks.ts";
import { CURRENCIES } from "#domain/currency.ts";
import { NO_ITEMS } from "#domain/statement.ts";
import { createExecutor, decodeRequest } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { NEWEST_SESSION } from "../support/contract-market.ts";
import { SYMBOLS } from "../support/contract-calls.ts";
import { parseDisplay } from "../support/display.ts";
import { expectError } from "../support/error.ts";
import { flatBar, SAMPLE, stock } from "../support/market.ts";
import { quote } from "../support/refresher.ts";
import { openSampleMarket, START } from "../support/service.ts";

interface Comparison {
  columns: string[];
  rows: (string | number | null)[][];
  session: string | null;
  currency: string | null;
  rates: { from: string; to: string; rate: number | null; date: string | null }[];
  unknown: { symbol: string; reason: string; closest: string | null }[];
}

const world = openHandMade();
afterAll(() => world.close());

const compare = (args: Record<string, unknown>) => world.answer<Comparison>("compare_stocks", args);

/** A currency pair with one close. */
function putPair(country: Country, symbol: string, currency: string, close: number): void {
  const pair = stock(country, symbol, { assetType: "currency", currency, primaryListing: false });
  world.market.put("instruments", [pair], SAMPLE);
  const bar = flatBar("2026-11-18", close);
  world.market.put("bars", [{ country, symbol, bars: [bar] }], SAMPLE);
}

describe("compare_stocks", () => {
  test("has nine figures of each stock, in the order of the list", async () => {
    // AAPL at 110 with EPS 5, revenue +25 %, net income 160 B of 1,000 B, equity 550 B, dividends 2.20.
    expect(await compare({ symbols: "JP:7203,US:AAPL" })).toMatchObject({
      columns: [
        ..."country symbol name currency to_session price change_percent market_cap pe".split(" "),
        ..."revenue_growth net_margin roe dividend_yield return_1y from_session".split(" "),
      ],
      rows: [
        [
          "JP",
          "7203",
          "Toyota Motor Corporation",
          "JPY",
          NEWEST_SESSION,
          110,
          10,
          null,
          null,
        ].concat([null, null, null, null, 10, "2025-11-19"] as never),
        ["US", "AAPL", "Apple Inc.", "USD", NEWEST_SESSION, 110, 10, 1.1e12, 22, 25, 16].concat([
          29.09,
          2,
          10,
          "2025-11-19",
        ] as never),
      ],
      session: NEWEST_SESSION,
      currency: null,
      rates: [],
      unknown: [],
    });
  });

  test("takes any notation, and a symbol without a country if only one has it", async () => {
    const { rows, currency } = await compare({ symbols: ["7203.T", "tse:7203"], metrics: "price" });
    expect(rows).toEqual([["JP", "7203", "Toyota Motor Corporation", "JPY", NEWEST_SESSION, 110]]);
    expect(currency).toBe("JPY");
  });

  test("names unknown symbols with the reason and the closest one", async () => {
    const { rows, unknown } = await compare({ symbols: "AAPL,APPL,JP:FPT" });
    expect(rows.length).toBe(1);
    expect(unknown).toEqual([
      { symbol: "APPL", reason: expect.stringContaining("Not found"), closest: "US:AAPL" },
      { symbol: "JP:FPT", reason: expect.stringContaining("VN"), closest: "VN:FPT" },
    ]);
  });

  test("is not found if all symbols are unknown", async () => {
    const { message, details } = await expectError(
      () => compare({ symbols: "APPL,ZZZZZZ" }),
      "not_found",
    );
    expect(message).toContain("APPL");
    expect(message).toContain("ZZZZZZ");
    expect(details).toMatchObject({ param: "symbols" });
    expect(details.hint).toContain("US:AAPL");
  });

  test("all has every metric", async () => {
    const { columns, rows } = await compare({ symbols: "AAPL", metrics: "ALL" });
    expect(columns.slice(5)).toEqual([
      ...METRIC_NAMES,
      ..."1w 1m 3m 6m ytd 1y 5y 10y".split(" ").map((window) => `return_${window}_from_session`),
    ]);
    const value = (name: string) => rows[0]?.[columns.indexOf(name)];
    // A price target of 121 at a price of 110, ten analysts who all say buy.
    expect(value("target_upside")).toBe(10);
    expect(value("rating")).toBe(2);
    expect(value("analyst_count")).toBe(10);
    expect(value("payout_ratio")).toBe(44); // 2.20 / 5
    expect(value("high_52w")).toBe(110);
    expect(value("low_52w")).toBe(100);
  });

  test("converts amounts and says by which rates; multiples and percents stay", async () => {
    putPair("JP", "JPY=X", "JPY", 150);
    putPair("VN", "VND=X", "VND", 25_000);
    putPair("US", "EURUSD=X", "USD", 1.25);
    const args = { symbols: "US:AAPL,JP:7203,VN:FPT", metrics: "price,pe,change_percent" };
    const { rows, rates, currency } = await compare({ ...args, currency: "jpy" });
    // 110 dollars · 150; 110 yen; 110 dong / 25,000 · 150.
    expect(rows.map(([, symbol, , shown, , price]) => [symbol, shown, price])).toEqual([
      ["AAPL", "JPY", 16_500],
      ["7203", "JPY", 110],
      ["FPT", "JPY", 0.66],
    ]);
    expect(rows.map((row) => row.slice(6))).toEqual([
      [22, 10],
      [null, 10],
      [null, 10],
    ]);
    expect(currency).toBe("JPY");
    expect(rates).toEqual([
      { from: "USD", to: "JPY", rate: 150, date: "2026-11-18" },
      { from: "VND", to: "JPY", rate: 0.006, date: "2026-11-18" },
    ]);
    // EUR/USD is the price of a euro: 110 dollars are 88 euros.
    const inEuro = await compare({ ...args, currency: "EUR" });
    expect(inEuro.rows[0]?.[5]).toBe(88);
    expect(inEuro.rates[0]).toEqual({ from: "USD", to: "EUR", rate: 0.8, date: "2026-11-18" });
  });

  test("converts US cents, in which some commodities are quoted", async () => {
    const corn = { assetType: "commodity", currency: "USX", primaryListing: false } as const;
    world.market.put("instruments", [stock("US", "ZC=F", corn)], SAMPLE);
    const bar = { date: "2026-11-18", open: 425, high: 425, low: 425, close: 425, volume: null };
    world.market.put("bars", [{ country: "US", symbol: "ZC=F", bars: [bar] }], SAMPLE);
    putPair("JP", "JPY=X", "JPY", 150);
    const priceIn = async (currency: string) =>
      (await compare({ symbols: "ZC=F", metrics: "price", currency })).rows[0]?.[5];
    expect(await priceIn("USD")).toBe(4.25);
    expect(await priceIn("JPY")).toBe(637.5);
  });

  test.each(CURRENCIES.filter((code) => code !== "USD"))(
    "fetches the listed pair of %s with the dollar, so that a live market can convert",
    (currency) => {
      const needs = compareStocks.needs?.({ symbols: "AAPL", currency }) ?? [];
      const pairs = listReferenceInstruments().filter(({ country, symbol }) =>
        needs.some(
          (need) => need.kind === "bars" && need.country === country && need.symbol === symbol,
        ),
      );
      const names = [`USD/${currency}`, `${currency}/USD`];
      expect(pairs.filter(({ name }) => names.includes(name))).toHaveLength(1);
    },
  );

  test("has no amounts without a rate, and says so", async () => {
    const { rows, rates } = await compare({
      symbols: "AAPL",
      metrics: "price,market_cap,pe",
      currency: "CHF",
    });
    expect(rows[0]?.slice(5)).toEqual([null, null, 22]);
    expect(rates).toEqual([{ from: "USD", to: "CHF", rate: null, date: null }]);
  });

  test("leaves an index in points", async () => {
    const bar = { date: NEWEST_SESSION, open: 5, high: 5, low: 5, close: 5, volume: null };
    world.market.put("bars", [{ country: "US", symbol: "^GSPC", bars: [bar] }], SAMPLE);
    const { rows, currency } = await compare({
      symbols: "^GSPC,AAPL",
      metrics: "price",
      currency: "USD",
    });
    expect(rows[0]).toEqual(["US", "^GSPC", "S&P 500", null, NEWEST_SESSION, 5]);
    expect(currency).toBe("USD");
  });

  test("compares fiscal years that end in one calendar year, by the company's own numbers", async () => {
    const own = openHandMade({ filled: false });
    const { market } = own;
    const provenance = { source: "test", storedAt: own.time.now };
    const filed = (symbol: string, periodEnd: string, fiscalYear: number, revenue: number) => ({
      country: "US" as const,
      symbol,
      span: "year" as const,
      fiscalYear,
      fiscalQuarter: 4,
      periodEnd,
      filedOn: "2025-04-01",
      currency: symbol === "EURO" ? "EUR" : "USD",
      items: { ...NO_ITEMS, revenue, netIncome: revenue / 10, epsDiluted: 4 },
    });
    market.transaction(() => {
      const stocks = ["WEEKS", "JANUARY", "EURO", "YOUNG"].map((symbol) => stock("US", symbol));
      market.put("instruments", [...stocks, stock("US", "FUND", { assetType: "etf" })], provenance);
      market.put(
        "statements",
        [
          // A year of 53 weeks, and a fiscal 2023 that ends in February 2024.
          filed("WEEKS", "2025-01-03", 2024, 1_000),
          filed("JANUARY", "2024-02-03", 2023, 600),
          filed("JANUARY", "2025-02-01", 2024, 900),
          filed("EURO", "2024-12-31", 2024, 500),
          filed("YOUNG", "2025-12-31", 2025, 1),
        ],
        provenance,
      );
      const bars = [flatBar("2023-12-29", 1.1), flatBar("2024-12-31", 1.2)];
      market.put(
        "instruments",
        [stock("US", "EURUSD=X", { assetType: "currency", currency: "USD" })],
        provenance,
      );
      market.put("bars", [{ country: "US", symbol: "EURUSD=X", bars }], provenance);
      const prices = [flatBar("2025-01-02", 80)];
      market.put("bars", [{ country: "US", symbol: "WEEKS", bars: prices }], provenance);
    });
    const ask = (args: Record<string, unknown>) =>
      own.answer<Comparison & { notes?: string[] }>("compare_stocks", args);
    const args = { fiscal_year: 2024, metrics: "revenue,net_margin,pe" };
    const all = { ...args, symbols: "WEEKS,JANUARY,EURO,YOUNG,FUND" };
    const answer = await ask(all);
    const head = ["country", "symbol", "name", "currency", "fiscal_period", "period_end"];
    expect(answer.columns).toEqual([...head, "revenue", "net_margin", "pe"]);
    expect(answer.rows.map(([, symbol, , ...row]) => [symbol, ...row])).toEqual([
      ["WEEKS", "USD", "FY 2024", "2025-01-03", 1_000, 10, 20],
      ["JANUARY", "USD", "FY 2023", "2024-02-03", 600, 10, null],
      ["EURO", "EUR", "FY 2024", "2024-12-31", 500, 10, null],
      ["YOUNG", null, null, null, null, null, null],
      ["FUND", null, null, null, null, null, null],
    ]);
    expect([answer.currency, answer.session]).toEqual([null, null]);
    expect(answer.notes).toEqual([
      "US:YOUNG has no fiscal year that ends in 2024: its years end from 2025-12-31 to 2025-12-31.",
      "US:FUND is of type etf, so it has no statements.",
    ]);
    // 500 euros at 1.20, the rate of the end of the year.
    const dollars = await ask({ ...args, symbols: "EURO", currency: "USD" });
    expect(dollars).toMatchObject({ currency: "USD", rates: [{ from: "EUR", rate: 1.2 }] });
    expect(dollars.rows[0]?.slice(3, 7)).toEqual(["USD", "FY 2024", "2024-12-31", 600]);
    for (const wrong of [{ metrics: "price" }, { rank: true }, { fiscal_year: 1800 }])
      await expectError(() => ask({ ...all, ...wrong }), "invalid_argument");
    own.close();
  });

  test.each([
    [{ symbols: "" }, "symbols"],
    [{ symbols: "A,,B" }, "symbols"],
    [{ symbols: Array.from({ length: 31 }, (_, i) => `S${i}`).join(",") }, "symbols"],
    [{ symbols: "AAPL", metrics: "pee" }, "metrics"],
    [{ symbols: "AAPL", metrics: "all,pe" }, "metrics"],
    [{ symbols: "AAPL", currency: "ZZZ" }, "currency"],
  ])("refuses %j", async (args, param) => {
    const { details } = await expectError(() => compare(args), "invalid_argument");
    expect(details.param).toBe(param);
  });
});

describe("the figures over the sample market", () => {
  let sample: ReturnType<typeof openSampleMarket>;
  const answer = async (name: string, args: Record<string, unknown>) => {
    const operation = OPERATIONS.find((one) => one.name === name);
    if (!operation) throw new Error(`there is no ${name}`);
    const executor = createExecutor({ ...sample, clock: () => START });
    const { body } = await executor.execute(decodeRequest(operation, args));
    return (JSON.parse(body) as { data: unknown }).data;
  };
  beforeAll(() => {
    sample = openSampleMarket();
  }, 600_000);
  afterAll(() => sample.close());

  test.each([...COUNTRY_CODES])("%s: equal those of the panels", async (country) => {
    const symbol = SYMBOLS[country].stock;
    const { columns, rows } = (await answer("compare_stocks", {
      symbols: `${country}:${symbol}`,
      metrics: "all",
    })) as Comparison;
    const { overview, valuation, performance } = (await answer("get_stock_overview", {
      country,
      symbol,
    })) as Record<string, Panel>;
    const technicals = (await answer("get_stock_technicals", { country, symbol })) as Panel;
    const panels: Panel = { ...overview, ...valuation, ...performance, ...technicals };
    for (const type of ["income", "balance", "cashflow", "ratios"]) {
      Object.assign(panels, await answer("get_stock_statements", { country, symbol, type }));
    }
    let compared = 0;
    for (const [i, name] of METRIC_NAMES.entries()) {
      const { label, unit }: Metric = METRICS[name];
      const text = label === undefined ? undefined : panels[label];
      if (text === undefined || unit === "rating") continue;
      const value = rows[0]?.[5 + i] ?? null;
      if (text === "—") expect([name, value]).toEqual([name, null]);
      else {
        const { value: shown, tolerance } = parseDisplay(text);
        // Both are rounded, to at most two decimals.
        const isEqual = Math.abs(Number(value) - shown) <= tolerance + 0.005;
        expect([name, text, isEqual]).toEqual([name, text, true]);
      }
      compared++;
    }
    expect(columns.slice(5, 5 + METRIC_NAMES.length)).toEqual(METRIC_NAMES);
    expect(compared).toBeGreaterThan(50);
  });

  test.each([...COUNTRY_CODES])("%s: equal those of the screen", async (country) => {
    const metrics = "beta,rsi,roe,forward_pe,high_52w,revenue,rating,return_6m";
    const screen = (await answer("screen_stocks", { country, metrics, limit: 20 })) as Comparison;
    const symbols = screen.rows.map(([symbol]) => `${country}:${symbol}`).join(",");
    const names = screen.columns.slice(2);
    const comparison = (await answer("compare_stocks", {
      symbols,
      metrics: names.join(","),
    })) as Comparison;
    expect(comparison.rows.map((row) => row.slice(5, 5 + names.length))).toEqual(
      screen.rows.map((row) => row.slice(2)),
    );
  });
});

describe("rank=true", () => {
  const ranked = openHandMade({ filled: false });
  afterAll(() => ranked.close());
  const EARNINGS = [14, 3, 6, 10, 12, 20, 8].map((pe, i) => ["technology", `T${i}`, pe] as const);
  const OTHERS = [5, 6, 7, 8].map((pe, i) => ["energy", `E${i}`, pe] as const);
  beforeAll(() => {
    for (const [sector, symbol, pe] of [...EARNINGS, ...OTHERS]) {
      const listing = stock("US", symbol, { sector, sharesOutstanding: null });
      ranked.market.put("instruments", [listing], SAMPLE);
      const figures = { marketCap: 100, epsTtm: 100 / pe, date: NEWEST_SESSION };
      ranked.market.put("quotes", [quote(symbol, 100, figures)], SAMPLE);
    }
  });
  const compareRanked = (args: Record<string, unknown>) =>
    ranked.answer<Comparison>("compare_stocks", { rank: true, ...args });

  test("adds the percentile of each metric in the sector and country", async () => {
    const { columns, rows } = await compareRanked({
      symbols: "T0,T1,T5,E0",
      metrics: "pe,market_cap,next_ex_date,return_1y",
    });
    expect(columns.slice(5)).toEqual([
      ..."pe market_cap next_ex_date return_1y pe_rank market_cap_rank return_1y_rank".split(" "),
      "from_session",
    ]);
    const ranks = rows.map((row) => [row[1], ...row.slice(9, 12)]);
    expect(ranks).toEqual([
      // Five of seven are lower, and the company itself counts half: 5.5 / 7. All caps are equal.
      ["T0", 78.57, 50, null],
      ["T1", 7.14, 50, null],
      ["T5", 92.86, 50, null],
      // Only four companies of its sector.
      ["E0", null, null, null],
    ]);
  });

  test("takes at most ten metrics", async () => {
    const error = await expectError(
      () => compareRanked({ symbols: "T0", metrics: "all" }),
      "invalid_argument",
    );
    // Three dates and a fiscal quarter have no rank.
    expect(error.message).toBe(`rank takes at most 10 metrics, not ${METRIC_NAMES.length - 4}.`);
    expect(error.details).toMatchObject({ param: "metrics" });
  });
});
