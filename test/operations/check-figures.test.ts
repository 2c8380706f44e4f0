import { afterAll, describe, expect, test } from "bun:test";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { fixedText } from "#lib/fixed-text.ts";
import { startService } from "../support/service.ts";

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
  definitions: Record<string, string>;
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
const SYMBOLS = COUNTRY_CODES.flatMap((country) =>
  COMPANIES[country].map((symbol) => ({ country, symbol, key: `${country}:${symbol}` })),
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
