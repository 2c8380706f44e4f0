import { describe, expect, test } from "bun:test";
import { assumedFilingDate } from "#analytics/filing-day.ts";
import {
  monthEnds,
  ownHistory,
  percentileOf,
  type ValuationInputs,
  valuationHistory,
  valueRange,
} from "#analytics/valuation-history.ts";
import { companyFundamentals } from "#analytics/valuation.ts";
import { NO_ITEMS, type Statement, type StatementItems } from "#domain/statement.ts";
import { addMonths } from "#lib/date.ts";
import { statementsOf } from "../support/company-facts.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

function year(fiscalYear: number, filedOn: string, items: Partial<StatementItems>): Statement {
  return {
    country: "US",
    symbol: "ACME",
    span: "year",
    fiscalYear,
    fiscalQuarter: 4,
    periodEnd: `${fiscalYear}-12-31`,
    filedOn,
    currency: "USD",
    items: { ...NO_ITEMS, ...items },
  };
}

const Y2024 = {
  revenue: 1_000,
  ebitda: 200,
  epsDiluted: 1,
  sharesOutstanding: 120,
  commonEquity: 600,
  totalDebt: 300,
  cash: 100,
};
const Y2025 = { ...Y2024, revenue: 1_500, ebitda: 250, epsDiluted: 2, sharesOutstanding: 100 };

const ACME: ValuationInputs = {
  instrument: {
    country: "US",
    currency: "USD",
    sector: "industrials",
    industry: "railroads",
    sharesOutstanding: 90,
  },
  statements: [year(2024, "2025-02-10", Y2024), year(2025, "2026-02-20", Y2025)],
  price: 40,
  dividends: [
    { exDate: "2024-06-03", amount: 0.3 },
    { exDate: "2025-06-02", amount: 0.5 },
  ],
  asOf: "2026-03-20",
  closes: {
    dates: ["2025-01-31", "2025-02-28", "2026-02-19", "2026-02-20"],
    close: Float64Array.of(20, 24, 30, 32),
  },
};
const values = (changes: Partial<ValuationInputs> = {}) => {
  const history = valuationHistory({ ...ACME, ...changes });
  return Object.fromEntries(
    Object.entries(history.values).map(([metric, series]) => [
      metric,
      [...series].map((value) => (Number.isNaN(value) ? null : Number(value.toFixed(6)))),
    ]),
  );
};
const rounded = (all: (number | null)[]) =>
  all.map((value) => (value === null ? null : Number(value.toFixed(6))));

describe("valuationHistory", () => {
  test("takes the figures that were filed by each day, and the shares of that time", () => {
    // 90 traded shares today, when the newest report counts 100: 90 · 120 / 100 = 108 shares in 2025.
    const [first, old, now] = [24 * 108, 30 * 108, 32 * 90];
    expect(values()).toEqual({
      pe: rounded([null, 24 / 1, 30 / 1, 32 / 2]),
      pb: rounded([null, first / 600, old / 600, now / 600]),
      ps: rounded([null, first / 1_000, old / 1_000, now / 1_500]),
      // EV: market cap + debt 300 − cash 100.
      ev_ebitda: rounded([null, (first + 200) / 200, (old + 200) / 200, (now + 200) / 250]),
      dividend_yield: rounded([30 / 20, 30 / 24, 50 / 30, 50 / 32]),
    });
  });

  test("has no multiples of the market cap on days without a count of shares", () => {
    const [old, now] = ACME.statements as [Statement, Statement];
    const uncounted = { ...old, items: { ...old.items, sharesOutstanding: null } };
    const found = values({ statements: [uncounted, now] });
    expect(found["pe"]).toEqual([null, 24, 30, 16]);
    expect(found["ps"]).toEqual([null, null, null, 1.92]);
  });

  test("compares diluted shares if a report does not count those outstanding", () => {
    const [old, now] = ACME.statements as [Statement, Statement];
    const diluted = (one: Statement, sharesDiluted: number) => ({
      ...one,
      items: { ...one.items, sharesOutstanding: null, sharesDiluted },
    });
    // 90 · 110 / 100 = 99 shares.
    const found = values({ statements: [diluted(old, 110), diluted(now, 100)] });
    expect(found["ps"]?.[1]).toBe(Number(((24 * 99) / 1_000).toFixed(6)));
  });

  test("converts by the rate of each day, and has no multiples on days without one", () => {
    const [old, now] = ACME.statements as [Statement, Statement];
    const foreign = [old, now].map((one) => ({ ...one, currency: "EUR" }));
    const rates = new Map([
      ["2025-02-28", 1.25],
      ["2026-02-20", 1.6],
    ]);
    const found = values({
      statements: foreign,
      instrument: { ...ACME.instrument, sharesOutstanding: 100 },
      rateOf: () => 1.6,
      rateOn: (currency, date) => (currency === "EUR" ? (rates.get(date) ?? null) : null),
    });
    expect(found["pe"]).toEqual([null, 24 / 1.25, null, 32 / 1.6 / 2]);
    expect(found["dividend_yield"]).toEqual(values()["dividend_yield"]);
  });

  test("forgets earnings that ended more than 15 months before", () => {
    const closes = { dates: ["2027-03-31", "2027-04-01"], close: Float64Array.of(40, 40) };
    expect(values({ closes, asOf: "2027-04-02" })["pe"]).toEqual([20, null]);
  });

  test("law: a day has the same values alone and among other days", () => {
    const dates = ["2025-01-31", "2025-02-28", "2025-12-31", "2026-02-20", "2026-04-01"];
    const later = ["2027-03-31", "2027-04-01", "2027-06-30"];
    const closes = (days: string[]) => ({ dates: days, close: Float64Array.from(days, () => 40) });
    const all = values({ closes: closes([...dates, ...later]), asOf: "2027-07-01" });
    for (const [i, date] of [...dates, ...later].entries()) {
      const alone = values({ closes: closes([date]), asOf: "2027-07-01" });
      for (const [metric, series] of Object.entries(alone))
        expect(all[metric]?.[i]).toBe(series[0]!);
    }
  });

  test("without dividends known, the yield is unknown; without dividends paid, it is 0", () => {
    expect(values({ dividends: null })["dividend_yield"]).toEqual([null, null, null, null]);
    expect(values({ dividends: [] })["dividend_yield"]).toEqual([0, 0, 0, 0]);
  });

  test("law: the point of today has the multiples of companyFundamentals", () => {
    const today = companyFundamentals(ACME);
    const closes = { dates: [ACME.asOf], close: Float64Array.of(40) };
    const found = valuationHistory({ ...ACME, closes }).values;
    expect([found.pe[0], found.pb[0], found.ps[0], found.ev_ebitda[0]]).toEqual([
      today.pe!,
      today.pb!,
      today.ps!,
      today.evToEbitda!,
    ]);
    expect(found.dividend_yield[0]).toBe(today.dividendYieldPercent!);
  });

  test.skipIf(!hasRecordings)(
    "Apple: EPS of fiscal 2022 is 6.11 until the report of 3 February 2023, then 6.11 − 2.10 + 1.88",
    () => {
      const { pe } = valuationHistory({
        ...ACME,
        statements: statementsOf(recordedJson("sec/companyfacts_CIK0000320193.json"), "AAPL"),
        asOf: "2024-01-31",
        // Closes of Nasdaq.
        closes: {
          dates: ["2022-12-30", "2023-02-02", "2023-02-03"],
          close: Float64Array.of(129.93, 150.82, 154.5),
        },
      }).values;
      expect(pe[0]).toBeCloseTo(129.93 / 6.11, 6);
      expect(pe[1]).toBeCloseTo(150.82 / 6.11, 6);
      expect(pe[2]).toBeCloseTo(154.5 / 5.89, 6);
    },
  );
});

test.each([
  ["US", 3, "2026-09-30", "2026-11-14"],
  ["US", 4, "2025-12-31", "2026-03-31"],
  ["JP", 4, "2026-03-31", "2026-05-15"],
  ["VN", 2, "2026-06-30", "2026-07-30"],
] as const)(
  "a statement of %s, quarter %d, without a filing date",
  (country, fiscalQuarter, periodEnd, day) => {
    expect(assumedFilingDate({ country, fiscalQuarter, periodEnd })).toBe(day);
  },
);

describe("monthEnds", () => {
  const closes = (dates: string[]) => ({ dates, close: Float64Array.from(dates, (_, i) => i) });

  test("has the last session of each of the 60 months before the newest session's month", () => {
    const all = closes(
      "2021-10-29 2021-11-26 2022-01-03 2022-01-31 2026-10-30 2026-11-02".split(" "),
    );
    // December 2021 has no session, October 2021 is too old, November 2026 is not over.
    expect(monthEnds(all)).toEqual({
      dates: ["2021-11-26", "2022-01-31", "2026-10-30"],
      close: Float64Array.of(1, 3, 4),
    });
    expect(monthEnds(closes([])).dates).toEqual([]);
  });
});

test.each([
  [23, null],
  [24, { median: 20, percentile: 100 }],
])("with %d known values, the place in its own history is known or not", (months, expected) => {
  const dates = Array.from({ length: months }, (_, i) => addMonths("2025-01-28", i + 2));
  const closes = { dates, close: Float64Array.from(dates, () => 40) };
  const statements = [2024, 2025, 2026].map((at) => year(at, `${at + 1}-01-15`, Y2025));
  const inputs = { ...ACME, statements, closes, asOf: "2027-04-01" };
  const today = { pe: 21, pb: null, ps: null, evToEbitda: null, dividendYieldPercent: null };
  expect(ownHistory(inputs, today).pe).toEqual(expected);
});

describe("valueRange", () => {
  test("has the quantiles of the known values and the percentile of today's", () => {
    // pandas 1.5.3, s = pd.Series([4, None, 1, 3, 2, 10]): s.count(), s.median(), s.quantile([.1, .9]).
    const series = Float64Array.of(4, Number.NaN, 1, 3, 2, 10);
    const range = valueRange(series, 3);
    expect(range).toMatchObject({ points: 5, median: 3, p10: 1.4 });
    expect(range.p90).toBeCloseTo(7.6, 12);
    // 100 · ((s < 3).sum() + (s == 3).sum() / 2) / s.count()
    expect(range.percentile).toBe(50);
    expect([...series]).toEqual([4, Number.NaN, 1, 3, 2, 10]);
  });

  test("knows no percentile without a value, and no quantiles without a series", () => {
    expect(valueRange(Float64Array.of(1, 2), null).percentile).toBeNull();
    expect(valueRange(Float64Array.of(Number.NaN), 1)).toEqual({
      points: 0,
      median: null,
      p10: null,
      p90: null,
      percentile: null,
    });
  });

  test("a percentile is 0 below all values, 100 above all, and counts equal ones half", () => {
    expect(percentileOf([1, 2, 3, 4], 0)).toBe(0);
    expect(percentileOf([1, 2, 3, 4], 5)).toBe(100);
    expect(percentileOf([1, 2, 2, 4], 2)).toBe(50);
  });
});
