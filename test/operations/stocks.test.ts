import { afterAll, describe, expect, test } from "bun:test";
import { NO_ITEMS } from "#domain/statement.ts";
import type { Cell } from "#lib/table.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { NEWEST_SESSION, STORED_AT } from "../support/contract-market.ts";
import { expectError } from "../support/error.ts";
import { instrument, SAMPLE } from "../support/market.ts";

const world = openHandMade();
afterAll(() => world.close());

describe("get_stock_overview", () => {
  test("has all figures of a company with complete records", async () => {
    // Sessions at 100, the newest closes at 110. Ten billion shares. EPS 4 × 1.25 after 4 × 1.00.
    // Cap 1,100 B; EV = 1,100 + 100 debt − 50 cash; revenue 4 × 250 B, EBITDA 4 × 57.5 B.
    // Dividends 4 × 0.55. Cash flow 4 × 60 B, after capital expenditure 4 × 50 B.
    expect(await world.answer("get_stock_overview", { country: "US", symbol: "AAPL" })).toEqual({
      overview: {
        Name: "Apple Inc.",
        Price: "110.00 USD",
        "Price date": NEWEST_SESSION,
        "Chg %": "+10.00%",
        Volume: "1.00 M",
        "Mkt cap": "1.10 T USD",
        "P/E": "22.00",
        "EPS dilTTM": "5.00 USD",
        "EPS dil growthTTM YoY": "+25.00%",
        "Div yield %TTM": "2.00%",
        "Analyst rating": "Buy",
      },
      valuation: {
        "Mkt cap": "1.10 T USD",
        EV: "1.15 T USD",
        "P/E": "22.00",
        "P/B": "2.00",
        "P/S": "1.10",
        "P/CF": "4.58",
        "P/FCF": "5.50",
        PEGTTM: "0.88",
        "EV/EBITDATTM": "5.00",
        "EV/revenueTTM": "1.15",
      },
      business_model: {
        business_summary: "Makes phones.",
        employees: 164_000,
        sector: "Technology",
        industry: "Consumer Electronics",
        fetch_timestamp: new Date(STORED_AT).toISOString(),
      },
      listing: { exchange: "NASDAQ" },
      // 300 sessions are 14 months: longer windows have no reference.
      performance: {
        "Perf %1W": "+10.00%",
        "Perf %1M": "+10.00%",
        "Perf %3M": "+10.00%",
        "Perf %6M": "+10.00%",
        "Perf %YTD": "+10.00%",
        "Perf %1Y": "+10.00%",
        "Perf %5Y": "—",
        "Perf %10Y": "—",
      },
      performance_from: {
        "Perf %1W": "2026-11-12",
        "Perf %1M": "2026-10-19",
        "Perf %3M": "2026-08-19",
        "Perf %6M": "2026-05-19",
        // 31 December 2025 is a weekday.
        "Perf %YTD": "2025-12-31",
        "Perf %1Y": "2025-11-19",
        "Perf %5Y": "—",
        "Perf %10Y": "—",
      },
      reasons: { not_listed_then: ["Perf %5Y", "Perf %10Y"] },
      source: "test",
    });
  });

  test("has every key and a dash for every figure of a company without records", async () => {
    const data = await world.answer<Record<string, Record<string, unknown>>>("get_stock_overview", {
      country: "US",
      symbol: "YOUNG",
    });
    expect(data["overview"]).toEqual({
      Name: "Young Corp",
      Price: "110.00 USD",
      "Price date": NEWEST_SESSION,
      "Chg %": "+10.00%",
      Volume: "1.00 M",
      "Mkt cap": "—",
      "P/E": "—",
      "EPS dilTTM": "—",
      "EPS dil growthTTM YoY": "—",
      "Div yield %TTM": "—",
      "Analyst rating": "—",
    });
    expect(new Set(Object.values(data["valuation"] ?? {}))).toEqual(new Set(["—"]));
    expect(new Set(Object.values(data["performance"] ?? {}))).toEqual(new Set(["—"]));
    // `employees` is an integer or left out, never null or zero.
    expect(data["business_model"]).toEqual({
      business_summary: "—",
      sector: "—",
      industry: "—",
      fetch_timestamp: new Date(STORED_AT).toISOString(),
    });
  });

  test("has dashes for an instrument without prices", async () => {
    const { overview } = await world.answer<{ overview: object }>("get_stock_overview", {
      country: "US",
      symbol: "BRK-B",
    });
    expect(overview).toMatchObject({ Price: "—", "Price date": "—", "Chg %": "—", Volume: "—" });
  });

  test("writes yen and dong without decimals", async () => {
    const price = async (country: string, symbol: string) =>
      (
        await world.answer<{ overview: Record<string, string> }>("get_stock_overview", {
          country,
          symbol,
        })
      ).overview["Price"];
    expect(await price("JP", "7203")).toBe("110 JPY");
    expect(await price("VN", "FPT")).toBe("110 VND");
  });
});

describe("get_stock_statements", () => {
  const AAPL = { country: "US", symbol: "AAPL" };
  const HEAD = {
    Name: "Apple Inc.",
    "Fiscal periodCurrent": "Q3 2026",
    "Fiscal period endCurrent": "2026-09-30",
  };

  test.each([
    [
      "income",
      {
        RevenueTTM: "1.00 T USD",
        "Revenue growthTTM YoY": "+25.00%",
        "Gross profitTTM": "400.00 B USD",
        "Op incomeTTM": "200.00 B USD",
        EBITDATTM: "230.00 B USD",
        "Net incomeTTM": "160.00 B USD",
        "EPS dilTTM": "5.00 USD",
        "EPS dil growthTTM YoY": "+25.00%",
      },
    ],
    [
      "balance",
      {
        "Total assetsFQ": "1.00 T USD",
        "Current assetsFQ": "200.00 B USD",
        "Cash on handFQ": "50.00 B USD",
        "Total liabilitiesFQ": "450.00 B USD",
        "Total debtFQ": "100.00 B USD",
        "Net debtFQ": "50.00 B USD",
        "Total equityFQ": "550.00 B USD",
        "Current ratioFQ": "2.00",
        "Quick ratioFQ": "1.50",
        "Debt / equityFQ": "0.18",
        "Cash / debtFQ": "0.50",
      },
    ],
    [
      "cashflow",
      {
        "Operating CFTTM": "240.00 B USD",
        "Investing CFTTM": "-80.00 B USD",
        "Financing CFTTM": "-120.00 B USD",
        FCFTTM: "200.00 B USD",
        CAPEXTTM: "40.00 B USD",
      },
    ],
    [
      "ratios",
      {
        "Gross marginTTM": "40.00%",
        "Operating marginTTM": "20.00%",
        "Net marginTTM": "16.00%",
        "FCF marginTTM": "20.00%",
        // 160 / 550; 200 × (1 − 10/50) / (100 + 550 − 50); 160 / 1,000; 200 / 1,100; 1,150 / 200.
        ROETTM: "29.09%",
        ROICTTM: "26.67%",
        ROATTM: "16.00%",
        "FCF yieldTTM": "18.18%",
        "EV/EBITTTM": "5.75",
        "Debt / equityFQ": "0.18",
        "Current ratioFQ": "2.00",
      },
    ],
  ])("%s", async (type, panel) => {
    expect(await world.answer("get_stock_statements", { ...AAPL, type })).toEqual({
      ...HEAD,
      ...panel,
      Source: "test",
      ...(type !== "ratios" && {
        Rounding: "Amounts are rounded: parts may not add up to totals.",
      }),
    });
  });

  test("adds single periods on request, newest first, four by default", async () => {
    const data = await world.answer<{ periods: object[]; periods_total: number }>(
      "get_stock_statements",
      { ...AAPL, type: "income", period: "quarterly" },
    );
    expect(data).toMatchObject(HEAD);
    expect(data.periods_total).toBe(8);
    expect(data.periods).toHaveLength(4);
    expect(data.periods[0]).toEqual({
      "Fiscal period": "Q3 2026",
      "Fiscal period end": "2026-09-30",
      Revenue: "250.00 B USD",
      "Gross profit": "100.00 B USD",
      "Op income": "50.00 B USD",
      EBITDA: "57.50 B USD",
      "Net income": "40.00 B USD",
      "EPS dil": "1.25 USD",
    });
    const two = await world.answer<{ periods: object[] }>("get_stock_statements", {
      ...AAPL,
      type: "cashflow",
      period: "quarterly",
      limit: 2,
    });
    expect(two.periods.map((period) => Object.values(period)[0])).toEqual(["Q3 2026", "Q2 2026"]);
  });

  test("adds raw figures of the periods, in whole units of the currency", async () => {
    interface Figures {
      currency: string;
      scale: number;
      columns: string[];
      rows: (string | number | null)[][];
    }
    const figures = async (args: object) =>
      (
        await world.answer<{ figures: Figures }>("get_stock_statements", {
          ...AAPL,
          period: "quarterly",
          limit: 1,
          figures: true,
          ...args,
        })
      ).figures;
    const HEAD_COLUMNS = ["fiscal_period", "period_end", "filing_date", "currency"];
    // The market files each statement 30 days after its period.
    const HEAD_CELLS = ["Q3 2026", "2026-09-30", "2026-10-30", "USD"];
    expect(await figures({ type: "income" })).toEqual({
      currency: "USD",
      scale: 1,
      columns: [
        ...HEAD_COLUMNS,
        "revenue",
        "cost_of_revenue",
        "gross_profit",
        "research_and_development",
        "selling_general_administrative",
        "operating_income",
        "ebitda",
        "interest_expense",
        "pretax_income",
        "income_tax",
        "net_income",
        "eps_diluted",
        "shares_diluted",
      ],
      rows: [
        [
          ...HEAD_CELLS,
          250e9,
          150e9,
          100e9,
          20e9,
          30e9,
          50e9,
          57.5e9,
          null,
          50e9,
          10e9,
          40e9,
          1.25,
          10e9,
        ],
      ],
    });
    // Only companies by Japanese standards have ordinary income.
    world.market.put("instruments", [instrument("JP", "9001")], SAMPLE);
    const year = { span: "year", fiscalYear: 2026, fiscalQuarter: 4, currency: "JPY" } as const;
    const items = { ...NO_ITEMS, revenue: 900, ordinaryIncome: 110, pretaxIncome: 100 };
    const dates = { periodEnd: "2026-03-31", filedOn: "2026-05-08" };
    const japanese = { country: "JP", symbol: "9001", ...year, ...dates, items } as const;
    world.market.put("statements", [japanese], SAMPLE);
    const ofJapan = await figures({
      country: "JP",
      symbol: "9001",
      type: "income",
      period: "annual",
    });
    const at = ofJapan.columns.indexOf("ordinary_income");
    expect(ofJapan.columns.slice(at, at + 2)).toEqual(["ordinary_income", "pretax_income"]);
    expect(ofJapan.rows[0]?.slice(at, at + 2)).toEqual([110, 100]);
    // Operating cash flow 60 − capital expenditure 10.
    expect(await figures({ type: "cashflow" })).toMatchObject({
      columns: expect.arrayContaining(["free_cash_flow"]) as string[],
      rows: [[...HEAD_CELLS, 60e9, -20e9, -30e9, 10e9, 50e9, 7.5e9, 5e9, 4e9, 9e9]],
    });
    // 100 / 250, 50 / 250, 40 / 250, 50 / 250; of twelve months, at the close of 100 on 2026-09-30 and 10 B shares:
    // 200 × (1 − 10/50) / (100 + 550 − 50), 200 / 1,000, (1,000 + 100 − 50) / 200; 100 / 550; 200 / 100.
    // Net income 160 / equity 550, and the close of 100 / EPS of 5.
    const ratios = [40, 20, 16, 20, 26.67, 20, 5.25, 0.18, 2, 29.09, 20];
    const ofQuarters = await figures({ type: "ratios", limit: 8 });
    expect(ofQuarters.columns.slice(8, 11)).toEqual([
      "roic_percent",
      "fcf_yield_percent",
      "ev_to_ebit",
    ]);
    expect(ofQuarters.rows[0]).toEqual([...HEAD_CELLS, ...ratios]);
    // Before four quarters are known, there are no twelve months.
    expect(ofQuarters.rows[7]?.slice(4)).toEqual([
      50,
      25,
      20,
      25,
      null,
      null,
      null,
      0.18,
      2,
      null,
      null,
    ]);
    const { columns, rows } = await figures({ type: "balance", limit: 8 });
    expect(rows).toHaveLength(8);
    // Unknown preferred and minority equity stay null; total equity is common equity.
    expect(Object.fromEntries(columns.map((name, i) => [name, rows[7]?.[i]]))).toMatchObject({
      fiscal_period: "Q4 2024",
      total_assets: 1_000e9,
      common_equity: 550e9,
      preferred_equity: null,
      total_equity: 550e9,
    });
  });

  test("has ratios of periods as text, too", async () => {
    const { periods } = await world.answer<{ periods: object[] }>("get_stock_statements", {
      ...AAPL,
      type: "ratios",
      period: "quarterly",
      limit: 1,
    });
    expect(periods[0]).toMatchObject({
      ROIC: "26.67%",
      "FCF yield": "20.00%",
      "EV/EBIT": "5.25",
      ROE: "29.09%",
      "P/E": "20.00",
    });
  });

  test("is raw figures alone with figures=only, as a boolean too it adds them", async () => {
    const call = { ...AAPL, type: "income", period: "quarterly", limit: 2 };
    const ask = (figures: unknown) =>
      world.answer<Record<string, unknown>>("get_stock_statements", { ...call, figures });
    const only = await ask("only");
    expect(Object.keys(only)).toEqual(["periods_total", "figures", "Reasons", "Source"]);
    expect(only["Reasons"]).toBe("not_in_statements: interest_expense");
    const all = await ask("true");
    expect(all).toMatchObject({ ...HEAD, ...only });
    expect(await ask(true)).toEqual(all);
    expect(await ask(false)).not.toHaveProperty("figures");
  });

  test("has no floating-point noise in the figures of a quarter that is a difference", async () => {
    const cumulative = (
      fiscalQuarter: number,
      periodEnd: string,
      eps: number,
      revenue: number,
    ) => ({
      country: "JP" as const,
      symbol: "7203",
      span: "year_to_date" as const,
      fiscalYear: 2027,
      fiscalQuarter,
      periodEnd,
      filedOn: periodEnd,
      currency: "JPY",
      items: { ...NO_ITEMS, epsDiluted: eps, revenue },
    });
    const { market } = world;
    market.transaction(() =>
      market.put(
        "statements",
        [cumulative(1, "2026-06-30", 76.49, 12e12), cumulative(2, "2026-09-30", 156.17, 25e12 + 1)],
        { source: "test", storedAt: STORED_AT },
      ),
    );
    const { figures } = await world.answer<{ figures: { columns: string[]; rows: unknown[][] } }>(
      "get_stock_statements",
      { country: "JP", symbol: "7203", type: "income", period: "quarterly", figures: true },
    );
    const at = (name: string) => figures.rows[0]?.[figures.columns.indexOf(name)];
    // 156.17 − 76.49, which is 79.67999999999999 in binary.
    expect([at("fiscal_period"), at("eps_diluted"), at("revenue")]).toEqual([
      "Q2 2027",
      79.68,
      13e12 + 1,
    ]);
  });

  test("adds figures alone for figures=true, of the newest fiscal years", async () => {
    const data = await world.answer("get_stock_statements", {
      ...AAPL,
      type: "income",
      figures: true,
    });
    expect(data).not.toHaveProperty("periods");
    // Only quarters were reported.
    expect(data).toMatchObject({
      ...HEAD,
      periods_total: 0,
      figures: { currency: null, rows: [] },
    });
  });

  test("has no annual period if only quarters were reported", async () => {
    const data = await world.answer("get_stock_statements", {
      ...AAPL,
      type: "income",
      period: "annual",
    });
    expect(data).toMatchObject({ periods: [], periods_total: 0 });
  });

  test("has every key and dashes for a company without statements", async () => {
    const { Name, Source, Reasons, ...rest } = await world.answer("get_stock_statements", {
      country: "US",
      symbol: "YOUNG",
      type: "income",
    });
    expect([Name, Source]).toEqual(["Young Corp", "test"]);
    expect(Reasons).toBe("not_stored: all of the answer");
    expect(Object.keys(rest)).toHaveLength(10);
    expect(new Set(Object.values(rest))).toEqual(new Set(["—"]));
  });

  test("is not found for an index, and the hint names other tools", async () => {
    const error = await expectError(
      () =>
        world.envelope("get_stock_statements", { country: "US", symbol: "^GSPC", type: "income" }),
      "not_found",
    );
    expect(error.details.hint).toContain("get_stock_overview");
  });
});

describe("get_stock_technicals", () => {
  test("has every key and a dash below 34 sessions", async () => {
    for (const [country, symbol, session] of [
      ["US", "YOUNG", NEWEST_SESSION],
      ["US", "BRK-B", "—"],
      ["VN", "FPT", NEWEST_SESSION],
    ]) {
      const { Reasons, ...data } = await world.answer("get_stock_technicals", { country, symbol });
      expect(Reasons).toBe(`${session === "—" ? "not_stored" : "too_few"}: all of the answer`);
      // The contract's twelve labels, the session and the source.
      expect(Object.keys(data)).toHaveLength(14);
      expect([data["Price date"], data["Source"]]).toEqual([session, "test"]);
      expect([data["AO"], data["MACD (12,26)Signal"]]).toEqual(["—", "—"]);
    }
  });

  test("has the computed figures of flat prices that jumped once", async () => {
    const data = await world.answer("get_stock_technicals", { country: "US", symbol: "AAPL" });
    // No loss in 14 sessions; ten sessions ago the close was 100.
    expect(data).toMatchObject({ "RSI (14)": "100.00", "Mom (10)": "10.00" });
    expect(data).not.toHaveProperty("votes");
  });

  test("lists the 26 votes from which it computes the ratings", async () => {
    const answer = async (country: string, symbol: string) => {
      const args = { country, symbol, votes: true };
      return world.answer<
        Record<string, string> & { votes: { columns: string[]; rows: Cell[][] } }
      >("get_stock_technicals", args);
    };
    const data = await answer("US", "AAPL");
    expect(data.votes.columns).toEqual(["group", "item", "value", "vote"]);
    const { rows } = data.votes;
    const groupSize = (name: string) => rows.filter(([group]) => group === name).length;
    expect([groupSize("moving average"), groupSize("oscillator")]).toEqual([15, 11]);
    const row = (name: string) => rows.find(([, item]) => item === name)?.slice(2);
    // Closes of 100, the last one 110: (9 × 100 + 110) / 10 and (199 × 100 + 110) / 200.
    expect(row("SMA (10)")).toEqual([101, "buy"]);
    expect(row("SMA (200)")).toEqual([100.05, "buy"]);
    // 110 − 100, which is more than 100 − 100.
    expect(row("Momentum (10)")).toEqual([10, "buy"]);
    // An RSI of 100 sells only if it falls.
    expect(row("RSI (14)")).toEqual([100, "neutral"]);
    expect((await answer("US", "YOUNG")).votes.rows).toEqual([]);
  });
});

describe("get_stock_forecast", () => {
  test("returns as many actions as the limit, and the number of all", async () => {
    const AAPL = { country: "US", symbol: "AAPL" };
    const data = await world.answer<{ actions: { date: string }[] }>("get_stock_forecast", AAPL);
    expect(data).toMatchObject({
      name: "Apple Inc.",
      currency: "USD",
      price: 110,
      rating: "Buy",
      rating_trend: [
        { month: "2026-11", strong_buy: 0, buy: 10, hold: 0, sell: 0, strong_sell: 0 },
      ],
      // 121 over 110.
      price_target: {
        low: 90,
        mean: 121,
        median: 120,
        high: 150,
        analysts: 10,
        upside_percent: 10,
      },
      // 1.5 against 1.2, 1.6 and −2: 0.3 / 1.2, −0.1 / 1.6 and 3.5 / 2.
      surprises: [
        ["2026-09", "2026-10-29", 1.2, 25],
        ["2026-06", "2026-07-30", 1.6, -6.25],
        ["2026-03", null, -2, 175],
      ].map(([quarter_end, reported_on, eps_estimate, surprise_percent]) => ({
        quarter_end,
        reported_on,
        eps_actual: 1.5,
        eps_estimate,
        surprise_percent,
      })),
      surprises_total: 3,
      actions_total: 7,
      // No target is a year old yet.
      track_record: [],
    });
    expect(data.actions.map(({ date }) => date)).toEqual(
      "2026-11-01 2026-10-31 2026-10-30 2026-10-29 2026-10-28".split(" "),
    );
    expect(
      (await world.answer<{ actions: [] }>("get_stock_forecast", { ...AAPL, limit: 100 })).actions,
    ).toHaveLength(7);
  });

  test("has only the wanted sections", async () => {
    const answer = (sections: string) =>
      world.answer("get_stock_forecast", { country: "US", symbol: "AAPL", sections });
    const head = { name: "Apple Inc.", currency: "USD", price: 110, rating: "Buy", source: "test" };
    expect(await answer("track_record")).toEqual({
      ...head,
      track_record: [],
      track_record_total: 0,
      reasons: { too_few: ["track_record"] },
    });
    expect(Object.keys(await answer("actions, estimates"))).toEqual(
      "name currency price rating estimates actions actions_total reasons source".split(" "),
    );
    const refused = () => answer("targets");
    expect((await expectError(refused, "invalid_argument")).message).toBe(
      'sections must be one or more of rating_trend, price_target, estimates, surprises, actions, track_record, comma-separated, not "targets".',
    );
  });

  test("is refused for an instrument that is not a company", async () => {
    const index = { country: "US", symbol: "^GSPC" };
    const error = await expectError(() => world.answer("get_stock_forecast", index), "not_found");
    expect(error.message).toBe(
      "^GSPC in US has no analyst forecasts: it is of type index, not a company.",
    );
  });

  test("is empty if no analyst covers the ticker", async () => {
    expect(await world.answer("get_stock_forecast", { country: "JP", symbol: "7203" })).toEqual({
      name: "Toyota Motor Corporation",
      currency: "JPY",
      price: 110,
      rating: null,
      rating_trend: [],
      price_target: null,
      estimates: [],
      surprises: [],
      surprises_total: 0,
      actions: [],
      actions_total: 0,
      track_record: [],
      track_record_total: 0,
      reasons: { not_stored: ["all of the answer"] },
      source: "test",
    });
  });
});

describe("get_stock_price_history", () => {
  interface History {
    dates: string[];
    closes: number[];
    total: number;
    next_before: string | null;
    more?: string;
    bars?: { columns: string[]; rows: (string | number | null)[][] };
    snapshot?: { dates: string[]; closes: number[] };
    dividends?: { columns: string[]; rows: Cell[][] } | null;
  }
  const history = (country: string, symbol: string, more: object = {}) =>
    world.answer<History>("get_stock_price_history", { country, symbol, ...more });

  test("is by default the newest year and earlier month-ends, and says how to get the rest", async () => {
    const data = await history("US", "AAPL");
    // A year before Thursday, 19 November 2026, is a Wednesday: 52 weeks of 5 sessions, and two more.
    expect([data.dates[0], data.dates.at(-1), data.dates.length]).toEqual([
      "2025-11-19",
      NEWEST_SESSION,
      262,
    ]);
    expect([data.total, data.next_before]).toEqual([300, "2025-11-19"]);
    // 300 weekdays begin on 26 September 2025.
    expect(data.snapshot).toEqual({ dates: ["2025-09-30", "2025-10-31"], closes: [100, 100] });
    expect(data.more).toBe(
      "262 of 300 rows. A period: range=5y, or from and to. Older rows: before=2025-11-19 and limit. Fewer rows for a long period: interval=1wk or 1mo. All at once: limit=300.",
    );
    expect((await history("US", "AAPL", { limit: 300 })).more).toBeUndefined();
    const older = await history("US", "AAPL", { before: "2025-11-19" });
    expect([older.dates.length, older.next_before]).toEqual([38, null]);
    expect(older).not.toHaveProperty("snapshot");
  });

  test("is the whole of a given range, for every country", async () => {
    // 600 weekdays before 2026-11-19 lead back to 2024-08-02.
    for (const [range, first, total] of [
      ["max", "2024-08-02", 600],
      ["5y", "2024-08-02", 600],
      ["2y", "2024-11-19", 523],
      ["1y", "2025-11-19", 262],
      ["1w", "2026-11-12", 6],
      ["1d", "2026-11-18", 2],
    ] as const) {
      const data = await history("JP", "7203", { range });
      expect([range, data.dates[0], data.dates.length, data.total]).toEqual([
        range,
        first,
        total,
        total,
      ]);
      expect(data.next_before).toBeNull();
      expect(data).not.toHaveProperty("snapshot");
    }
    const newest = await history("JP", "7203", { limit: 600 });
    expect([newest.dates.length, newest.next_before]).toEqual([600, null]);
  });

  test("is the full daily series of a US ticker, newest last", async () => {
    const data = await history("US", "AAPL", { limit: 600 });
    expect(data).toMatchObject({
      name: "Apple Inc.",
      currency: "USD",
      total: 300,
      next_before: null,
    });
    expect(data.dates).toHaveLength(300);
    expect(data.dates).toEqual([...data.dates].sort());
    expect([data.dates.at(-1), data.closes.at(-1), data.closes.at(-2)]).toEqual([
      NEWEST_SESSION,
      110,
      100,
    ]);
    expect(data.snapshot).toBeUndefined();
  });

  test("is one year of daily closes and older month-ends for Japan and Viet Nam", async () => {
    const data = await history("JP", "7203");
    // 2025-11-19 is a Wednesday, and 365 days before.
    expect([data.dates[0], data.dates.at(-1)]).toEqual(["2025-11-19", NEWEST_SESSION]);
    // 366 days with both ends: 52 weeks of 5, a Wednesday and a Thursday.
    expect([data.dates.length, data.total]).toEqual([262, 600]);
    // 600 weekdays before 2026-11-19 lead back to 2024-08-02: month-ends from August 2024 on.
    expect([data.snapshot?.dates[0], data.snapshot?.dates.at(-1)]).toEqual([
      "2024-08-30",
      "2025-10-31",
    ]);
    expect(data.snapshot?.dates).toHaveLength(15);
    expect(new Set(data.snapshot?.closes)).toEqual(new Set([100]));
    const young = await history("VN", "FPT");
    expect(young).toMatchObject({ total: 20, snapshot: { dates: [], closes: [] } });
    expect(young.next_before).toBeNull();
  });

  test("is narrowed by range and limit", async () => {
    // A month before 2026-11-19 is 2026-10-19, a Monday: 24 weekdays with both ends.
    expect((await history("US", "AAPL", { range: "1m" })).dates[0]).toBe("2026-10-19");
    expect((await history("US", "AAPL", { range: "1m" })).total).toBe(24);
    // The last session of the year before: the close from which the year to date is measured.
    expect((await history("US", "AAPL", { range: "ytd" })).dates[0]).toBe("2025-12-31");
    const three = await history("US", "AAPL", { limit: 3 });
    expect(three.dates).toEqual(["2026-11-17", "2026-11-18", "2026-11-19"]);
    expect([three.total, three.next_before]).toEqual([300, "2026-11-17"]);
  });

  test("has the same year to date at every hour until the next session, like the performance window", async () => {
    const { market, time } = world;
    const before = time.now;
    const session = (date: string, price: number) => ({
      date,
      open: price,
      high: price,
      low: price,
      close: price,
      volume: null,
    });
    const bars = [
      session("2025-12-31", 80),
      session("2026-01-02", 90),
      session("2026-12-31", 100),
      session("2027-01-04", 99),
    ];
    const ytd = async (now: string, sessions: number) => {
      market.transaction(() =>
        market.bars.replace(
          { country: "US", symbol: "^GSPC", bars: bars.slice(0, sessions) },
          { source: "test", storedAt: 0 },
        ),
      );
      time.now = Date.parse(now);
      const about = { country: "US", symbol: "^GSPC" };
      const { performance } = await world.answer<{ performance: Record<string, string> }>(
        "get_stock_overview",
        about,
      );
      return [(await history("US", "^GSPC", { range: "ytd" })).dates, performance["Perf %YTD"]];
    };
    // 100 / 80, also after midnight UTC and over the weekend.
    const year = [["2025-12-31", "2026-01-02", "2026-12-31"], "+25.00%"];
    for (const now of ["2026-12-31T23:59Z", "2027-01-01T00:00Z", "2027-01-03T12:00Z"])
      expect(await ytd(now, 3)).toEqual(year);
    // 99 / 100: the first session of the new year.
    expect(await ytd("2027-01-04T23:00Z", 4)).toEqual([["2026-12-31", "2027-01-04"], "-1.00%"]);
    time.now = before;
  });

  test("returns every close exactly once on all pages", async () => {
    const seen: string[] = [];
    let before: string | null = null;
    do {
      const page: History = await history("US", "AAPL", { limit: 70, ...(before && { before }) });
      seen.unshift(...page.dates);
      before = page.next_before;
    } while (before !== null);
    expect(seen).toEqual((await history("US", "AAPL", { limit: 600 })).dates);
  });

  test("is of the dates from `from` to `to`, for every country by session", async () => {
    for (const [country, symbol] of [
      ["US", "AAPL"],
      ["JP", "7203"],
    ] as const) {
      // Monday to Friday, more than a year before the newest session.
      const week = await history(country, symbol, { from: "2025-11-01", to: "2025-11-07" });
      expect(week).toMatchObject({ total: 5, next_before: null });
      expect([week.dates[0], week.dates.at(-1)]).toEqual(["2025-11-03", "2025-11-07"]);
    }
    // The oldest of 600 sessions is 2024-08-02. A year before 2025-10-31, a Friday, is a Thursday.
    const { dates, snapshot } = await history("JP", "7203", { to: "2025-10-31" });
    expect([dates[0], dates.at(-1)]).toEqual(["2024-10-31", "2025-10-31"]);
    expect(snapshot?.dates).toEqual(["2024-08-30", "2024-09-30"]);
    expect(await history("JP", "7203", { snapshot: false })).not.toHaveProperty("snapshot");
  });

  test("has the dividends of the period", async () => {
    const paid = async (country: string, symbol: string, args: object) =>
      (await history(country, symbol, { dividends: true, limit: 1, ...args })).dividends;
    const columns = ["ex_date", "amount"];
    const rows = ["2026-02-09", "2026-05-11", "2026-08-10", "2026-11-09"].map((date) => [
      date,
      0.55,
    ]);
    expect(await paid("US", "AAPL", {})).toEqual({ columns, rows });
    // The first and the last day belong to the period.
    const period = { from: "2026-05-11", to: "2026-08-10" };
    expect(await paid("US", "AAPL", period)).toEqual({ columns, rows: rows.slice(1, 3) });
    // Without a record they are unknown.
    expect(await paid("JP", "7203", {})).toBeNull();
    expect(await history("US", "AAPL")).not.toHaveProperty("dividends");
  });

  test("has bars by week and month, dated by their last session, in pages without gaps", async () => {
    const bars = async (args: object) =>
      (await history("US", "AAPL", { fields: "ohlcv", ...args })).bars?.rows ?? [];
    // The newest week has four sessions of a million shares, the last of which rose to 110.
    expect(await bars({ interval: "1wk", limit: 2 })).toEqual([
      ["2026-11-13", 100, 100, 100, 100, 5_000_000],
      [NEWEST_SESSION, 100, 110, 100, 110, 4_000_000],
    ]);
    // October 2026 has 22 weekdays, November up to the 19th 14.
    expect(await bars({ interval: "1mo", from: "2026-10-01" })).toEqual([
      ["2026-10-30", 100, 100, 100, 100, 22_000_000],
      [NEWEST_SESSION, 100, 110, 100, 110, 14_000_000],
    ]);
    const data = await history("US", "AAPL", { fields: "ohlcv", limit: 1 });
    expect(data.bars?.columns).toEqual(["date", "open", "high", "low", "close", "volume"]);
    expect(data).not.toHaveProperty("dates");
    const first = await history("US", "AAPL", { interval: "1wk", limit: 1 });
    // The page before begins with the week before: Monday is the first session of the newest week.
    expect([first.dates, first.next_before]).toEqual([[NEWEST_SESSION], "2026-11-16"]);
    const second = await history("US", "AAPL", { interval: "1wk", limit: 1, before: "2026-11-16" });
    expect([second.dates, second.total]).toEqual([["2026-11-13"], first.total]);
    // The week and the month of `from` are whole: five sessions, although Monday is before it.
    expect(await bars({ interval: "1wk", from: "2026-11-11", to: "2026-11-14" })).toEqual([
      ["2026-11-13", 100, 100, 100, 100, 5_000_000],
    ]);
    expect(await bars({ interval: "1mo", from: "2026-10-20", to: "2026-10-31" })).toEqual([
      ["2026-10-30", 100, 100, 100, 100, 22_000_000],
    ]);
    // No session of the week of 9 November is on or after Saturday the 14th.
    expect((await bars({ interval: "1wk", from: "2026-11-14" })).map(([date]) => date)).toEqual([
      NEWEST_SESSION,
    ]);
    // All weeks of Japan, not only those of a year: 4 sessions, 119 weeks of 5, and a Friday are 600.
    expect((await history("JP", "7203", { interval: "1wk" })).total).toBe(121);
  });

  test.each([
    [
      { from: "2026-05-02", to: "2026-05-01" },
      "from must not be after to: 2026-05-02 is after 2026-05-01.",
    ],
    [
      { from: "1990-01-01", to: "1990-12-31" },
      "AAPL has no session from 1990-01-01 to 1990-12-31: its prices begin on 2025-09-26 and end on 2026-11-19.",
    ],
    [
      { to: "2000-01-01" },
      "AAPL has no session to 2000-01-01: its prices begin on 2025-09-26 and end on 2026-11-19.",
    ],
    [
      { from: "2026-11-21", to: "2026-11-22" },
      "AAPL has no session from 2026-11-21 to 2026-11-22: its prices begin on 2025-09-26 and end on 2026-11-19.",
    ],
    [{ from: "2026-02-30" }, 'from must be a date that exists, YYYY-MM-DD, not "2026-02-30".'],
    [{ range: "1y", from: "2026-01-01" }, "Use range, or from and to, not both."],
    [
      { adjusted: false },
      "Prices of US:AAPL as traded are unknown: its splits are not stored yet. The operator can import them with `bourse import splits`. Leave adjust out for prices that are adjusted for splits.",
    ],
    [
      { adjusted: false, adjust: "total" },
      "adjusted=false is adjust=none and contradicts adjust=total; leave adjusted out.",
    ],
  ])("refuses %j in one sentence", async (args, message) => {
    const refused = () =>
      world.answer("get_stock_price_history", { country: "US", symbol: "AAPL", ...args });
    expect((await expectError(refused, "invalid_argument")).message).toBe(message);
  });

  test("is an empty list before the first close and for a ticker without prices", async () => {
    for (const data of [
      await history("US", "AAPL", { before: "2000-01-01" }),
      await history("US", "BRK-B"),
    ]) {
      expect(data).toMatchObject({ dates: [], closes: [], next_before: null });
    }
  });

  test("has no floating-point noise in prices", async () => {
    const { market } = world;
    const noise = [0.1 + 0.2, 310.8500061035156, 123_456.789_01, 15_234_567.4, 0.000_012_345_678_9];
    const bars = noise.map((close, i) => ({
      date: `2026-11-0${i + 2}`,
      open: close,
      high: close,
      low: close,
      close,
      volume: null,
    }));
    market.transaction(() =>
      market.bars.replace(
        { country: "US", symbol: "^GSPC", bars },
        { source: "import", storedAt: 0 },
      ),
    );
    expect((await history("US", "^GSPC")).closes).toEqual([
      0.3, 310.85, 123_456.8, 15_234_567, 0.000_012_345_68,
    ]);
  });
});
