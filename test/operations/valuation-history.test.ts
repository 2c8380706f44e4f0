import { afterEach, describe, expect, test } from "bun:test";
import type { VALUATION_METRICS } from "#analytics/valuation-history.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { secStatements } from "#sources/sec/statements.ts";
import { secQuery } from "../support/company-facts.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { expectError } from "../support/error.ts";
import { flatBar, instrument } from "../support/market.ts";
import { hasRecordings, recordedJson, recordedText } from "../support/recordings.ts";

type Metric = (typeof VALUATION_METRICS)[number];
type Place = Record<"today" | "median" | "p10" | "p90" | "percentile" | "points", number | null>;
interface Answer {
  name: string;
  session: string;
  metrics: Partial<Record<Metric, Place>>;
  verdicts: Partial<Record<Metric, string | null>>;
  verdict_window: string;
  figures?: string;
  filing_dates?: string;
  begins?: string;
  columns: string[];
  rows: [string, ...(number | null)[]][];
}

let world: ReturnType<typeof openHandMade>;
afterEach(() => world.close());

const ask = (args: Record<string, unknown>) => world.answer<Answer>("get_valuation_history", args);

/** A bar of one price. */
const bar = (date: string, close: number) => flatBar(date, close, 1);

/** A market with one company and these closes. Its time is the evening of the last one. */
function openCompany(
  key: { country: "US" | "JP"; symbol: string },
  closes: readonly (readonly [string, number])[],
) {
  world = openHandMade({ filled: false });
  const { market, time } = world;
  time.now = Date.parse(`${closes.at(-1)?.[0]}T23:00Z`);
  const provenance = { source: "test", storedAt: time.now };
  const bars = closes.map(([date, close]) => bar(date, close));
  market.transaction(() => {
    market.put(
      "instruments",
      [instrument(key.country, key.symbol, { sharesOutstanding: 1e7 })],
      provenance,
    );
    market.put("bars", [{ ...key, bars }], provenance);
  });
  return { market, provenance };
}

const year = (details: Partial<Statement>, items: Partial<Statement["items"]>): Statement => ({
  country: "US",
  symbol: "ACME",
  span: "year",
  fiscalYear: 2024,
  fiscalQuarter: 4,
  periodEnd: "2024-12-31",
  filedOn: "2025-02-10",
  currency: "USD",
  ...details,
  items: { ...NO_ITEMS, ...items },
});

describe.skipIf(!hasRecordings)("get_valuation_history of recorded companies", () => {
  /**
   * By pandas 1.5.3. `close`: closes of yahoo/chart_2022_AAPL_ee55.json, in the shares after 2020. `f`: the facts of
   * EarningsPerShareDiluted, val / 28 if filed before 2014-06-09, / 4 if filed before 2020-08-31.
   *
   *     k = f[f.filed <= day].sort_values("filed").drop_duplicates(["start", "end"], keep="last")
   *     eps = the year that ends with the newest quarter, or the sum of the last four quarters; a fourth quarter is
   *           the year less the other three
   *     pe = close / eps;  dividend_yield = 100 · sum of the dividends of the year before / close
   */
  const BY_PANDAS = `
    2017-07-31 17.3953 1.5733
    2017-08-31 18.6364 1.4634
    2018-05-31 18.0376 1.4020
    2019-03-29 15.6209 1.5372
    2020-01-31 24.4479 0.9822
    2020-07-31 32.3224 0.7364
    2020-08-31 39.2517 0.6161
    2020-09-30 35.2274 0.6865
    2020-10-30 33.1890 0.7303
    2021-09-30 27.6908 0.6007
    2022-05-31 24.2016 0.5980
    2022-06-30 22.2309 0.6510`;

  function openApple() {
    const [result] = recordedJson("yahoo/chart_2022_AAPL_ee55.json").chart.result;
    const day = (epoch: number) => dateOf(epoch * 1_000 - 4 * 3_600_000);
    const closes = (result.timestamp as number[]).map(
      (at, i) => [day(at), result.indicators.quote[0].close[i] as number] as const,
    );
    const recent = closes.filter(([date]) => date >= "2016-01-01");
    const key = { country: "US", symbol: "AAPL" } as const;
    const { market, provenance } = openCompany(key, recent);
    const split = (exDate: string, numerator: number) => ({ exDate, numerator, denominator: 1 });
    const splits = [split("2014-06-09", 7), split("2020-08-31", 4)];
    const paid = Object.values(result.events.dividends) as { date: number; amount: number }[];
    const dividends = paid
      .map(({ date, amount }) => ({ exDate: day(date), amount }))
      .sort((a, b) => a.exDate.localeCompare(b.exDate));
    const query = { ...secQuery("AAPL"), splitsOf: () => splits };
    // As companyfacts was then.
    const own: unknown = JSON.parse(
      JSON.stringify(recordedJson("sec/companyfacts_CIK0000320193.json")),
      (_, value: unknown) =>
        Array.isArray(value) ? value.filter((one) => !(one.filed > "2022-07-15")) : value,
    );
    const answers = { own, predecessor: null };
    market.transaction(() => {
      market.put("splits", [{ ...key, splits }], provenance);
      market.put("dividends", [{ ...key, dividends }], provenance);
      for (const { kind, records } of secStatements.others?.(answers, query) ?? [])
        market.put(kind, records as never, provenance);
      market.put("statements", secStatements.transform(answers, query) as never, provenance);
    });
    return key;
  }

  test("Apple in July 2022: P/E and yield of sixty months, across its split", async () => {
    const key = openApple();
    const answer = await ask({ ...key, metric: "pe,dividend_yield" });
    expect(answer.session).toBe("2022-07-15");
    expect(answer).toMatchObject({ filing_dates: "published", figures: "as filed" });
    expect(answer).not.toHaveProperty("begins");
    expect(answer.columns).toEqual(["date", "pe", "dividend_yield"]);
    expect(answer.rows).toHaveLength(60);
    const rows = new Map(answer.rows.map(([date, ...values]) => [date, values]));
    for (const line of BY_PANDAS.trim().split("\n")) {
      const [date = "", pe, dividendYield] = line.trim().split(" ");
      const [ours, yieldOfUs] = rows.get(date) ?? [];
      // The fourth quarter is known to a cent, so earnings differ by up to 0.3 %.
      expect(Math.abs(Number(ours) / Number(pe) - 1)).toBeLessThan(0.003);
      expect(yieldOfUs ?? 0).toBeCloseTo(Number(dividendYield), 1.9);
    }
    // o.pe.median(), quantile(0.1), quantile(0.9), 100 · (o.pe < today).mean() with today = 24.4179
    const { pe } = answer.metrics;
    expect(pe?.points).toBe(60);
    const expected = { today: 24.4179, median: 21.9117, p10: 16.4143, p90: 33.0311 };
    for (const [name, value] of Object.entries(expected))
      expect(Math.abs(Number(pe?.[name as "today"]) / value - 1)).toBeLessThan(0.003);
    expect(pe?.percentile).toBeCloseTo(56.67, 1);
  });

  test("today's value and its place are those of a comparison", async () => {
    const key = openApple();
    const metrics = ["pe", "pb", "ps", "ev_ebitda", "dividend_yield"] as const;
    const { metrics: places } = await ask({ ...key, metric: metrics.join(",") });
    const { columns, rows } = await world.answer<{ columns: string[]; rows: unknown[][] }>(
      "compare_stocks",
      {
        symbols: "US:AAPL",
        metrics: metrics
          .flatMap((one) => [one, `${one}_5y_median`, `${one}_percentile_5y`])
          .join(","),
      },
    );
    const compared = (name: string) => rows[0]?.[columns.indexOf(name)];
    for (const metric of metrics) {
      const place = places[metric];
      expect(place?.today).not.toBeNull();
      expect([place?.today, place?.median]).toEqual([
        compared(metric) as number,
        compared(`${metric}_5y_median`) as number,
      ]);
      expect(Number(compared(`${metric}_percentile_5y`))).toBeCloseTo(place?.percentile ?? 0, 1);
    }
  });

  test("Toyota: a year counts from the day of its summary", async () => {
    const closes = recordedText("prices/7203.csv")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.split(","))
      .map(([date = "", , , , close]) => [date, Number(close)] as const)
      .filter(([date]) => date >= "2024-04-01" && date <= "2025-07-04");
    const key = { country: "JP", symbol: "7203" } as const;
    const { market, provenance } = openCompany(key, closes);
    // Toyota's financial summaries of 8 May 2024 and 8 May 2025; it has no dilution.
    const toyota = (fiscalYear: number, filedOn: string, epsDiluted: number) =>
      year(
        { ...key, fiscalYear, periodEnd: `${fiscalYear}-03-31`, filedOn, currency: "JPY" },
        { epsDiluted },
      );
    const statements = [toyota(2024, "2024-05-08", 365.94), toyota(2025, "2025-05-08", 359.56)];
    market.put("statements", statements, provenance);
    const { rows, begins } = await ask(key);
    // t = pd.read_csv("7203.csv"): the last close of each month / 365.94, from 8 May 2025 / 359.56.
    expect(Object.fromEntries(rows)).toMatchObject({
      "2024-04-30": null,
      "2024-05-31": 8.73,
      "2024-12-30": 8.2,
      "2025-04-30": 7.24,
      "2025-05-30": 7.47,
      "2025-06-30": 6.73,
    });
    expect(rows).toHaveLength(15);
    expect(begins).toBe("2024-04-01");
  });
});

describe("get_valuation_history", () => {
  const KEY = { country: "US", symbol: "ACME" } as const;
  /** Fridays of 2025 and 2026, at 50 until a date and at 60 from then on. */
  const fridays = (count: number) =>
    Array.from({ length: count }, (_, i) => [addDays("2025-01-03", 7 * i), 50] as const);

  test("a split between a statement and a day does not distort", async () => {
    // Prices of the source are in the shares after the split of 10 for 1; the statement is in those before it.
    const { market, provenance } = openCompany(KEY, fridays(40));
    market.put(
      "statements",
      [
        year(
          { sharesAsOf: "2025-02-10" },
          { epsDiluted: 20, sharesDiluted: 1e6, commonEquity: 1e8 },
        ),
      ],
      provenance,
    );
    const splits = [{ exDate: "2025-06-09", numerator: 10, denominator: 1 }];
    market.put("splits", [{ ...KEY, splits }], provenance);
    const { rows, metrics } = await ask({ ...KEY, metric: "pe,pb" });
    // 50 / (20 / 10); 50 · 10 million shares / 100 million. The statement is known from 10 February on.
    expect(rows.map(([, pe, pb]) => [pe, pb])).toEqual([
      [null, null],
      ...Array.from({ length: 8 }, () => [25, 5]),
    ]);
    expect(metrics.pe).toEqual({
      today: 25,
      median: 25,
      p10: 25,
      p90: 25,
      percentile: 50,
      points: 8,
    });
  });

  test("has the weeks and months that are over, and an assumed day of filing is named", async () => {
    const { market, provenance } = openCompany(KEY, fridays(12));
    const statement = year({ filedOn: "2025-03-31", isFilingAssumed: true }, { epsDiluted: 2 });
    market.put("statements", [statement], provenance);
    const weeks = await ask({ ...KEY, interval: "1wk", range: "max" });
    expect(weeks.rows.map(([date]) => date)).toEqual(fridays(11).map(([date]) => date));
    expect(weeks).toMatchObject({ figures: "as stored now", filing_dates: "assumed" });
    expect(weeks).not.toHaveProperty("begins");
    const months = await ask({ ...KEY, from: "2025-01-15", to: "2025-02-28" });
    expect(months.rows.map(([date]) => date)).toEqual(["2025-01-31", "2025-02-28"]);
    expect(months.metrics.pe).toMatchObject({
      today: null,
      median: null,
      percentile: null,
      points: 0,
    });
  });

  // Month ends of ten years at P/E 10.00, 10.01, …, and the share of them below today's.
  test.each([
    [0.1, "Very cheap"],
    [0.25, "Cheap"],
    [0.5, "Fair"],
    [0.75, "Expensive"],
    [0.95, "Very expensive"],
  ] as const)(
    "above %p of its ten years, a company is %p by P/E and by yield",
    async (share, verdict) => {
      const weeks = Array.from(
        { length: 560 },
        (_, i) => [addDays("2016-01-01", 7 * i), 10 + i / 100] as const,
      );
      // The ten years before 2026-09-18 have the last 522 weeks.
      const today = 10 + (560 - 522 * (1 - share)) / 100;
      const { market, provenance } = openCompany(KEY, [
        ...weeks.slice(0, -1),
        ["2026-09-18", today],
      ]);
      const years = Array.from({ length: 12 }, (_, i) => 2014 + i);
      market.put(
        "statements",
        years.map((fiscalYear) =>
          year(
            { fiscalYear, periodEnd: `${fiscalYear}-12-31`, filedOn: `${fiscalYear + 1}-01-05` },
            { epsDiluted: 1 },
          ),
        ),
        provenance,
      );
      const dividends = years.map((paid) => ({ exDate: `${paid + 1}-01-05`, amount: 1 }));
      market.put("dividends", [{ ...KEY, dividends }], provenance);
      const metric = "pe,dividend_yield";
      const expected = {
        verdicts: { pe: verdict, dividend_yield: verdict },
        verdict_window: "10y",
      };
      // The verdict does not depend on the period of the rows.
      for (const range of ["10y", "5y", "1y"]) {
        expect(await ask({ ...KEY, metric, range })).toMatchObject(expected);
      }
    },
  );

  test("a company with 23 months has no verdict", async () => {
    // 101 Fridays from 3 January 2025 to 4 December 2026 end 23 months.
    const { market, provenance } = openCompany(KEY, fridays(101));
    market.put("statements", [year({ filedOn: "2025-01-02" }, { epsDiluted: 2 })], provenance);
    expect(await ask(KEY)).toMatchObject({ verdicts: { pe: null } });
  });

  test("an index has the stored P/E of its months, and today's of its companies", async () => {
    world = openHandMade();
    const key = { country: "US", symbol: "^GSPC" } as const;
    const months = [
      ["2026-08", 24],
      ["2026-09", 26],
      ["2026-10", 20],
      ["2026-11", 99],
    ] as const;
    world.market.put(
      "indexPe",
      months.map(([month, pe]) => ({ country: "US", month, pe })),
      { source: "test", storedAt: 1 },
    );
    const answer = await ask({ ...key, range: "6m" });
    const { rows, metrics, begins, verdicts, verdict_window: window } = answer;
    expect(rows).toEqual([
      ["2026-08", 24],
      ["2026-09", 26],
      ["2026-10", 20],
    ]);
    expect(begins).toBe("2026-08");
    const sectors = await world.answer<{ country_pe: number }>("get_sectors", { country: "US" });
    expect(metrics.pe).toMatchObject({ today: sectors.country_pe, median: 24, points: 3 });
    // Four months are too few.
    expect([verdicts.pe, window]).toEqual([null, "5y"]);
    const refusal = (args: object) =>
      expectError(() => ask({ ...key, ...args }), "invalid_argument").then(
        ({ message }) => message,
      );
    expect(await refusal({ metric: "pb" })).toBe("^GSPC is an index: its history has pe only.");
    expect(await refusal({ interval: "1wk" })).toBe(
      "^GSPC is an index: its P/E is known by month, so use 1mo.",
    );
  });

  test("refuses what has no valuation, two periods, and more rows than an answer can have", async () => {
    const days = Array.from(
      { length: 1_600 },
      (_, i) => [addDays("1995-01-06", 7 * i), 5] as const,
    );
    openCompany(KEY, days);
    const large = await expectError(
      () => ask({ ...KEY, range: "max", interval: "1wk", metric: "pe,pb" }),
      "invalid_argument",
    );
    expect(large.message).toBe(
      "The answer would have 1599 rows, and with 2 metrics at most 1000 are allowed.",
    );
    const both = await expectError(
      () => ask({ ...KEY, range: "1y", from: "2020-01-01" }),
      "invalid_argument",
    );
    expect(both.message).toContain("not both");
    world.close();
    world = openHandMade();
    const fund = instrument("US", "SPY", { assetType: "etf" });
    world.market.put("instruments", [fund], { source: "test", storedAt: 1 });
    const error = await expectError(() => ask({ country: "US", symbol: "SPY" }), "not_found");
    expect(error.message).toBe(
      "SPY in US has no valuation history: it is of type etf, not a company.",
    );
  });
});

describe("get_valuation_history of several instruments", () => {
  const filed = (key: Partial<Statement>, epsDiluted: number) => ({
    ...year({ fiscalYear: 2025, periodEnd: "2025-12-31" }, { epsDiluted }),
    filedOn: "2026-01-20",
    ...key,
  });
  const closes = (first: number): [string, number][] =>
    ["2026-01-30", "2026-02-27", "2026-03-30", "2026-04-01"].map((date, i) => [date, first + i]);

  test("is side by side by month, with the figures of each, as it is alone", async () => {
    const { market, provenance } = openCompany({ country: "US", symbol: "ACME" }, closes(100));
    const toyota = { country: "JP", symbol: "7203" } as const;
    market.transaction(() => {
      market.put(
        "instruments",
        [
          instrument("JP", "7203", { sharesOutstanding: 1e7 }),
          instrument("US", "FUND", { assetType: "etf" }),
        ],
        provenance,
      );
      // Japan's last session of March is another day.
      const bars = closes(50).map(([date, close]) =>
        bar(date === "2026-03-30" ? "2026-03-31" : date, close),
      );
      market.put("bars", [{ ...toyota, bars }], provenance);
      market.put(
        "statements",
        [filed({}, 10), filed({ ...toyota, currency: "JPY" }, 5)],
        provenance,
      );
    });
    const alone = await ask({ country: "US", symbol: "ACME", range: "1y" });
    const symbols = "JP:7203,US:FUND,NOPE";
    const answer = await ask({ country: "US", symbol: "ACME", symbols, range: "1y" });
    expect(answer).toMatchObject({
      columns: ["month", "US:ACME", "JP:7203"],
      metrics: { "US:ACME": alone.metrics.pe, "JP:7203": { points: 3 } },
      verdicts: { "US:ACME": null, "JP:7203": null },
      verdict_window: "10y",
      unknown: [{ symbol: "NOPE" }],
    });
    expect(alone.rows.map(([date, pe]) => [date.slice(0, 7), pe])).toEqual(
      answer.rows.map(([month, pe]) => [month, pe]),
    );
    // Prices of 50, 51 and 52 over 5 a share.
    expect(answer.rows.map(([month, , toyota]) => [month, toyota])).toEqual([
      ["2026-01", 10],
      ["2026-02", 10.2],
      ["2026-03", 10.4],
    ]);
    expect(answer).toHaveProperty("notes", [
      "US:ACME begins on 2026-01-30.",
      "JP:7203 begins on 2026-01-30.",
      "US:FUND: FUND in US has no valuation history: it is of type etf, not a company.",
    ]);
    expect(await ask({ symbols, range: "1y", summary: true })).toMatchObject({
      metrics: { "JP:7203": { points: 3 } },
      rows: [],
      reasons: { not_asked: ["rows"] },
    });
    const { metrics, rows } = await ask({ country: "US", symbol: "ACME", summary: true });
    expect([metrics, rows]).toEqual([alone.metrics, []]);
    const two = await ask({ symbols: "US:ACME,7203", metric: "pe,ps", interval: "1wk" });
    expect(two.columns).toEqual(["week", "US:ACME pe", "US:ACME ps", "JP:7203 pe", "JP:7203 ps"]);
    expect(two.rows[0]?.[0]).toBe("2026-01-26");
    await expectError(() => ask({ symbols: "US:FUND" }), "not_found");
  });
});
