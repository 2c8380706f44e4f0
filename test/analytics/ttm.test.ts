import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  balance,
  balanceOrNone,
  type BalanceItem,
  type FlowItem,
  growthPercent,
  knownStatements,
  ttm,
} from "#analytics/ttm.ts";
import { NO_ITEMS, type Statement, type StatementItems } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";

const PERIOD_ENDS = ["03-31", "06-30", "09-30", "12-31"];

/** A calendar-year company's statement, filed 30 days after the period. */
function reported(
  span: Statement["span"],
  fiscalYear: number,
  fiscalQuarter: number,
  items: Partial<StatementItems>,
  changes: Partial<Statement> = {},
): Statement {
  const periodEnd = changes.periodEnd ?? `${fiscalYear}-${PERIOD_ENDS[fiscalQuarter - 1]}`;
  return {
    country: "US",
    symbol: "ACME",
    span,
    fiscalYear,
    fiscalQuarter,
    periodEnd,
    filedOn: addDays(periodEnd, 30),
    currency: "USD",
    items: { ...NO_ITEMS, ...items },
    ...changes,
  };
}

const quarter = (year: number, n: number, revenue: number | null, changes?: Partial<Statement>) =>
  reported("quarter", year, n, { revenue }, changes);
const yearToDate = (year: number, n: number, revenue: number) =>
  reported("year_to_date", year, n, { revenue });
const wholeYear = (year: number, revenue: number) => reported("year", year, 4, { revenue });

const revenueOn = (asOf: string, statements: Statement[], item: FlowItem = "revenue") =>
  ttm(knownStatements(statements, asOf), item);
const balanceOn = (asOf: string, statements: Statement[], item: BalanceItem) =>
  balance(knownStatements(statements, asOf), item);

const QUARTERS = [
  quarter(2024, 4, 36),
  quarter(2025, 1, 10),
  quarter(2025, 2, 20),
  quarter(2025, 3, 30),
  quarter(2025, 4, 40),
  quarter(2026, 1, 11),
  quarter(2026, 2, 22),
  quarter(2026, 3, 33),
];

test("a fiscal year is as reported, also if its rounded quarters do not add up to it", () => {
  // Alphabet, 2025, in millions: 90,234 + 96,428 + 102,346 + 113,829 = 402,837.
  const quarters = [90_234, 96_428, 102_346, 113_829].map((revenue, i) =>
    quarter(2025, i + 1, revenue),
  );
  expect(revenueOn("2026-02-15", quarters).current).toBe(402_837);
  expect(revenueOn("2026-02-15", [...quarters, wholeYear(2025, 402_836)]).current).toBe(402_836);
});

describe("after a change of the fiscal year", () => {
  // Years end in June until 2024 and in December from 2025 on; July to December 2024 is in no year.
  const old = (year: number, n: number, periodEnd: string) =>
    quarter(year, n, 10, { periodEnd, filedOn: addDays(periodEnd, 30) });
  const statements = [
    old(2024, 2, "2023-12-31"),
    old(2024, 3, "2024-03-31"),
    old(2024, 4, "2024-06-30"),
    reported("year", 2024, 4, { revenue: 40 }, { periodEnd: "2024-06-30", filedOn: "2024-08-20" }),
    quarter(2025, 1, 12),
    quarter(2025, 2, 12),
    quarter(2025, 3, 12),
    quarter(2025, 4, 12),
  ];

  test("quarters of both calendars are not summed, because some months are missing between them", () => {
    // The last whole year is still recent.
    expect(revenueOn("2025-05-15", statements)).toEqual({ current: 40, yearAgo: null });
    expect(revenueOn("2025-11-15", statements)).toEqual({ current: null, yearAgo: null });
  });

  test("four quarters of the new calendar are", () => {
    expect(revenueOn("2026-02-15", statements)).toEqual({ current: 48, yearAgo: null });
  });

  /** A statement of a company whose years end in March until 2024 and in December from 2025 on. */
  const moved = (
    span: Statement["span"],
    [year, n]: [number, number],
    periodEnd: string,
    revenue: number,
  ) => reported(span, year, n, { revenue }, { periodEnd, filedOn: addDays(periodEnd, 30) });
  const summaries = [
    moved("year_to_date", [2024, 1], "2023-06-30", 10),
    moved("year_to_date", [2024, 2], "2023-09-30", 21),
    moved("year_to_date", [2024, 3], "2023-12-31", 33),
    moved("year", [2024, 4], "2024-03-31", 46),
    moved("year_to_date", [2024, 5], "2024-06-30", 14),
    moved("year_to_date", [2024, 6], "2024-09-30", 29),
    moved("year_to_date", [2024, 7], "2024-12-31", 45),
    moved("year_to_date", [2025, 1], "2025-03-31", 17),
    moved("year_to_date", [2025, 2], "2025-06-30", 35),
  ];

  test.each([
    // The year to date, and what is left of the year before or of the nine months between.
    ["2024-07-30", 14 + 46 - 10],
    ["2025-01-30", 45 + 46 - 33],
    ["2025-04-30", 17 + 45],
    ["2025-07-30", 35 + 45 - 14],
  ])("cumulative figures of nine months continue the year before: %s", (day, expected) => {
    expect(revenueOn(day, summaries).current).toBe(expected);
  });

  test("nine months are not compared with a year", () => {
    const year = (end: string, filedOn: string, revenue: number) =>
      reported("year", Number(end.slice(0, 4)), 4, { revenue }, { periodEnd: end, filedOn });
    const years = [year("2024-03-31", "2024-05-10", 46), year("2025-12-31", "2026-02-10", 70)];
    expect(revenueOn("2026-03-01", years)).toEqual({ current: 70, yearAgo: null });
  });

  test.each([28, 31])(
    "quarters after a month of %d days between two years are no twelve months",
    (days) => {
      const ends = ["2024-07-31", "2024-10-31", "2025-01-31"];
      const next = addDays("2025-01-31", days);
      const later = [addDays(next, 91), addDays(next, 182)];
      const statements = [...ends, ...later].map((end, i) =>
        quarter(2024 + Math.floor(i / 4), (i % 4) + 1, 10, {
          periodEnd: end,
          filedOn: addDays(end, 30),
        }),
      );
      expect(revenueOn("2025-12-31", statements).current).toBeNull();
    },
  );

  test("years of 53 weeks and quarters of 16 weeks are one calendar", () => {
    const ends = "2024-05-25 2024-08-17 2024-11-09 2025-02-01 2025-05-24 2025-08-16".split(" ");
    const kroger = ends.map((periodEnd, i) => {
      const changes = { periodEnd, filedOn: addDays(periodEnd, 30) };
      return quarter(2024 + Math.floor(i / 4), (i % 4) + 1, 10 + i, changes);
    });
    // 12 + 13 + 14 + 15.
    expect(revenueOn("2025-10-01", kroger).current).toBe(54);
  });
});

describe("a quarterly reporter", () => {
  test("has the sum of its last four quarters: 40 + 11 + 22 + 33 = 106, a year ago 36 + 10 + 20 + 30 = 96", () => {
    expect(revenueOn("2026-11-20", QUARTERS)).toEqual({ current: 106, yearAgo: 96 });
  });

  test("has no year-ago figure if a quarter of that year is missing", () => {
    expect(revenueOn("2026-11-20", QUARTERS.slice(1))).toEqual({ current: 106, yearAgo: null });
  });

  test("sums quarters even if the whole year is known, because the quarters are newer", () => {
    const statements = [...QUARTERS, wholeYear(2025, 100)];
    expect(revenueOn("2026-11-20", statements).current).toBe(106);
  });

  test("uses the year to date if a quarter is missing: 66 + 100 − (10 + 20 + 30) = 106", () => {
    const gap = QUARTERS.filter((s) => !(s.fiscalYear === 2026 && s.fiscalQuarter === 2));
    const statements = [...gap, wholeYear(2025, 100), yearToDate(2026, 3, 66)];
    expect(revenueOn("2026-11-20", statements).current).toBe(106);
  });

  test("falls back to the last fiscal year if a quarter is missing, and compares it with the previous year", () => {
    const gap = QUARTERS.filter((s) => !(s.fiscalYear === 2026 && s.fiscalQuarter === 2));
    const statements = [...gap, wholeYear(2025, 100), wholeYear(2024, 80)];
    expect(revenueOn("2026-11-20", statements)).toEqual({ current: 100, yearAgo: 80 });
  });

  test("falls back if a quarter does not report the item, not only without a statement", () => {
    const statements = [
      quarter(2025, 4, 40),
      quarter(2026, 1, 11),
      quarter(2026, 2, null),
      quarter(2026, 3, 33),
      wholeYear(2025, 100),
    ];
    expect(revenueOn("2026-11-20", statements).current).toBe(100);
  });

  test("flows of the last fiscal year are not mixed with newer ones, except earnings per share", () => {
    // As SEC frames have them: quarters of revenue, years of everything.
    const years = [2024, 2025].map((year, i) =>
      reported("year", year, 4, {
        revenue: 80 + 20 * i,
        operatingCashFlow: 30 + i,
        epsDiluted: 2 + i,
      }),
    );
    const statements = [...QUARTERS, ...years];
    const on = (date: string) =>
      (["revenue", "operatingCashFlow", "epsDiluted"] as const).map(
        (item) => revenueOn(date, statements, item).current,
      );
    expect(on("2026-11-20")).toEqual([106, null, 3]);
    // At the end of the fiscal year they are the same months: 10 + 20 + 30 + 40.
    expect(on("2026-03-20")).toEqual([100, 31, 3]);
    // Without one of the newest quarters, all are those of the year.
    expect(
      revenueOn("2026-11-20", [...QUARTERS.slice(0, 6), ...QUARTERS.slice(7), ...years]).current,
    ).toBe(100);
  });

  test("a fiscal year counts up to 15 months after its end, not a day longer", () => {
    const statements = [wholeYear(2025, 100), wholeYear(2024, 80)];
    expect(revenueOn("2027-03-31", statements)).toEqual({ current: 100, yearAgo: 80 });
    expect(revenueOn("2027-04-01", statements)).toEqual({ current: null, yearAgo: null });
  });

  test("four quarters that are not consecutive do not count as twelve months", () => {
    const statements = [2023, 2024, 2025, 2026].map((year) => quarter(year, 3, 10));
    expect(revenueOn("2026-11-20", statements).current).toBeNull();
  });

  test("its year-ago figure can come from the fiscal year that ended there", () => {
    const statements = [1, 2, 3, 4].map((n) => quarter(2025, n, 10 * n));
    expect(revenueOn("2026-02-20", [...statements, wholeYear(2024, 80)])).toEqual({
      current: 100,
      yearAgo: 80,
    });
  });
});

describe("a cumulative reporter", () => {
  const statements = [
    yearToDate(2025, 2, 180),
    wholeYear(2025, 390),
    yearToDate(2026, 1, 95),
    yearToDate(2026, 2, 190),
    wholeYear(2026, 400),
    yearToDate(2027, 1, 100),
    yearToDate(2027, 2, 210),
  ];

  test("has year to date + last year − prior year to date: 210 + 400 − 190 = 420, a year ago 190 + 390 − 180 = 400", () => {
    expect(revenueOn("2027-08-20", statements)).toEqual({ current: 420, yearAgo: 400 });
  });

  test("has its fiscal year at the year's end", () => {
    expect(revenueOn("2027-02-20", statements)).toEqual({ current: 400, yearAgo: 390 });
  });

  test("a year to date of four quarters is the whole year", () => {
    const cumulativeYears = statements.map((s) =>
      s.span === "year" ? { ...s, span: "year_to_date" as const } : s,
    );
    expect(revenueOn("2027-08-20", cumulativeYears)).toEqual({ current: 420, yearAgo: 400 });
  });

  test("falls back to the last fiscal year if the prior year to date is missing", () => {
    const gap = statements.filter((s) => !(s.fiscalYear === 2026 && s.fiscalQuarter === 2));
    expect(revenueOn("2027-08-20", gap)).toEqual({ current: 400, yearAgo: 390 });
  });

  test("is null if the last fiscal year is missing and no other is recent", () => {
    const gap = statements.filter((s) => !(s.fiscalYear === 2026 && s.span === "year"));
    // FY2025 ended on 2025-12-31, 20 months before.
    expect(revenueOn("2027-08-20", gap).current).toBeNull();
  });

  test("agrees with a quarterly reporter of the same business", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 12, maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        (revenues, lastQuarter) => {
          const business = revenues.slice(0, 8 + lastQuarter);
          const quarterly = business.map((revenue, i) =>
            quarter(2024 + Math.floor(i / 4), (i % 4) + 1, revenue),
          );
          const cumulative = business.map((_, i) => {
            const soFar = business.slice(i - (i % 4), i + 1).reduce((sum, value) => sum + value, 0);
            const year = 2024 + Math.floor(i / 4);
            return i % 4 === 3 ? wholeYear(year, soFar) : yearToDate(year, (i % 4) + 1, soFar);
          });
          expect(revenueOn("2027-03-01", cumulative)).toEqual(revenueOn("2027-03-01", quarterly));
        },
      ),
    );
  });
});

describe("the known statements", () => {
  test("a statement is unknown before its filing date", () => {
    // The third quarter was filed on 2026-10-30: before it, 30 + 40 + 11 + 22 = 103.
    expect(revenueOn("2026-10-29", QUARTERS).current).toBe(103);
    expect(revenueOn("2026-10-30", QUARTERS).current).toBe(106);
  });

  test("a restatement replaces the original after it is filed, in any order", () => {
    const restated = quarter(2026, 1, 14, { filedOn: "2026-11-10" });
    for (const statements of [
      [...QUARTERS, restated],
      [restated, ...QUARTERS],
    ]) {
      expect(revenueOn("2026-11-09", statements).current).toBe(106);
      expect(revenueOn("2026-11-10", statements).current).toBe(109);
    }
  });

  test("the latest period is that of the newest statement", () => {
    expect(knownStatements(QUARTERS, "2026-11-20").newest).toMatchObject({
      fiscalYear: 2026,
      fiscalQuarter: 3,
      periodEnd: "2026-09-30",
    });
    expect(knownStatements(QUARTERS, "2020-01-01").newest).toBeNull();
  });

  test("statements in a former currency are left out, because euros and dollars cannot be added", () => {
    const moved = QUARTERS.map((s) => (s.fiscalYear < 2026 ? { ...s, currency: "EUR" } : s));
    expect(revenueOn("2026-11-20", moved).current).toBeNull();
  });

  test("the order of the statements has no effect", () => {
    const statements = [...QUARTERS, wholeYear(2025, 100), yearToDate(2026, 2, 33)];
    fc.assert(
      fc.property(fc.shuffledSubarray(statements, { minLength: statements.length }), (shuffled) => {
        expect(revenueOn("2026-11-20", shuffled)).toEqual({ current: 106, yearAgo: 96 });
      }),
    );
  });

  test("without statements everything is null", () => {
    expect(revenueOn("2026-11-20", [])).toEqual({ current: null, yearAgo: null });
    expect(balanceOn("2026-11-20", [], "cash")).toEqual({ current: null, yearAgo: null });
  });
});

describe("the latest balance sheet", () => {
  const sheets = [
    reported("quarter", 2025, 2, { cash: 70, totalDebt: 200 }),
    reported("year", 2025, 4, { cash: 80, totalDebt: 300, inventory: 5 }),
    reported("quarter", 2026, 2, { cash: 90, totalDebt: 250 }),
    reported("quarter", 2026, 3, { revenue: 10 }),
  ];

  test("is that of the newest statement with balances, compared with the same quarter a year ago", () => {
    expect(balanceOn("2026-11-20", sheets, "cash")).toEqual({ current: 90, yearAgo: 70 });
  });

  test("is not a statement with a number of shares alone, as summaries of quarters give it", () => {
    const summary = reported("quarter", 2026, 4, { sharesOutstanding: 7 });
    expect(balanceOn("2027-02-20", [...sheets, summary], "cash").current).toBe(90);
  });

  test("is one balance sheet: missing items are not taken from an older one", () => {
    expect(balanceOn("2026-11-20", sheets, "inventory").current).toBeNull();
  });

  test("at a year's end comes from the statement of the quarter or of the year", () => {
    const both = [
      reported("quarter", 2025, 4, { cash: 80 }),
      reported("year", 2025, 4, { totalDebt: 300 }),
    ];
    expect(balanceOn("2026-02-20", both, "cash").current).toBe(80);
    expect(balanceOn("2026-02-20", both, "totalDebt").current).toBe(300);
  });

  test("of a cumulative reporter comes from its year to date", () => {
    const statements = [reported("year_to_date", 2026, 2, { cash: 9 })];
    expect(balanceOn("2026-11-20", statements, "cash").current).toBe(9);
  });
});

describe("growth", () => {
  test("is the change / the base: (106 − 96) / 96 = 10.4167 %", () => {
    expect(growthPercent({ current: 106, yearAgo: 96 })).toBeCloseTo(10.4167, 4);
  });

  test("is below −100 % from a profit to a loss: (−20 − 80) / 80 = −125 %", () => {
    expect(growthPercent({ current: -20, yearAgo: 80 })).toBe(-125);
  });

  test("is null if the base is zero or a loss, or if a figure is unknown", () => {
    expect(growthPercent({ current: 5, yearAgo: 0 })).toBeNull();
    expect(growthPercent({ current: 5, yearAgo: -5 })).toBeNull();
    expect(growthPercent({ current: null, yearAgo: 5 })).toBeNull();
    expect(growthPercent({ current: 5, yearAgo: null })).toBeNull();
  });
});

describe("an item that a company reports only if it has it", () => {
  const sheet = (n: number, inventory: number | null) =>
    reported("quarter", 2026, n, { totalAssets: 100, inventory });
  const inventoryOf = (...statements: Statement[]) =>
    balanceOrNone(knownStatements(statements, "2026-11-20"), "inventory");

  test("is the item of the latest balance sheet", () => {
    expect(inventoryOf(sheet(2, 5), sheet(3, 7))).toBe(7);
  });

  test("is 0 if neither the latest balance sheet nor the five before report it", () => {
    const old = reported("quarter", 2025, 1, { totalAssets: 100, inventory: 5 });
    expect(inventoryOf(old, sheet(2, null), sheet(3, null))).toBe(0);
    expect(inventoryOf(sheet(1, 0), sheet(2, null), sheet(3, null))).toBe(0);
    expect(inventoryOf(sheet(2, 0), sheet(3, null))).toBe(0);
    expect(inventoryOf(sheet(3, null))).toBe(0);
  });

  test("is null if only an earlier balance sheet reports it, and without a balance sheet", () => {
    expect(inventoryOf(sheet(2, 5), sheet(3, null))).toBeNull();
    expect(inventoryOf(sheet(1, 5), sheet(2, null), sheet(3, null))).toBeNull();
    expect(inventoryOf()).toBeNull();
  });
});
