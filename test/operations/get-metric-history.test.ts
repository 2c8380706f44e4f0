import { afterEach, describe, expect, test } from "bun:test";
import { openHandMade } from "../support/contract-answers.ts";
import { calendarYear } from "../support/contract-market.ts";
import { expectError } from "../support/error.ts";
import { instrument } from "../support/market.ts";

interface Answer {
  columns: string[];
  rows: (string | number | null)[][];
  rates?: { from: string; to: string; rate: number }[];
  known_on?: Record<string, string>;
  notes?: string[];
  unknown: { symbol: string }[];
}

let world: ReturnType<typeof openHandMade>;
afterEach(() => world.close());

const bar = (date: string, close: number) => ({
  date,
  open: close,
  high: close,
  low: close,
  close,
  volume: 1,
});

/** ACME has 100 shares. EURO reports in euros, and one euro is 1.10, then 1.20 dollars. */
function openCompanies() {
  world = openHandMade({ filled: false });
  const { market, time } = world;
  time.now = Date.parse("2025-11-20T23:00Z");
  const provenance = { source: "test", storedAt: time.now };
  const put = market.put.bind(market);
  put(
    "instruments",
    [
      instrument("US", "ACME", { sharesOutstanding: 100 }),
      instrument("US", "EURO", { sharesOutstanding: null }),
      instrument("US", "FUND", { assetType: "etf" }),
      instrument("US", "EURUSD=X", { assetType: "currency" }),
    ],
    provenance,
  );
  const closes = (symbol: string, rows: readonly (readonly [string, number])[]) =>
    put(
      "bars",
      [{ country: "US", symbol, bars: rows.map(([date, close]) => bar(date, close)) }],
      provenance,
    );
  closes("ACME", [
    ["2023-12-29", 40],
    ["2024-12-31", 60],
    ["2025-11-20", 90],
  ]);
  closes("EURO", [["2025-11-20", 10]]);
  closes("EURUSD=X", [
    ["2023-12-29", 1.1],
    ["2024-12-31", 1.2],
    ["2025-11-20", 1.3],
  ]);
  const acme = { sharesOutstanding: 100, sharesDiluted: 100, totalEquity: 400 };
  put(
    "statements",
    [
      calendarYear("ACME", 2022, { ...acme, revenue: 1_000, netIncome: 100, epsDiluted: 1 }),
      calendarYear("ACME", 2023, { ...acme, revenue: 1_200, netIncome: 180, epsDiluted: 1.8 }),
      calendarYear("ACME", 2024, { ...acme, revenue: 1_500, netIncome: 300, epsDiluted: 3 }),
      // A restatement, filed a year later.
      calendarYear(
        "ACME",
        2023,
        { ...acme, revenue: 1_250, netIncome: 180, epsDiluted: 1.8 },
        {
          filedOn: "2025-02-10",
        },
      ),
      calendarYear("EURO", 2023, { revenue: 100 }, { currency: "EUR" }),
      calendarYear("EURO", 2024, { revenue: 200 }, { currency: "EUR" }),
    ],
    provenance,
  );
}

const ask = (args: object) =>
  world.answer<Answer>("get_metric_history", args as Record<string, unknown>);

describe("get_metric_history", () => {
  test("has the figures of each fiscal year, oldest first, with the price of its end", async () => {
    openCompanies();
    const metrics = "revenue,revenue_growth,net_margin,eps,pe,market_cap";
    const { columns, rows } = await ask({ symbols: "US:ACME", metrics });
    expect(columns).toEqual([
      "country",
      "symbol",
      "currency",
      "fiscal_period",
      "period_end",
      "filing_date",
      ...metrics.split(","),
    ]);
    expect(rows).toEqual([
      // No close is known at the end of 2022.
      ["US", "ACME", "USD", "FY 2022", "2022-12-31", "2023-02-10", 1_000, null, 10, 1, null, null],
      // Growth 1250 / 1000, margin 180 / 1250, P/E 40 / 1.8, 40 · 100 shares.
      [
        "US",
        "ACME",
        "USD",
        "FY 2023",
        "2023-12-31",
        "2025-02-10",
        1_250,
        25,
        14.4,
        1.8,
        22.22,
        4_000,
      ],
      ["US", "ACME", "USD", "FY 2024", "2024-12-31", "2025-02-10", 1_500, 20, 20, 3, 20, 6_000],
    ]);
  });

  test("by known_on, has the statements that were filed by then", async () => {
    openCompanies();
    const answer = await ask({ symbols: "ACME", metrics: "revenue", known_on: "2024-06-30" });
    expect(answer.rows.map((row) => row.slice(3))).toEqual([
      ["FY 2022", "2022-12-31", "2023-02-10", 1_000],
      ["FY 2023", "2023-12-31", "2024-02-10", 1_200],
    ]);
    expect(answer.known_on).toMatchObject({ date: "2024-06-30" });
  });

  test("converts amounts at the rate of each period's end, and keeps percentages", async () => {
    openCompanies();
    const own = await ask({ symbols: "EURO", metrics: "revenue,revenue_growth" });
    expect(own.rows.map((row) => [row[2], ...row.slice(6)])).toEqual([
      ["EUR", 100, null],
      ["EUR", 200, 100],
    ]);
    const { rows } = await ask({
      symbols: "EURO",
      metrics: "revenue,revenue_growth",
      currency: "USD",
    });
    // 100 · 1.1 and 200 · 1.2.
    expect(rows.map((row) => [row[2], ...row.slice(6)])).toEqual([
      ["USD", 110, null],
      ["USD", 240, 100],
    ]);
  });

  test("by quarter, has the flows, margins and growth of single quarters, and ratios of twelve months", async () => {
    openCompanies();
    const quarter = (year: number, fiscalQuarter: number, revenue: number, netIncome: number) =>
      calendarYear(
        "ACME",
        year,
        { revenue, netIncome, epsDiluted: netIncome / 100, totalAssets: 1_000, commonEquity: 400 },
        {
          span: "quarter",
          fiscalQuarter,
          periodEnd: `${year}-${["03-31", "06-30", "09-30", "12-31"][fiscalQuarter - 1]}`,
          filedOn: `${year + (fiscalQuarter === 4 ? 1 : 0)}-${["05", "08", "11", "02"][fiscalQuarter - 1]}-01`,
        },
      );
    world.market.put(
      "statements",
      // 2024: 100, 110, 120, 130. 2025: 150, 121, 90.
      [
        ...[100, 110, 120, 130].map((revenue, i) => quarter(2024, i + 1, revenue, 10)),
        ...[150, 121, 90].map((revenue, i) => quarter(2025, i + 1, revenue, [30, -5, 20][i] ?? 0)),
      ],
      { source: "test", storedAt: world.time.now },
    );
    const metrics = "revenue,revenue_growth,net_margin,eps,roa";
    const args = { symbols: "ACME", metrics, period: "quarterly", limit: 3 };
    const { rows } = await ask(args);
    expect(rows.map((row) => row.slice(3))).toEqual([
      // 150 / 100, 30 / 150, and (10 + 10 + 10 + 30) / 1,000.
      ["Q1 2025", "2025-03-31", "2025-05-01", 150, 50, 20, 0.3, 6],
      // 121 / 110, −5 / 121, and (10 + 10 + 30 − 5) / 1,000.
      ["Q2 2025", "2025-06-30", "2025-08-01", 121, 10, -4.13, -0.05, 4.5],
      // 90 / 120, 20 / 90, and (10 + 30 − 5 + 20) / 1,000.
      ["Q3 2025", "2025-09-30", "2025-11-01", 90, -25, 22.22, 0.2, 5.5],
    ]);
    const ttm = await ask({ ...args, period: "ttm", limit: 1 });
    // 130 + 150 + 121 + 90.
    expect(ttm.rows.map((row) => row[6])).toEqual([491]);
    expect((await ask({ ...args, period: "四半期" })).rows).toEqual(rows);
  });

  test("says which companies have no periods, and refuses what has no past", async () => {
    openCompanies();
    const { notes, unknown, rows } = await ask({ symbols: "ACME,FUND,NOPE", limit: 1 });
    expect(notes).toEqual(["US:FUND is of type etf, so it has no statements."]);
    expect(unknown.map(({ symbol }) => symbol)).toEqual(["NOPE"]);
    expect(rows).toHaveLength(1);
    for (const [args, code, says] of [
      [{ symbols: "ACME", metrics: "rsi" }, "invalid_argument", "not rsi"],
      [{ symbols: "ACME", metrics: "pe,payout_ratio" }, "invalid_argument", "not payout_ratio"],
      [{ symbols: "ACME", period: "monthly" }, "invalid_argument", "period must be"],
      [{ symbols: "ACME", period: "quarterly" }, "not_found", "No fiscal quarter of US:ACME"],
      [{ symbols: "FUND" }, "not_found", "No figures are known."],
      [{ symbols: "ACME", known_on: "2020-01-01" }, "not_found", "no statement filed by"],
    ] as const) {
      const { message } = await expectError(() => ask(args), code);
      expect(message).toContain(says);
    }
  });
});
