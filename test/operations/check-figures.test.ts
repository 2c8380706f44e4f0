import { afterAll, describe, expect, test } from "bun:test";
import {
  formatNumber,
  formatPercent,
  formatPlainPercent,
  formatPrice,
  formatShort,
  formatText,
} from "#console/app/format.ts";
import { reader } from "#console/app/reader.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { NO_ITEMS } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";
import { fixedText } from "#lib/fixed-text.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { macroSeries } from "../support/contract-market.ts";
import { flatBar, instrument } from "../support/market.ts";
import { quote } from "../support/refresher.ts";
import { startService } from "../support/service.ts";
import { TESTS_ALL } from "../support/test-all.ts";

const service = await startService();
const token = service.createToken().token;
afterAll(() => service.stop());

type Cell = string | number | null;
interface Table {
  columns: string[];
  rows: Cell[][];
}
interface Checked extends Table {
  confirmed: number;
  differs: number;
  unknown: number;
}
interface Claim {
  symbol: string;
  figure: string;
  value: string | number;
  on?: string | undefined;
  currency?: string | undefined;
}

/** The payload of a tool. */
async function ask<T>(tool: string, args: object): Promise<T> {
  const { result } = await service.callTool(token, tool, args);
  if (!result?.structuredContent) throw new Error(`${tool}: ${result?.content[0]?.text}`);
  return result.structuredContent["data"] as T;
}

/** The rows about claims, as objects. */
async function check(claims: readonly Claim[]): Promise<Record<string, Cell>[]> {
  const all: Record<string, Cell>[] = [];
  for (let i = 0; i < claims.length; i += 50) {
    const { columns, rows } = await ask<Checked>("check_figures", {
      claims: claims.slice(i, i + 50),
    });
    all.push(
      ...rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null]))),
    );
  }
  return all;
}

/** The claims that did not get the verdict, with their rows. */
async function wrong(claims: readonly Claim[], verdict: string) {
  const rows = await check(claims);
  return rows.flatMap((row, i) => (row["verdict"] === verdict ? [] : [[claims[i], row]]));
}

const COMPANIES: Readonly<Record<Country, readonly string[]>> = {
  US: ["AAPL", "NVDA", "WMT"],
  JP: ["7203", "6146"],
  VN: ["FPT", "VNM"],
};
/** The first of each country, but with BOURSE_TEST_ALL=1 all. */
const SYMBOLS = COUNTRY_CODES.flatMap((country) =>
  COMPANIES[country]
    .slice(0, TESTS_ALL ? 9 : 1)
    .map((symbol) => ({ country, symbol, key: `${country}:${symbol}` })),
);

/** The claims of a row of a table about some columns. */
const claimsOf = (
  symbol: string,
  { columns, rows }: Table,
  skipped: readonly string[],
  onOf: (row: Record<string, Cell>) => string | undefined,
): Claim[] =>
  rows.flatMap((row) => {
    const cells = Object.fromEntries(columns.map((name, i) => [name, row[i] ?? null]));
    return columns
      .filter((name) => !skipped.includes(name))
      .flatMap((figure) => {
        const value = cells[figure];
        return value === null || value === undefined
          ? []
          : [
              {
                symbol,
                figure,
                value,
                on: onOf(cells),
                currency: cells["currency"] ? String(cells["currency"]) : undefined,
              },
            ];
      });
  });

describe.each(SYMBOLS)("figures of $key are confirmed", ({ country, symbol, key }) => {
  const subject = { country, symbol };
  const panelClaims = (panel: Record<string, unknown>, on?: string): Claim[] =>
    Object.entries(panel).flatMap(([figure, value]) =>
      figure !== "Reasons" &&
      typeof value === "string" &&
      /\d/.test(value) &&
      !/^\d{4}-|^(?:FY|Q\d) /.test(value)
        ? [{ symbol: key, figure, value, on }]
        : [],
    );

  test("as the overview writes them", async () => {
    const { overview, valuation, performance } = await ask<Record<string, Record<string, string>>>(
      "get_stock_overview",
      subject,
    );
    const claims = [overview, valuation, performance].flatMap((panel) => panelClaims(panel ?? {}));
    expect(claims.length).toBeGreaterThan(15);
    expect(await wrong(claims, "confirmed")).toEqual([]);
  });

  test.each(["en", "ja", "vi"] as const)("as pages write them in %s", async (language) => {
    const { overview, valuation } = await ask<Record<string, Record<string, string>>>(
      "get_stock_overview",
      subject,
    );
    const statement = await ask<Record<string, string>>("get_stock_statements", {
      ...subject,
      type: "cashflow",
    });
    const { columns, rows } = await ask<Table>("compare_stocks", {
      symbols: key,
      metrics: "price,volume,market_cap,net_debt,eps,roe,return_1y,shares_outstanding",
    });
    const [row = []] = rows;
    const figureOf = (name: string) => Number(row[columns.indexOf(name)]);
    const currency = String(row[columns.indexOf("currency")]);
    reader.value = { language };
    const shown: readonly (readonly [figure: string, value: string])[] = [
      ...[overview, valuation, statement]
        .flatMap((panel) => panelClaims(panel ?? {}))
        .map(({ figure, value }) => [figure, formatText(String(value))] as const)
        // 795.30億 has one digit more than the 79.53 B that it was made of.
        .filter(([, value]) => !/[万億]/.test(value)),
      ["price", `${formatPrice(figureOf("price"), currency)} ${currency}`],
      ["volume", formatShort(figureOf("volume"))],
      ["market_cap", formatShort(figureOf("market_cap"))],
      ["net_debt", formatShort(figureOf("net_debt"))],
      ["eps", formatNumber(figureOf("eps"))],
      ["roe", formatPlainPercent(figureOf("roe"))],
      ["return_1y", formatPercent(figureOf("return_1y"))],
      ["shares_outstanding", formatShort(figureOf("shares_outstanding"))],
    ];
    reader.value = { language: "en" };
    const claims = shown.map(([figure, value]) => ({ symbol: key, figure, value }));
    expect(await wrong(claims, "confirmed")).toEqual([]);
  });

  test("as comparisons and screens write them", async () => {
    const table = await ask<Table>("compare_stocks", { symbols: key, metrics: "all" });
    const head = ["country", "symbol", "name", "currency", "to_session"];
    const skipped = [...head, ...table.columns.filter((name) => name.endsWith("from_session"))];
    const own = claimsOf(key, table, [...skipped], () => undefined).map((claim) => ({
      ...claim,
      currency: undefined,
    }));
    expect(await wrong(own, "confirmed")).toEqual([]);
    const usd = await ask<Table>("compare_stocks", {
      symbols: key,
      metrics: "price,market_cap,revenue,return_1y",
      currency: "USD",
    });
    expect(
      await wrong(
        claimsOf(key, usd, [...head, "from_session"], () => undefined),
        "confirmed",
      ),
    ).toEqual([]);
  });

  test("as statements write them", async () => {
    for (const type of ["income", "balance", "cashflow", "ratios"]) {
      for (const period of ["annual", "quarterly"]) {
        const answer = await ask<
          { periods: Record<string, string>[]; figures: Table } & Record<string, string>
        >("get_stock_statements", { ...subject, type, period, limit: 3, figures: true });
        const latest = period === "annual" ? panelClaims(answer) : [];
        const periods = answer.periods.flatMap((one) => panelClaims(one, one["Fiscal period"]));
        const figures = claimsOf(
          key,
          answer.figures,
          ["fiscal_period", "period_end", "filing_date", "currency"],
          (row) => String(row["fiscal_period"]),
        );
        expect(await wrong([...latest, ...periods, ...figures], "confirmed")).toEqual([]);
      }
    }
  });

  test("as metric histories write them", async () => {
    const metrics = "revenue,net_margin,roe,eps,pe,ev_ebitda,free_cash_flow,total_debt,market_cap";
    const skipped = ["country", "symbol", "currency", "fiscal_period", "period_end", "filing_date"];
    for (const currency of [undefined, "USD", "JPY"]) {
      const annual = await ask<Table>("get_metric_history", { symbols: key, metrics, currency });
      for (const label of ["fiscal_period", "period_end"])
        expect(
          await wrong(
            claimsOf(key, annual, skipped, (row) => String(row[label])),
            "confirmed",
          ),
        ).toEqual([]);
      const ttm = await ask<Table>("get_metric_history", {
        symbols: key,
        metrics,
        period: "ttm",
        currency,
      });
      for (const label of ["fiscal_period", "period_end"])
        expect(
          await wrong(
            claimsOf(key, ttm, skipped, (row) => `TTM ${row[label]}`),
            "confirmed",
          ),
        ).toEqual([]);
    }
  });

  test("as price and valuation histories write them", async () => {
    const { bars } = await ask<{ bars: Table }>("get_stock_price_history", {
      ...subject,
      fields: "ohlcv",
      range: "5y",
      limit: 600,
      interval: "1mo",
    });
    const { bars: days } = await ask<{ bars: Table }>("get_stock_price_history", {
      ...subject,
      fields: "ohlcv",
      limit: 20,
    });
    const closes: Table = {
      columns: ["date", "close"],
      rows: bars.rows.map((row) => [row[0] ?? null, row[4] ?? null]),
    };
    const claims = [closes, days].flatMap((table) =>
      claimsOf(key, table, ["date"], (row) => String(row["date"])),
    );
    expect(await wrong(claims, "confirmed")).toEqual([]);
    const valuation = await ask<Table>("get_valuation_history", {
      ...subject,
      metric: "pe,pb,ps,ev_ebitda,dividend_yield",
      range: "3y",
    });
    expect(
      await wrong(
        claimsOf(key, valuation, ["date"], (row) => String(row["date"])),
        "confirmed",
      ),
    ).toEqual([]);
  });
});

test.each(["US:^GSPC", "US:SPY", "JP:JPY=X", "US:BTC-USD", "US:GC=F", "VN:VNINDEX"])(
  "figures of %s are confirmed as comparisons write them",
  async (key) => {
    const table = await ask<Table>("compare_stocks", { symbols: key, metrics: "all" });
    const head = ["country", "symbol", "name", "currency", "to_session"];
    const skipped = [...head, ...table.columns.filter((name) => name.endsWith("from_session"))];
    const claims = claimsOf(key, table, skipped, () => undefined);
    expect(claims.length).toBeGreaterThan(10);
    expect(await wrong(claims, "confirmed")).toEqual([]);
  },
);

describe.each([...COUNTRY_CODES])("macro figures of %s are confirmed", (country) => {
  test("of indicators and of histories", async () => {
    const data = await ask<
      Record<
        string,
        { name: string; latest: number; latest_raw: string; period: string; previous: number }[]
      >
    >("get_macro_indicators", { country });
    const claims = Object.values(data)
      .flat()
      .flatMap((one) => [
        { symbol: country, figure: one.name, value: one.latest_raw },
        { symbol: country, figure: one.name, value: one.latest, on: one.period },
      ]);
    expect(await wrong(claims, "confirmed")).toEqual([]);
    for (const { name } of Object.values(data).flat().slice(0, 8)) {
      const history = await ask<Table>("get_macro_history", { country, series: name, limit: 20 });
      const past = history.rows.map(([on, value]) => ({
        symbol: country,
        figure: name,
        value: value ?? "",
        on: String(on),
      }));
      expect(await wrong(past, "confirmed")).toEqual([]);
    }
  });
});

/** A number in the notations of three languages, with this number of digits. */
function notations(value: number, digits: number): (string | number)[] {
  const sizes = [
    [1e12, "T", "兆", "nghìn tỷ"],
    [1e9, "B", "十億", "tỷ"],
    [1e6, "million", "百万", "triệu"],
  ] as const;
  const rounded = Number(value.toPrecision(digits));
  const decimals = (size: number) =>
    Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value) / size)));
  const text = (size: number) => fixedText(rounded / size, decimals(size));
  const vietnamese = (size: number) =>
    text(size).replaceAll(/[.,]/g, (mark) => (mark === "." ? "," : "."));
  return [
    rounded,
    fixedText(rounded, decimals(1)),
    ...sizes
      .filter(([size]) => Math.abs(rounded) >= size)
      .flatMap(([size, letter, ja, vi]) => [
        `${text(size)} ${letter}`,
        `${text(size)}${ja}`,
        `${vietnamese(size)} ${vi}`,
        rounded < 0 ? `(${text(size).slice(1)} ${letter})` : `約${text(size)}${ja}`,
      ]),
  ];
}

/**
 * The number with another digit at a place, 0 for the first digit that is not zero. The new digit is not zero, because
 * zeros at the end may be rounded.
 */
function changed(value: number, place: number): number {
  const found = new RegExp(`^([0.]*(?:\\d\\.?){${place}})(\\d)(.*)$`).exec(String(Math.abs(value)));
  const [, before = "", digit = "", after = ""] = found ?? [];
  return found
    ? Math.sign(value) * Number(before + ((Number(digit) % 9) + 1) + after)
    : 3 * value + 1;
}

describe("a figure in other digits, units and notations", () => {
  const metrics =
    "revenue,net_income,total_assets,investing_cash_flow,net_debt,market_cap,pe,roe,eps";

  test.each(SYMBOLS)(
    "of $key is confirmed, and one digit changed differs with the right value",
    async ({ key }) => {
      const { columns, rows } = await ask<Table>("compare_stocks", { symbols: key, metrics });
      const [row = []] = rows;
      const figures = metrics.split(",").flatMap((figure) => {
        const value = row[columns.indexOf(figure)];
        return typeof value === "number" ? [{ figure, value }] : [];
      });
      expect(figures.length).toBeGreaterThan(5);
      const right = figures.flatMap(({ figure, value }) =>
        // A figure per share is written in whole units at least.
        [3, 4, 5]
          .filter((digits) => figure !== "eps" || Math.abs(value) < 10 ** digits)
          .flatMap((digits) =>
            notations(value, digits).map((one) => ({ symbol: key, figure, value: one })),
          ),
      );
      expect(await wrong(right, "confirmed")).toEqual([]);
      const mistaken = figures.flatMap(({ figure, value }) =>
        [0, 1, 2].map((place) => ({
          claim: { symbol: key, figure, value: changed(value, place) },
          right: value,
        })),
      );
      const answers = await check(mistaken.map(({ claim }) => claim));
      expect(answers.map((one, i) => [mistaken[i], one["verdict"], one["value"]])).toEqual(
        mistaken.map((one) => [one, "differs", one.right]),
      );
    },
  );
});

const PROVENANCE = { source: "test", storedAt: 0 };
const FISCAL = {
  country: "US",
  symbol: "ACME",
  span: "quarter",
  currency: "USD",
  sharesAsOf: "2025-03-14",
} as const;

/** A quarter of a fiscal year that ends in June, in the shares of today. */
const quarter = (
  fiscalYear: number,
  fiscalQuarter: number,
  periodEnd: string,
  revenue: number,
) => ({
  ...FISCAL,
  fiscalYear,
  fiscalQuarter,
  periodEnd,
  filedOn: addDays(periodEnd, 40),
  items: { ...NO_ITEMS, revenue, netIncome: -revenue / 10, epsDiluted: -0.5 },
});
const year = (
  symbol: string,
  fiscalYear: number,
  periodEnd: string,
  revenue: number,
  more: object,
) => ({
  ...FISCAL,
  symbol,
  span: "year" as const,
  fiscalYear,
  fiscalQuarter: 4,
  periodEnd,
  filedOn: addDays(periodEnd, 40),
  items: { ...NO_ITEMS, revenue, epsDiluted: 0.75 },
  ...more,
});
const closes = (
  symbol: string,
  rows: Readonly<Record<string, number>>,
  country: Country = "US",
) => ({
  country,
  symbol,
  bars: Object.entries(rows).map(([date, close]) => flatBar(date, close)),
});

/**
 * ACME's fiscal year ends in June, and it split four for one on 1 August 2024. EURO reports in euros: a euro was 1.10 dollars
 * at the end of 2023 and is 1.30 now. GONE was delisted. 9999 has a fiscal year to March.
 */
function openReadings() {
  const world = openHandMade({ filled: false });
  world.time.now = Date.parse("2025-03-14T23:00Z");
  const put = world.market.put.bind(world.market);
  put(
    "instruments",
    [
      instrument("US", "ACME", { sharesOutstanding: 100 }),
      instrument("US", "EURO", { sharesOutstanding: null }),
      instrument("US", "GONE", {}),
      instrument("US", "FUND", { assetType: "etf" }),
      instrument("US", "EURUSD=X", { assetType: "currency" }),
      instrument("JP", "9999", { sharesOutstanding: 100 }),
    ],
    PROVENANCE,
  );
  put(
    "bars",
    [
      closes("ACME", { "2024-07-30": 24, "2024-07-31": 25, "2024-08-01": 26, "2025-03-14": 30 }),
      closes("EURO", { "2025-03-14": 10 }),
      closes("GONE", { "2024-05-02": 7.5, "2024-05-03": 7.25 }),
      closes("EURUSD=X", { "2023-12-29": 1.1, "2025-03-14": 1.3 }),
      closes("9999", { "2025-03-14": 500 }, "JP"),
    ],
    PROVENANCE,
  );
  put(
    "splits",
    [
      {
        country: "US",
        symbol: "ACME",
        splits: [{ exDate: "2024-08-01", numerator: 4, denominator: 1 }],
      },
    ],
    PROVENANCE,
  );
  const dividends = [
    { exDate: "2023-09-04", amount: 0.4 },
    { exDate: "2024-02-01", amount: 0.5 },
    { exDate: "2024-09-02", amount: 0.6 },
  ];
  put(
    "dividends",
    [{ country: "US", symbol: "ACME", sharesAsOf: "2025-03-14", dividends }],
    PROVENANCE,
  );
  put(
    "statements",
    [
      year("ACME", 2024, "2024-06-30", 1_500, {}),
      year("ACME", 2023, "2023-06-30", 1_200, {}),
      quarter(2024, 2, "2023-12-31", 360),
      quarter(2024, 3, "2024-03-31", 380),
      quarter(2024, 4, "2024-06-30", 420),
      quarter(2025, 1, "2024-09-30", 400),
      quarter(2025, 2, "2024-12-31", 440),
      year("EURO", 2023, "2023-12-31", 1_000, { currency: "EUR" }),
      year("9999", 2024, "2024-03-31", 5e12, { country: "JP", currency: "JPY" }),
      year("9999", 2023, "2023-03-31", 4e12, { country: "JP", currency: "JPY" }),
    ],
    PROVENANCE,
  );
  put("macroSeries", [macroSeries("US", "labor", "jobs", [4.1, 4.2, 4.4])], PROVENANCE);
  return world;
}

test("a quote after the stored bars has a close, a change and a volume alone", async () => {
  const world = openReadings();
  const newer = { date: "2025-03-14", previousClose: 8, volume: 1_200 };
  world.market.put("quotes", [quote("GONE", 9, newer)], PROVENANCE);
  const claims = [
    ["close", "9"],
    ["volume", "1,200"],
    // 100 × (9 / 8 − 1)
    ["change_percent", "12.5%"],
    ["change_percent", "9%"],
    ["high", "9"],
  ].map(([figure, value]) => `US:GONE|${figure}|${value}|2025-03-14`);
  const { rows } = await world.answer<Checked>("check_figures", {
    claims: [...claims, "US:GONE|close|8.5|2025", "US:FUND|high|9", "US:ACME|high|31"].join(";"),
  });
  world.close();
  expect(rows.map(([, verdict, , , value]) => [verdict, value])).toEqual([
    ["confirmed", 9],
    ["confirmed", 1_200],
    ["confirmed", 12.5],
    ["differs", 12.5],
    ["unknown", null],
    // A year has other closes.
    ["unknown", 9],
    ["unknown", null],
    // Without a time, the newest session is meant.
    ["differs", 30],
  ]);
});

describe("a claim that its words leave open, or that another reading makes right", () => {
  const world = openReadings();
  afterAll(() => world.close());

  /** Figure, value, time, then the verdict, the right value, and words of the note. */
  test.each<
    [
      symbol: string,
      figure: string,
      value: string | number,
      on: string,
      verdict: string,
      right: Cell,
      note?: string,
    ]
  >([
    // The calendar year is 380 + 420 + 400 + 440 = 1,640.
    ["ACME", "revenue", 1_500, "FY2024", "confirmed", 1_500],
    ["ACME", "revenue", 1_640, "2024", "confirmed", 1_640],
    ["ACME", "revenue", 1_640, "CY2024", "confirmed", 1_640],
    ["ACME", "revenue", 1_500, "CY2024", "differs", 1_640, "right for FY 2024, to 2024-06-30"],
    ["ACME", "revenue", 1_640, "FY2024", "differs", 1_500, "right for TTM to 2024-12-31"],
    ["ACME", "revenue", 1_200, "FY2024", "differs", 1_500, "right for FY 2023, to 2023-06-30"],
    ["ACME", "revenue", 1_640, "", "confirmed", 1_640],
    ["ACME", "revenue", 1_500, "annual", "confirmed", 1_500],
    ["ACME", "annual revenue", 1_640, "", "differs", 1_500, "TTM"],
    // The second fiscal quarter of 2025 is the fourth of the calendar year 2024.
    ["ACME", "revenue", 440, "Q2 FY2025", "confirmed", 440],
    ["ACME", "revenue", 440, "Q4 2024", "confirmed", 440],
    ["ACME", "revenue", 420, "Q4 2024", "confirmed", 420],
    ["ACME", "revenue", 440, "Q4 FY2024", "differs", 420, "right for Q2 2025, to 2024-12-31"],
    ["ACME", "revenue", 440, "2024-12-31", "confirmed", 440],
    ["ACME", "net income", "(44)", "Q2 2025", "confirmed", -44],
    ["ACME", "net income", "44", "Q2 2025", "differs", -44, "opposite sign"],
    ["ACME", "revenue", 1_500, "FY2012", "unknown", null, "FY 2023"],
    ["ACME", "pe", 12, "", "unknown", null, "no meaning"],
    // 25 · 4 = 100 was paid on the day before the split; 0.75 · 4 = 3.
    ["ACME", "price", 100, "2024-07-31", "confirmed", 100, "as traded"],
    ["ACME", "price", 25, "2024-07-31", "confirmed", 25],
    ["ACME", "close", "26.00", "2024-08-04", "confirmed", 26],
    ["ACME", "price", "24.00", "2024-07-31", "differs", 25, "right for 2024-07-30"],
    ["ACME", "price", 100, "2024-08-01", "differs", 26],
    ["ACME", "eps", "3.00", "FY2024", "confirmed", 3, "before later splits"],
    ["ACME", "eps", "0.75", "FY2024", "confirmed", 0.75],
    // 1,000 EUR are 1,100 USD at the end of 2023 and 1,300 USD now.
    ["ACME", "revenue", "over 1.6K", "", "confirmed", 1_640],
    ["ACME", "revenue", "1.6K以下", "", "differs", 1_640],
    ["ACME", "revenue", "< 2 thousand", "", "confirmed", 1_640],
    ["ACME", "net margin", "-1000%", "", "differs", -10, "divided by 100"],
    ["ACME", "net margin", "-10.0 %", "", "confirmed", -10],
    ["ACME", "Revenue (FY2024)", 1_500, "", "confirmed", 1_500],
    ["ACME", "Q2 FY2025 revenue", 440, "", "confirmed", 440],
    // 0.5 + 0.6 in 2024, and 0.4 · 4 = 1.6 before the split.
    ["ACME", "dividends per share", "1.10", "2024", "confirmed", 1.1],
    ["ACME", "dividends per share", "1.60", "2023", "confirmed", 1.6, "before later splits"],
    ["ACME", "dividends per share", "0.60", "2024-09-02", "confirmed", 0.6],
    ["ACME", "dividends per share", "0.60", "2025", "unknown", 0, "not all paid yet"],
    ["US", "jobs of US (October 2026)", "4.4 percent", "", "confirmed", 4.4],
    ["EURO", "revenue", "1000", "FY2023", "confirmed", 1_000],
    ["EURO", "revenue", "1,100 USD", "FY2023", "confirmed", 1_100, "at the rate of 2023-12-31"],
    ["EURO", "revenue", "1,300 USD", "FY2023", "confirmed", 1_300, "at the newest rate"],
    ["EURO", "revenue", "1,000 USD", "FY2023", "differs", 1_100, "right in EUR"],
    ["EURO", "revenue", "1,100", "FY2023", "differs", 1_000, "right in USD"],
    ["JP:9999", "売上高", "5兆円", "2024年3月期", "confirmed", 5e12],
    ["JP:9999", "売上高", "5兆円", "2023年度", "confirmed", 5e12],
    ["JP:9999", "売上高", "5.00兆円", "2022年度", "differs", 4e12, "right for FY 2024"],
    ["JP:9999", "売上高", "5,000,000百万円", "FY2024", "confirmed", 5e12],
    ["JP:9999", "revenue", 5_120, "FY2024", "differs", 5e12],
    ["JP:9999", "revenue", "5.12", "FY2024", "differs", 5e12],
    ["JP:9999", "revenue", "5.00 B", "FY2024", "differs", 5e12, "multiplied by 1000"],
    ["GONE", "price", 7.25, "", "confirmed", 7.25],
    ["GONE", "price", 7.25, "2024-08-01", "unknown", null, "2024-05-02 to 2024-05-03"],
    ["FUND", "revenue", 1, "", "unknown", null, "type etf"],
    ["US", "jobs of US", "4.4%", "", "confirmed", 4.4],
    ["US", "jobs of US", "4.2%", "2026-10", "differs", 4.4, "right for 2026-09"],
    ["US", "jobs of US", "4.2%", "2026", "unknown", 4.4, "name one period"],
    ["US", "nothing", "4.2%", "", "unknown", null, "not found"],
    ["NOPE", "pe", 1, "", "unknown", null, "Not found"],
    ["ACME", "happiness", 1, "", "unknown", null, "no figure"],
    ["ACME", "revenue", "many", "", "unknown", null, "is no figure"],
    ["ACME", "revenue", 1, "someday", "unknown", null, "not understood"],
    ["ACME", "revenue", "$1", "", "differs", 1_640],
  ])("%s %s %p %s: %s", async (symbol, figure, value, on, verdict, right, note = "") => {
    const { columns, rows } = await world.answer<Checked>("check_figures", {
      claims: [{ symbol, figure, value, on }],
    });
    const row = Object.fromEntries(columns.map((name, i) => [name, rows[0]?.[i] ?? null]));
    expect([row["verdict"], row["value"], row["note"]]).toEqual([
      verdict,
      right,
      expect.stringContaining(note),
    ]);
  });

  test("one bad claim does not lose the others", async () => {
    const claims = [
      "ACME|revenue|1500|FY2024",
      "nonsense",
      { symbol: "ACME", figure: "revenue", value: "1,500", fiscal_period: "FY2024" },
      { symbol: "ACME", figure: "revenue", value: 1, colour: "red" },
      { symbol: "ACME", figure: "revenue", value: { amount: 1 } },
      null,
      { symbol: "ACME", figure: "price", value: "$30", currency: "JPY" },
      { symbol: "ACME", figure: "price", value: 30, currency: "ZZZ" },
    ];
    const answer = await world.answer<Checked>("check_figures", { claims });
    expect([answer.confirmed, answer.differs, answer.unknown]).toEqual([2, 0, 6]);
    expect(answer.rows.map((row) => row[1])).toEqual(
      claims.map((_, i) => (i === 0 || i === 2 ? "confirmed" : "unknown")),
    );
    const notes = answer.rows.map((row) => String(row[8]));
    expect(notes[1]).toContain("Write");
    expect(notes[3]).toContain("no field colour");
    expect(notes[6]).toContain("value is in USD, and currency says JPY");
    expect(notes[7]).toContain("No exchange rate");
  });
});
