import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addDays, daysBetween, isWeekend } from "#lib/date.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { flatBar, instrument, SAMPLE } from "../support/market.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

type Cell = string | number | null;
interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}
interface Statistics extends Table {
  readonly correlation: { readonly matrix: readonly (readonly number[])[] };
  readonly years: Table & { readonly running: string | null };
  readonly months: Table & { readonly running: string | null };
}

/*
 * Computed by pandas 1.5.3:
 *   c = pd.read_csv(file, index_col=0, parse_dates=True)["Close"]; t of 7203.csv, n of nkx.csv
 *   days = pd.bdate_range("2010-01-04", "2026-08-21"); d = days since 1970-01-01
 *   fx = pd.Series(120 + (37 * d % 101) / 20, days)[d % 11 != 0]
 *   usd = c / fx.reindex(fx.index.union(c.index)).ffill().reindex(c.index)
 *   b = c[:start]; b = c[b.index[-1]:end]; r = b.pct_change(); w = b.resample("W" or "M").last().pct_change()
 *   return 100 * (b.iloc[-1] / b.iloc[0] - 1); volatility 100 * w.std() * (252, 52 or 12) ** 0.5
 *   sharpe w.mean() / w.std() * (252, 52 or 12) ** 0.5
 *   dd = b / b.cummax() - 1; trough dd.idxmin(); peak b[:trough].idxmax(); first c[trough:] >= b[peak]
 *   best 100 * r.max(), r.idxmax(); worst 100 * r.min(), r.idxmin()
 *   j = pd.concat([w of t, w of n], axis=1, join="inner"); cov / var of n, and corr
 */
const world = openHandMade({ filled: false });
beforeAll(() => {
  if (!hasRecordings) return;
  world.time.now = Date.parse("2026-08-22T12:00:00Z");
  for (const [symbol, file] of [
    ["^N225", "nkx.csv"],
    ["7203", "7203.csv"],
  ] as const) {
    const lines = recordedText(`prices/${file}`).trim().split("\n").slice(1);
    put(
      symbol,
      lines.map((line) => {
        const [date = "", , , , close = ""] = line.split(",");
        return { date, close: Number(close) };
      }),
    );
  }
  const rates = [];
  for (let date = "2010-01-04"; date <= "2026-08-21"; date = addDays(date, 1)) {
    const day = daysBetween("1970-01-01", date);
    if (isWeekend(date) || day % 11 === 0) continue;
    rates.push({ date, close: 120 + ((37 * day) % 101) / 20 });
  }
  put("JPY=X", rates);
});
afterAll(() => world.close());

function put(symbol: string, closes: readonly { date: string; close: number }[]): void {
  const assetType = symbol === "7203" ? "stock" : symbol === "^N225" ? "index" : "currency";
  world.market.put("instruments", [instrument("JP", symbol, { assetType })], SAMPLE);
  const bars = closes.map(({ date, close }) => {
    return flatBar(date, close);
  });
  world.market.bars.replace({ country: "JP", symbol, bars }, { source: "import", storedAt: 0 });
}

const statistics = (args: Record<string, unknown>) =>
  world.answer<Statistics>("get_price_statistics", args);

const COLUMNS =
  "from_session,to_session,return,volatility,sharpe_without_rf,max_drawdown,peak_session,trough_session,recovered_session,best_day,best_session,worst_day,worst_session,beta";

// prettier-ignore
const PERIODS: [currency: string, period: object, interval: string, figures: Cell[]][] = [
  ["JPY", { range: "5y" }, "1d", ["2021-08-20", "2026-08-21", 102.35, 31.63, 0.62, -41.67, "2024-03-22", "2024-08-05", "2026-01-15", 14.34, "2025-07-23", -13.66, "2024-08-05", 0.85, 0.63]],
  ["JPY", { range: "5y" }, "1wk", ["2021-08-20", "2026-08-21", 102.35, 29.51, 0.62, -41.67, "2024-03-22", "2024-08-05", "2026-01-15", 14.34, "2025-07-23", -13.66, "2024-08-05", 0.88, 0.59]],
  ["JPY", { range: "5y" }, "1mo", ["2021-08-20", "2026-08-21", 102.35, 27.81, 0.59, -41.67, "2024-03-22", "2024-08-05", "2026-01-15", 14.34, "2025-07-23", -13.66, "2024-08-05", 0.62, 0.44]],
  ["JPY", { years: "2020" }, "1d", ["2019-12-30", "2020-12-30", 6.5, 29.59, 0.37, -24.93, "2020-02-06", "2020-03-16", "2020-12-11", 10.65, "2020-03-25", -4.4, "2020-03-09", 0.85, 0.75]],
  ["JPY", { years: "2020" }, "1wk", ["2019-12-30", "2020-12-30", 6.5, 31.74, 0.35, -24.93, "2020-02-06", "2020-03-16", "2020-12-11", 10.65, "2020-03-25", -4.4, "2020-03-09", 0.73, 0.77]],
  ["JPY", { years: "2020" }, "1mo", ["2019-12-30", "2020-12-30", 6.5, 23.97, 0.37, -24.93, "2020-02-06", "2020-03-16", "2020-12-11", 10.65, "2020-03-25", -4.4, "2020-03-09", 0.62, 0.64]],
  ["USD", { range: "5y" }, "1d", ["2021-08-20", "2026-08-21", 108.32, 42.04, 0.57, -42.85, "2024-03-28", "2024-08-05", "2026-01-15", 15.81, "2024-08-06", -14, "2024-08-05", 0.92, 0.81]],
  ["USD", { range: "5y" }, "1wk", ["2021-08-20", "2026-08-21", 108.32, 31.77, 0.62, -42.85, "2024-03-28", "2024-08-05", "2026-01-15", 15.81, "2024-08-06", -14, "2024-08-05", 0.93, 0.65]],
  ["USD", { range: "5y" }, "1mo", ["2021-08-20", "2026-08-21", 108.32, 27.23, 0.62, -42.85, "2024-03-28", "2024-08-05", "2026-01-15", 15.81, "2024-08-06", -14, "2024-08-05", 0.58, 0.42]],
  ["USD", { years: "2020" }, "1d", ["2019-12-30", "2020-12-30", 5.71, 41.95, 0.35, -25.66, "2020-01-21", "2020-03-16", "2020-12-11", 9, "2020-03-25", -5.94, "2020-03-06", 0.92, 0.88]],
  ["USD", { from: "2019-12-31", to: "2020-12-31" }, "1wk", ["2019-12-30", "2020-12-30", 5.71, 33.34, 0.33, -25.66, "2020-01-21", "2020-03-16", "2020-12-11", 9, "2020-03-25", -5.94, "2020-03-06", 0.75, 0.79]],
  ["USD", { years: "2020" }, "1mo", ["2019-12-30", "2020-12-30", 5.71, 26.31, 0.33, -25.66, "2020-01-21", "2020-03-16", "2020-12-11", 9, "2020-03-25", -5.94, "2020-03-06", 0.72, 0.68]],
];

// prettier-ignore
const YEARS: Readonly<Record<string, (number | null)[][]>> = {
  JPY: [[-8.33, 21.33, -19.37], [6.5, 29.59, -24.93], [-11.71, 28.36, -25.27], [-5.29, 34.16, -30.88]],
  USD: [[-9.98, 36.49, -21.02], [5.71, 41.95, -25.66], [-14.27, 39.39, -25.69], [-4.18, 46.15, -33.03]],
};

// The mean, the number of positive ones, the number of all, and the years from 2020; without August 2026.
const MONTHS: Readonly<Record<string, (number | null)[][]>> = {
  JPY: [
    [8, 2.4, 3, 6, 12.69, -2.17, -1.66, 5.41, -6.43, 6.55, 2.12],
    [11, 0.51, 2, 6, 2.88, -0.27, -2.38, 7.9, -4.88, -0.16, null],
  ],
  USD: [
    [8, 3.28, 3, 6, 15.74, -5.05, -2.02, 7.8, -4.98, 8.21, 3.44],
    [11, 0.54, 3, 6, 1.36, 0.88, -2.34, 7.94, -3.39, -1.21, null],
  ],
};

describe.skipIf(!hasRecordings)("pandas computes the same", () => {
  test.each(PERIODS)("in %s over %j by %s", async (currency, period, interval, figures) => {
    const args = { symbols: "JP:7203,JP:^N225", ...period, interval, currency, columns: COLUMNS };
    const { rows, correlation } = await statistics(args);
    expect([...(rows[0]?.slice(2) ?? []), correlation.matrix[0]?.[1] ?? null]).toEqual(figures);
  });

  test.each(["JPY", "USD"])("figures of calendar years and months in %s", async (currency) => {
    const args = { symbols: "JP:7203", currency };
    const { years } = await statistics({ ...args, years: "2018,2020,2022,2026" });
    expect(years.running).toBe("2026");
    expect(years.rows.map(([, , , percent, , ...others]) => [percent, ...others])).toEqual(
      YEARS[currency] ?? [],
    );
    const { months } = await statistics({ ...args, years: "2020-2026", months: ["August", 11] });
    expect(months.running).toBe("2026-08");
    expect(months.rows.map((row) => row.slice(2))).toEqual(MONTHS[currency] ?? []);
  });
});
