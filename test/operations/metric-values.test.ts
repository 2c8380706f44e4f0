import { afterAll, expect, test } from "bun:test";
import { METRIC_NAMES, type MetricName } from "#analytics/metrics.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import { addDays, isWeekend } from "#lib/date.ts";
import { openHandMade } from "../support/contract-answers.ts";
import { NEWEST_SESSION } from "../support/contract-market.ts";
import { flatBar, instrument, SAMPLE } from "../support/market.ts";

/** The last day of each price, the newest first. So each window has a return of its own. */
const LEVELS = [
  ["2026-11-19", 121],
  ["2026-11-18", 110],
  ["2026-11-16", 105],
  ["2026-11-13", 110],
  ["2026-11-12", 100],
  ["2026-10-19", 88],
  ["2026-08-19", 80],
  ["2026-05-19", 55],
  ["2025-12-31", 50],
  ["2025-11-19", 40],
  ["2021-11-19", 20],
  ["2016-11-19", 10],
] as const;
/** The highest and lowest prices of single sessions; those before the last year do not count. */
const HIGHS: Readonly<Record<string, number>> = {
  "2025-11-18": 400,
  "2025-12-01": 160,
  "2026-06-02": 150,
};
const LOWS: Readonly<Record<string, number>> = {
  "2025-11-18": 3,
  "2025-12-01": 32,
  "2026-02-03": 33,
};

const closeOn = (date: string): number =>
  LEVELS.findLast(([last]) => date <= last)?.[1] ?? Number.NaN;

/** The bars of every weekday since 2016-11-01. */
function barsOf(close: (date: string, before: number) => number): DailyBar[] {
  const bars: DailyBar[] = [];
  for (let date = "2016-11-01"; date <= NEWEST_SESSION; date = addDays(date, 1)) {
    if (isWeekend(date)) continue;
    const price = close(date, bars.at(-1)?.close ?? Number.NaN);
    const high = Math.max(price, HIGHS[date] ?? price);
    const low = Math.min(price, LOWS[date] ?? price);
    bars.push({ date, open: price, high, low, close: price, volume: 1_000 });
  }
  return bars;
}

/** Half of the company's return each day. */
const indexClose = (date: string, before: number): number => {
  const yesterday = closeOn(addDays(date, -1));
  return Number.isNaN(before) ? 1_000 : before * (1 + (closeOn(date) / yesterday - 1) / 2);
};

/**
 * Quarters 1 to 8: flows grow with their number, so TTM is 5 + 6 + 7 + 8 = 26, a year earlier 10. Those before, −11 to
 * 0, are as the first, with EPS of 0.5 and 120 instead of 100 shares.
 */
function quarter(at: number): Statement {
  const number = Math.max(1, at);
  const year = Math.floor((at + 2) / 4) + 2024;
  const fiscalQuarter = ((at + 14) % 4) + 1;
  const periodEnd = `${year}-${["03-31", "06-30", "09-30", "12-31"][fiscalQuarter - 1]}`;
  const isNewest = at === 8;
  return {
    country: "US",
    symbol: "HAND",
    span: "quarter",
    fiscalYear: year,
    fiscalQuarter,
    periodEnd,
    filedOn: addDays(periodEnd, 30),
    currency: "USD",
    items: {
      ...NO_ITEMS,
      revenue: 100 * number,
      grossProfit: 40 * number,
      operatingIncome: 20 * number,
      ebitda: 25 * number,
      pretaxIncome: 16 * number,
      incomeTax: 4 * number,
      netIncome: 12 * number,
      epsDiluted: at <= 0 ? 0.5 : at <= 4 ? 1 : 1.5,
      sharesOutstanding: at <= 0 ? 120 : 100,
      operatingCashFlow: 22 * number,
      investingCashFlow: -9 * number,
      financingCashFlow: -11 * number,
      capitalExpenditure: 3 * number,
      // The newest balance sheet, and that of a year earlier.
      totalAssets: isNewest ? 5_000 : 3_000,
      currentAssets: 1_500,
      currentLiabilities: 600,
      inventory: 300,
      cash: 700,
      totalLiabilities: 2_920,
      totalDebt: 1_000,
      commonEquity: isNewest ? 2_000 : 1_120,
      preferredEquity: 50,
      minorityInterest: 30,
    },
  };
}

const world = openHandMade({ filled: false });
const index = { assetType: "index", primaryListing: false } as const;
world.market.put(
  "instruments",
  [
    instrument("US", "HAND", { sharesOutstanding: 100, employees: 1_234 }),
    instrument("US", "^GSPC", index),
    instrument("VN", "HANDVN", { exchange: "HOSE" }),
  ],
  SAMPLE,
);
world.market.put(
  "bars",
  [
    { country: "US", symbol: "HAND", bars: barsOf(closeOn) },
    { country: "US", symbol: "^GSPC", bars: barsOf(indexClose) },
    {
      country: "VN",
      symbol: "HANDVN",
      bars: [25_300, 26_400].map((close, i) => flatBar(addDays(NEWEST_SESSION, i - 1), close)),
    },
  ],
  SAMPLE,
);
world.market.put(
  "statements",
  Array.from({ length: 20 }, (_, i) => quarter(i - 11)),
  SAMPLE,
);
const exDates = ["2026-02-09", "2026-05-11", "2026-08-10", "2026-11-09"];
/** Four of each year's amount since 2020. The last one is announced. */
const dividends = [
  ...[0.4, 0.4, 0.5, 0.5, 0.55].flatMap((amount, i) =>
    ["02", "05", "08", "11"].map((month) => ({ exDate: `${2020 + i}-${month}-10`, amount })),
  ),
  ...["2025-02-10", "2025-05-12", "2025-08-11", "2025-11-10", ...exDates, "2027-02-08"].map(
    (exDate) => ({ exDate, amount: 0.605 }),
  ),
];
world.market.put(
  "dividends",
  [
    { country: "US", symbol: "HAND", dividends },
    { country: "VN", symbol: "HANDVN", dividends: [] },
  ],
  SAMPLE,
);
const traded = { date: NEWEST_SESSION, boughtValue: 12e9, soldValue: 5e9, room: 1_000_000 };
world.market.put("foreignTrades", [{ country: "VN", symbol: "HANDVN", ...traded }], SAMPLE);
const none = { low: null, average: null, high: null, analysts: 0 };
world.market.put(
  "analystCoverage",
  [
    {
      country: "US",
      symbol: "HAND",
      ratings: [
        { month: "2026-11", strongBuy: 4, buy: 3, hold: 2, sell: 1, strongSell: 0 },
        { month: "2026-10", strongBuy: 0, buy: 0, hold: 0, sell: 0, strongSell: 9 },
      ],
      priceTarget: { low: 90, mean: 150, median: 140, high: 200, analysts: 7 },
      estimates: (["current_year", "next_year"] as const).map((period, i) => ({
        period,
        periodEnd: `202${6 + i}-12-31`,
        eps: { low: 1, average: [7, 10][i] ?? null, high: 20, analysts: 5 },
        revenue: none,
        epsYearAgo: null,
      })),
      actions: [],
    },
  ],
  SAMPLE,
);
world.market.put(
  "earningsResults",
  [
    {
      country: "US",
      symbol: "HAND",
      results: (
        [
          ["2025-09", 9, 1],
          ["2025-12", 1.5, 1.6],
          ["2026-03", 1.5, 1.5],
          ["2026-06", 1.5, 1.4],
          ["2026-09", 1.5, 1.2],
        ] as const
      ).map(([quarterEnd, epsActual, epsEstimate]) => ({
        quarterEnd,
        reportedOn: null,
        epsActual,
        epsEstimate,
      })),
    },
  ],
  SAMPLE,
);
afterAll(() => world.close());

/** The sessions of the changes, as their number before the newest one, and the changes. */
const CHANGES = LEVELS.slice(0, -1).map(([, price], i) => {
  const [lastOfOld, old] = LEVELS[i + 1] ?? ["", Number.NaN];
  let age = 0;
  for (let date = NEWEST_SESSION; addDays(date, -1) > lastOfOld; date = addDays(date, -1))
    if (!isWeekend(addDays(date, -1))) age++;
  return { age, change: price - old, share: price / old - 1, isOfYear: lastOfOld >= "2025-11-19" };
});

/** Sample deviation of 261 daily returns (52 weeks and a Thursday), most of them 0, times √252. */
function volatility(): number {
  const returns = CHANGES.filter(({ isOfYear }) => isOfYear).map(({ share }) => share);
  const [sum, squares] = [returns, returns.map((share) => share ** 2)].map((all) =>
    all.reduce((total, one) => total + one, 0),
  );
  return 100 * Math.sqrt(((squares ?? 0) - (sum ?? 0) ** 2 / 261) / 260) * Math.sqrt(252);
}

/** Wilder's means: a gain of `age` sessions ago has the weight (13/14)^age / 14. */
function rsi(): number {
  const mean = (sign: number) =>
    CHANGES.reduce(
      (sum, { age, change }) => sum + Math.max(0, sign * change) * (13 / 14) ** age,
      0,
    );
  return 100 - 100 / (1 + mean(1) / mean(-1));
}

/** After a change of `age` sessions ago, an EMA of n lacks (1 − 2/(n + 1))^(age + 1) of it. */
const macd = () =>
  CHANGES.reduce(
    (sum, { age, change }) => sum + change * ((25 / 27) ** (age + 1) - (11 / 13) ** (age + 1)),
    0,
  );

/** The part of the price that is left after the dividends of 2026, at the closes of 50 to 100 before their ex-dates. */
const REINVESTED_2026 = (1 - 0.605 / 55) ** 2 * (1 - 0.605 / 80) * (1 - 0.605 / 100);

/**
 * Computed by pandas 1.5.3 from the levels, quarters and dividends above: month ends are
 * `close.groupby(close.index.to_period("M")).tail(1)` before November, the last 60; figures are
 * `quarters.rolling(4).sum()` by filing date, `reindex(ends, method="ffill")`; shares 120 or 100; EV is cap + 380. Then
 * `s.median()` and `100 * ((s < today).sum() + (s == today).sum() / 2) / s.count()`. 49 P/E, 58 P/B, 60 yields are known.
 */
const OWN_HISTORY = {
  pe_5y_median: 20,
  pe_percentile_5y: 100,
  pb_5y_median: 4.285714,
  pb_percentile_5y: 91.37931,
  ps_5y_median: 12,
  ps_percentile_5y: 22.44898,
  ev_ebitda_5y_median: 51.8,
  ev_ebitda_percentile_5y: 22.44898,
  dividend_yield_5y_median: 5,
  dividend_yield_percentile_5y: 0,
};

/**
 * Metrics that US companies do not have. At HOSE 25,300 · 1.07 = 27,071 and 25,300 · 0.93 = 23,529 become prices with a
 * tick of 50.
 */
const OF_VIETNAM: Readonly<Partial<Record<MetricName, number>>> = {
  min_investment: 100 * 26_400,
  reference_price: 25_300,
  ceiling_price: 27_050,
  floor_price: 23_550,
  below_ceiling: 100 * (1 - 26_400 / 27_050),
  above_floor: 100 * (26_400 / 23_550 - 1),
  foreign_net_value: 12e9 - 5e9,
  foreign_room: 1_000_000,
};

/** Every other metric with its arithmetic. Market cap 121 · 100 = 12,100; EV 12,100 + 1,000 + 80 − 700 = 12,480. */
const EXPECTED: Readonly<Partial<Record<MetricName, number | string>>> = {
  ...OF_VIETNAM,
  price: 121,
  change_percent: 100 * (121 / 110 - 1),
  volume: 1_000,
  traded_value: 121 * 1_000,
  high_52w: 160,
  low_52w: 32,
  high_ytd: 150,
  low_ytd: 33,
  volatility: volatility(),
  beta: 2,
  rsi: rsi(),
  macd: macd(),
  below_high_52w: 100 * (1 - 121 / 160),
  above_low_52w: 100 * (121 / 32 - 1),
  below_high_ytd: 100 * (1 - 121 / 150),
  above_low_ytd: 100 * (121 / 33 - 1),
  return_1d: 100 * (121 / 110 - 1),
  return_1w: 100 * (121 / 100 - 1),
  return_1m: 100 * (121 / 88 - 1),
  return_3m: 100 * (121 / 80 - 1),
  return_6m: 100 * (121 / 55 - 1),
  return_ytd: 100 * (121 / 50 - 1),
  return_1y: 100 * (121 / 40 - 1),
  return_5y: 100 * (121 / 20 - 1),
  return_10y: 100 * (121 / 10 - 1),
  change_1_session_ago: 0,
  change_2_sessions_ago: 100 * (110 / 105 - 1),
  change_3_sessions_ago: 100 * (105 / 110 - 1),
  change_4_sessions_ago: 100 * (110 / 100 - 1),
  // Since 2021-11-19 all other dividends had a close of 40 before.
  total_return_1y: 100 * (121 / 40 / REINVESTED_2026 - 1),
  total_return_5y:
    100 *
    (121 /
      20 /
      REINVESTED_2026 /
      ((1 - 0.5 / 40) ** 8 * (1 - 0.55 / 40) ** 4 * (1 - 0.605 / 40) ** 4) -
      1),
  market_cap: 121 * 100,
  shares_outstanding: 100,
  enterprise_value: 12_100 + 1_000 + 50 + 30 - 700,
  // EPS 4 · 1.5 = 6; a year earlier 4 · 1 = 4.
  pe: 121 / 6,
  forward_pe: 121 / 10,
  pb: 12_100 / 2_000,
  ps: 12_100 / 2_600,
  pcf: 12_100 / (22 * 26),
  pfcf: 12_100 / (19 * 26),
  peg: 121 / 6 / 50,
  ev_ebitda: 12_480 / (25 * 26),
  ev_revenue: 12_480 / 2_600,
  ev_ebit: 12_480 / (20 * 26),
  fcf_yield: (100 * 19 * 26) / 12_100,
  // Four dividends; that of 2025-11-10 is more than a year ago.
  dividend_yield: (100 * 4 * 0.605) / 121,
  ...OWN_HISTORY,
  dividend_per_share: 4 * 0.605,
  // 2025 against 2024, and against 2020. 2023 was not above 2022; 2019 had none.
  dividend_growth_1y: 100 * (2.42 / 2.2 - 1),
  dividend_growth_5y: 100 * ((2.42 / 1.6) ** (1 / 5) - 1),
  dividend_years_raised: 2,
  dividend_years_paid: 6,
  next_ex_date: "2027-02-08",
  // The Friday before that Monday.
  last_cum_date: "2027-02-05",
  eps_surprise_last: 100 * (1.5 / 1.2 - 1),
  // Of the last four: below, equal, above, above.
  eps_beats_4q: 2,
  filing_date: "2026-10-30",
  fiscal_period: "2026-Q3",
  payout_ratio: (100 * 4 * 0.605) / 6,
  revenue: 100 * 26,
  revenue_growth: 100 * (26 / 10 - 1),
  gross_profit: 40 * 26,
  operating_income: 20 * 26,
  ebitda: 25 * 26,
  net_income: 12 * 26,
  eps: 6,
  eps_growth: 100 * (6 / 4 - 1),
  total_assets: 5_000,
  current_assets: 1_500,
  cash: 700,
  total_liabilities: 2_920,
  total_debt: 1_000,
  net_debt: 1_000 - 700,
  total_equity: 2_000 + 50 + 30,
  equity_ratio: 100 * (2_000 / 5_000),
  current_ratio: 1_500 / 600,
  quick_ratio: (1_500 - 300) / 600,
  debt_to_equity: 1_000 / 2_080,
  cash_to_debt: 700 / 1_000,
  operating_cash_flow: 22 * 26,
  investing_cash_flow: -9 * 26,
  financing_cash_flow: -11 * 26,
  free_cash_flow: (22 - 3) * 26,
  capital_expenditure: 3 * 26,
  gross_margin: 40,
  operating_margin: 20,
  net_margin: 12,
  fcf_margin: 19,
  // Averages of two balance sheets: 1,560 and 4,000.
  roe: (100 * 12 * 26) / ((2_000 + 1_120) / 2),
  roa: (100 * 12 * 26) / ((5_000 + 3_000) / 2),
  // Tax 4 / 16; capital 1,000 + 2,080 − 700.
  roic: (100 * 20 * 26 * (1 - 4 / 16)) / 2_380,
  // (4 · 1 + 3 · 2 + 2 · 3 + 1 · 4) / 10
  rating: 2,
  analyst_count: 10,
  target_price: 150,
  target_upside: 100 * (150 / 121 - 1),
  employees: 1_234,
};

test.each(METRIC_NAMES)("%s has the value of its arithmetic", async (name) => {
  const { columns, rows } = await world.answer<{ columns: string[]; rows: unknown[][] }>(
    "compare_stocks",
    { symbols: name in OF_VIETNAM ? "VN:HANDVN" : "US:HAND", metrics: name },
  );
  expect(Object.keys(EXPECTED)).toContain(name);
  const value = rows[0]?.[columns.indexOf(name)];
  const expected = EXPECTED[name];
  if (typeof expected === "string") expect(value).toBe(expected);
  else expect(Math.abs(Number(value) - Number(expected))).toBeLessThanOrEqual(0.00501);
  expect(value).not.toBeNull();
});
