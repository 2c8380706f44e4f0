import { describe, expect, test } from "bun:test";
import { listPeriods, periodFigures } from "#analytics/periods.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";

function statement(
  span: Statement["span"],
  fiscalYear: number,
  fiscalQuarter: number,
  items: Partial<Statement["items"]>,
  filedOn = `${fiscalYear}-12-31`,
): Statement {
  return {
    country: "JP",
    symbol: "7203",
    span,
    fiscalYear,
    fiscalQuarter,
    periodEnd: `${fiscalYear}-${String(fiscalQuarter * 3).padStart(2, "0")}-28`,
    filedOn,
    currency: "JPY",
    items: { ...NO_ITEMS, ...items },
  };
}

const quartersOf = (statements: Statement[]) =>
  listPeriods(statements, "2030-01-01", "quarterly").map(
    ({ span, fiscalQuarter, items }) => [span, fiscalQuarter, items.revenue, items.cash] as const,
  );

describe("single quarters", () => {
  test("of a cumulative reporter are differences of spans, except balances", () => {
    const reported = [
      statement("year_to_date", 2025, 1, { revenue: 10, cash: 1 }),
      statement("year_to_date", 2025, 2, { revenue: 25, cash: 2 }),
      statement("year_to_date", 2025, 3, { revenue: 45, cash: 3 }),
      statement("year", 2025, 4, { revenue: 70, cash: 4 }),
    ];
    expect(quartersOf(reported)).toEqual([
      ["quarter", 4, 70 - 45, 4],
      ["quarter", 3, 45 - 25, 3],
      ["quarter", 2, 25 - 10, 2],
      ["quarter", 1, 10, 1],
    ]);
  });

  test("with two labels, of the calendar and of the company, are listed once", () => {
    const at = (periodEnd: string, quarter: number, revenue: number, filedOn: string) => ({
      ...statement("quarter", 2025, quarter, { revenue }, filedOn),
      periodEnd,
    });
    const reported = [
      at("2025-06-30", 2, 94, "2025-08-01"),
      at("2025-06-28", 3, 95, "2025-08-02"),
      at("2025-09-30", 4, 102, "2025-11-02"),
      at("2025-10-02", 5, 103, "2025-11-01"),
    ];
    expect(quartersOf(reported).map(([, , revenue]) => revenue)).toEqual([102, 95]);
  });

  test("of nine months between two fiscal years are differences, listed by their ends", () => {
    const at = (periodEnd: string, one: Statement) => ({ ...one, periodEnd });
    const reported = [
      at("2025-03-31", statement("year", 2025, 4, { revenue: 70 })),
      at("2025-06-30", statement("year_to_date", 2025, 5, { revenue: 15 })),
      at("2025-09-30", statement("year_to_date", 2025, 6, { revenue: 31 })),
      at("2025-12-31", statement("year_to_date", 2025, 7, { revenue: 48 })),
      at("2026-03-31", statement("year_to_date", 2026, 1, { revenue: 19 })),
    ];
    expect(quartersOf(reported).map(([, number, revenue]) => [number, revenue])).toEqual([
      [1, 19],
      [7, 48 - 31],
      [6, 31 - 15],
      [5, 15],
    ]);
    const years = listPeriods(reported, "2030-01-01", "annual");
    expect(years.map(({ periodEnd }) => periodEnd)).toEqual(["2025-03-31"]);
  });

  test("as reported take precedence over differences", () => {
    const reported = [
      statement("quarter", 2025, 2, { revenue: 14 }),
      statement("year_to_date", 2025, 1, { revenue: 10 }),
      statement("year_to_date", 2025, 2, { revenue: 25 }),
    ];
    expect(quartersOf(reported)[0]?.[2]).toBe(14);
  });

  test("are left out if a span is missing, and null if an item is", () => {
    expect(quartersOf([statement("year", 2025, 4, { revenue: 70 })])).toEqual([]);
    expect(
      quartersOf([
        statement("year_to_date", 2025, 1, { revenue: null }),
        statement("year_to_date", 2025, 2, { revenue: 25 }),
      ])[0]?.[2],
    ).toBeNull();
  });
});

test("fiscal years are sorted newest first, restated, and without later filings", () => {
  const reported = [
    statement("year", 2023, 4, { revenue: 50 }, "2024-02-01"),
    statement("year", 2024, 4, { revenue: 60 }, "2025-02-01"),
    statement("year", 2024, 4, { revenue: 61 }, "2025-06-01"),
    statement("year", 2025, 4, { revenue: 70 }, "2026-02-01"),
  ];
  const years = (asOf: string) =>
    listPeriods(reported, asOf, "annual").map(({ fiscalYear, items }) => [
      fiscalYear,
      items.revenue,
    ]);
  expect(years("2025-12-31")).toEqual([
    [2024, 61],
    [2023, 50],
  ]);
  expect(years("2026-02-01")[0]).toEqual([2025, 70]);
});

describe("the figures of a period", () => {
  const items: Statement["items"] = {
    ...NO_ITEMS,
    revenue: 200,
    grossProfit: 80,
    operatingIncome: 50,
    netIncome: 30,
    operatingCashFlow: 44,
    capitalExpenditure: 14,
    commonEquity: 90,
    minorityInterest: 10,
    totalDebt: 150,
    currentAssets: 60,
    currentLiabilities: 40,
  };
  const figures = {
    freeCashFlow: 44 - 14,
    totalEquity: 90 + 10,
    grossMarginPercent: 40, // 80 / 200
    operatingMarginPercent: 25, // 50 / 200
    netMarginPercent: 15, // 30 / 200
    fcfMarginPercent: 15, // 30 / 200
    debtToEquity: 1.5, // 150 / 100
    currentRatio: 1.5, // 60 / 40
  };

  test("are quotients of its own items", () => {
    expect(periodFigures(items, "software-application")).toEqual(figures);
    expect(periodFigures(items, null)).toEqual(figures);
  });

  test("of a bank have no gross margin and no free cash flow, like its TTM figures", () => {
    expect(periodFigures(items, "banks-diversified")).toEqual({
      ...figures,
      freeCashFlow: null,
      grossMarginPercent: null,
      fcfMarginPercent: null,
    });
  });

  test("of a broker have a gross margin, but no free cash flow, like its TTM figures", () => {
    const none = { freeCashFlow: null, fcfMarginPercent: null };
    expect(periodFigures(items, "capital-markets")).toEqual({ ...figures, ...none });
  });

  test("are null if an item is unknown or equity or revenue is not positive", () => {
    expect(new Set(Object.values(periodFigures(NO_ITEMS, null)))).toEqual(new Set([null]));
    const poor = periodFigures({ ...items, revenue: 0, commonEquity: -10 }, null);
    expect([poor.netMarginPercent, poor.totalEquity, poor.debtToEquity]).toEqual([null, 0, null]);
  });
});
