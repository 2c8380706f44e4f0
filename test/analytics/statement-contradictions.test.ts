import { expect, test } from "bun:test";
import { checkStatement } from "#analytics/statement-check.ts";
import { findContradictions } from "#analytics/statement-contradictions.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";

type Items = Partial<Statement["items"]>;
type Label = readonly [span: Statement["span"], year: number, quarter: number, end: string];

function statement([span, fiscalYear, fiscalQuarter, periodEnd]: Label, items: Items): Statement {
  const key = { country: "US", symbol: "ACME", span, fiscalYear, fiscalQuarter } as const;
  const rest = { periodEnd, filedOn: "2026-01-01", currency: "USD" };
  return { ...key, ...rest, items: { ...NO_ITEMS, ...items } };
}

const YEAR: Label = ["year", 2024, 4, "2024-12-31"];
const QUARTERS: readonly Label[] = [
  ["quarter", 2024, 1, "2024-03-31"],
  ["quarter", 2024, 2, "2024-06-30"],
  ["quarter", 2024, 3, "2024-09-30"],
  ["quarter", 2024, 4, "2024-12-31"],
];
/** Quarters of a year with these revenues. */
const quarters = (...revenues: number[]) =>
  revenues.map((revenue, i) => statement(QUARTERS[i] ?? YEAR, { revenue }));
const foundIn = (...all: readonly Statement[]) => all.map((one) => findContradictions(one, all));

/** Statements that agree: none has a contradiction. */
const AGREE: Record<string, readonly Statement[]> = {
  "quarters and their year, with rounding": [
    ...quarters(100, 110, 120, 130),
    statement(YEAR, { revenue: 461 }),
  ],
  "losses of quarters that are larger than the year's": [
    ...[-50, 60, -40, 31].map((netIncome, i) => statement(QUARTERS[i] ?? YEAR, { netIncome })),
    statement(YEAR, { netIncome: 1 }),
  ],
  "a year that grows fast, as Nvidia's fiscal 2024, whose next quarter is larger": [
    ...quarters(7_192, 13_507, 18_120, 22_103),
    statement(["quarter", 2025, 1, "2025-03-31"], { revenue: 26_044 }),
  ],
  "a balance with minority interest and preferred equity": [
    statement(YEAR, {
      totalAssets: 1000,
      totalLiabilities: 600,
      commonEquity: 250,
      preferredEquity: 50,
      minorityInterest: 100,
    }),
  ],
  "a balance whose minority interest or mezzanine is not given": [
    statement(YEAR, { totalAssets: 1000, totalLiabilities: 600, commonEquity: 250 }),
  ],
  "equity below zero": [
    statement(YEAR, { totalAssets: 55_182, totalLiabilities: 58_979, commonEquity: -3_797 }),
  ],
  "a margin": [statement(YEAR, { revenue: 100, costOfRevenue: 60, grossProfit: 40 })],
  "a season that grows like a year to date, in a year that is its sum": [
    ...quarters(41, 70, 98, 121),
    statement(YEAR, { revenue: 330 }),
    statement(["quarter", 2025, 1, "2025-03-31"], { revenue: 55 }),
  ],
  "years to date, one after a quarter with revenue below 0": [
    statement(["year_to_date", 2023, 2, "2023-06-30"], { revenue: 210 }),
    statement(["year_to_date", 2023, 3, "2023-09-30"], { revenue: 330 }),
    statement(["year_to_date", 2024, 1, "2024-03-31"], { revenue: 100 }),
    statement(["quarter", 2024, 2, "2024-06-30"], { revenue: -30 }),
    statement(["year_to_date", 2024, 2, "2024-06-30"], { revenue: 70 }),
  ],
  "income of a sold business or of held companies above revenue": [
    // eBay sold a business in 2021.
    statement(YEAR, { revenue: 10_420_000, operatingIncome: 2_923_000, netIncome: 13_608_000 }),
  ],
  "revenue and assets that are equal when rounded to millions": [
    statement(YEAR, { revenue: 2_345_000_000, totalAssets: 2_345_000_000 }),
  ],
  "a last quarter with a milestone payment": [...quarters(5, 6, 5, 60)],
  "a last quarter of large sales with little income": [
    [100, 10],
    [110, 11],
    [120, 12],
    [390, 14],
  ].map(([revenue = 0, netIncome = 0], i) =>
    statement(QUARTERS[i] ?? YEAR, { revenue, netIncome }),
  ),
  "a loss without revenue": [statement(YEAR, { revenue: 0, netIncome: -5 })],
  "quarters of 12 and 16 weeks, and a year that is named by its beginning": [
    statement(["quarter", 2025, 1, "2025-05-24"], {}),
    statement(["quarter", 2025, 2, "2025-08-16"], {}),
    statement(["quarter", 2025, 4, "2026-01-31"], {}),
    statement(["year", 2025, 4, "2026-01-31"], {}),
  ],
  "nine months between two years": [
    statement(["year", 2024, 4, "2024-03-31"], {}),
    statement(["quarter", 2024, 5, "2024-06-30"], {}),
    statement(["year_to_date", 2024, 7, "2024-12-31"], {}),
    statement(["quarter", 2025, 1, "2025-03-31"], {}),
  ],
};

test.each(Object.entries(AGREE))("nothing contradicts %s", (_, all) => {
  expect(foundIn(...all).flat()).toEqual([]);
});

const BALANCE = {
  totalAssets: 1000,
  totalLiabilities: 600,
  preferredEquity: 0,
  minorityInterest: 0,
};

test.each<[string, readonly Statement[], readonly (readonly [number, RegExp])[]]>([
  [
    "a year that is not the sum of its quarters",
    [...quarters(100, 110, 120, 130), statement(YEAR, { revenue: 500 })],
    [[4, /^revenue 500 of FY 2024 is not the sum of its quarters, 460:/]],
  ],
  [
    "quarters in order against their dates",
    [
      statement(["quarter", 2024, 1, "2024-09-30"], {}),
      statement(["quarter", 2024, 2, "2024-06-30"], {}),
    ],
    [
      [0, /^Q1 2024 ends on 2024-09-30, Q2 2024 ends on 2024-06-30:/],
      [1, /^Q2 2024 ends on 2024-06-30, Q1 2024 ends on 2024-09-30:/],
    ],
  ],
  [
    "years in order against their dates",
    [
      statement(["year", 2023, 4, "2024-12-31"], {}),
      statement(["year", 2024, 4, "2023-12-31"], {}),
    ],
    [
      [0, /FY 2023 ends on 2024-12-31/],
      [1, /FY 2024 ends on 2023-12-31/],
    ],
  ],
  [
    "nine months as a whole year",
    [
      statement(["year", 2023, 4, "2024-03-31"], {}),
      statement(["year", 2024, 4, "2024-12-31"], {}),
    ],
    [
      [0, /^FY 2023 ends on 2024-03-31, FY 2024 ends on 2024-12-31:/],
      [1, /^FY 2024 ends on 2024-12-31, FY 2023 ends on 2024-03-31:/],
    ],
  ],
  [
    "two labels of one quarter",
    [
      statement(["quarter", 2024, 1, "2024-03-31"], {}),
      statement(["quarter", 2024, 2, "2024-03-31"], {}),
    ],
    [
      [0, /a label or a date/],
      [1, /a label or a date/],
    ],
  ],
  [
    "a year that its date does not have",
    [statement(["year", 2042, 4, "2024-12-31"], {})],
    [[0, /^fiscalYear 2042 does not fit periodEnd 2024-12-31$/]],
  ],
  [
    "quarters that are cumulative",
    [
      ...quarters(100, 205, 310, 420),
      statement(["quarter", 2025, 1, "2025-03-31"], { revenue: 110 }),
    ],
    [1, 2, 3].map((i) => [i, /cumulative \(span year_to_date\), or of single quarters$/] as const),
  ],
  [
    "a sheet that misses its balance by 3 %",
    [statement(YEAR, { ...BALANCE, commonEquity: 370 })],
    [[0, /^totalAssets 1000 are not totalLiabilities and equity, 970:/]],
  ],
  [
    "a sheet whose liabilities are in another unit",
    [statement(YEAR, { totalAssets: 1e9, totalLiabilities: 600, commonEquity: 4e8 })],
    [[0, /in another unit$/]],
  ],
  [
    "equity with minority interest in it",
    [statement(YEAR, { ...BALANCE, commonEquity: 400, minorityInterest: 50 })],
    [[0, /^totalAssets 1000 are not/]],
  ],
  [
    "income in units beside revenue in thousands",
    [statement(YEAR, { revenue: 100_000, operatingIncome: 18_000, netIncome: 12_000_000 })],
    [[0, /^netIncome 12000000 is more than 100 times revenue 100000: one of them is in another/]],
  ],
  [
    "a year to date with less than the one before",
    [
      statement(["year_to_date", 2024, 2, "2024-06-30"], { revenue: 210 }),
      statement(["year_to_date", 2024, 3, "2024-09-30"], { revenue: 110 }),
      statement(YEAR, { revenue: 460 }),
    ],
    [[1, /^revenue 110 of Q3 2024 to date is less than 210 of Q2 2024 to date, which is a part:/]],
  ],
  [
    "a year with less than its first nine months",
    [
      statement(["year_to_date", 2024, 7, "2024-12-31"], { revenue: 900 }),
      statement(["year_to_date", 2024, 3, "2023-12-31"], { revenue: 330 }),
      statement(["year", 2024, 4, "2024-03-31"], { revenue: 300 }),
    ],
    [
      [
        2,
        /^revenue 300 of FY 2024 is less than 330 of Q3 2024 to date, .* or the year was restated$/,
      ],
    ],
  ],
  [
    "a year as its last quarter, without the year itself",
    quarters(100, 110, 120, 450),
    [[3, /^revenue 450 of Q4 2024 is more than the sum of the three quarters before, 330:/]],
  ],
  [
    "a first quarter that differs from its year to date",
    [
      statement(QUARTERS[0] ?? YEAR, { revenue: 100 }),
      statement(["year_to_date", 2024, 1, "2024-03-31"], { revenue: 120 }),
    ],
    [[1, /^revenue 120 of Q1 2024 to date is not 100 of the quarter: one of them is wrong,/]],
  ],
  [
    "a gross profit that is not the difference",
    [statement(YEAR, { revenue: 100, costOfRevenue: 60, grossProfit: 45 })],
    [[0, /^grossProfit 45 is not revenue 100 less costOfRevenue 60$/]],
  ],
  [
    "an outflow below zero, as many programs write it",
    [statement(YEAR, { capitalExpenditure: -5 })],
    [[0, /^capitalExpenditure -5 is below 0: costs and outflows are positive here$/]],
  ],
  [
    "a balance in the place of a flow",
    [statement(YEAR, { revenue: 364_980_000, totalAssets: 364_980_000 })],
    [[0, /^revenue and totalAssets are both 364980000:/]],
  ],
  [
    "two quarters with one report, as of a company that reports half years",
    [1, 2].map((n) =>
      statement(QUARTERS[n] ?? YEAR, { revenue: 507_123_000, netIncome: 80_050_000 }),
    ),
    [
      [0, /^Q2 2024 and Q3 2024 both have revenue 507123000 and netIncome 80050000:/],
      [1, /^Q3 2024 and Q2 2024 both have/],
    ],
  ],
  [
    "half years under the labels of every second quarter",
    [...quarters(100, 210, 110, 230), statement(YEAR, { revenue: 440 })],
    [[4, /^revenue 440 of FY 2024 is not the sum of its quarters, 650:/]],
  ],
  [
    "shares in thousands",
    [statement(YEAR, { sharesOutstanding: 62_551, sharesDiluted: 63_100_000 })],
    [[0, /^sharesOutstanding 62551 and sharesDiluted 63100000 are in different units/]],
  ],
])("%s", (_, all, expected) => {
  const found = foundIn(...all);
  expect(found.map((reasons) => reasons.length)).toEqual(
    all.map((_one, i) => (expected.some(([at]) => at === i) ? 1 : 0)),
  );
  for (const [at, reason] of expected) expect(found[at]?.[0]).toMatch(reason);
});

test("the whole year under the label of a quarter has no flows of the quarter, but its balances", () => {
  const year = statement(YEAR, { revenue: 460, netIncome: 46, cash: 7 });
  const last = statement(QUARTERS[3] ?? YEAR, { revenue: 460, netIncome: 46, cash: 7 });
  const others = [...quarters(100, 110, 120), last, year];
  const { statement: checked, faults } = checkStatement(last, others);
  expect(checked.items).toMatchObject({ revenue: null, netIncome: null, cash: 7 });
  expect(faults[0]?.reason).toMatch(/^revenue 460 of Q4 2024 is also the revenue of FY 2024:/);
  expect(checkStatement(year, others).faults).toEqual([]);
  // The first quarter of a company without revenue before.
  expect(checkStatement(last, [...quarters(0, 0, 0), last, year]).faults).toEqual([]);
  // The three quarters before add up to 0.
  const incomes = [3, -2, -1, 10].map((netIncome, i) =>
    statement(QUARTERS[i] ?? YEAR, { netIncome }),
  );
  const [, , , fourth = last] = incomes;
  expect(checkStatement(fourth, [...incomes, statement(YEAR, { netIncome: 10 })]).faults).toEqual(
    [],
  );
});

test.each<[string, Items]>([
  ["income above revenue", { revenue: 10, netIncome: 12 }],
  [
    "revenue and income in each other's place",
    { revenue: 12_000, operatingIncome: 18_000, netIncome: 100_000 },
  ],
])("%s has one sentence only", (_, items) => {
  const one = statement(YEAR, items);
  const { revenue, netIncome } = items;
  expect(checkStatement(one, [one]).faults.map(({ reason }) => reason)).toEqual([
    `revenue ${revenue} is less than netIncome ${netIncome}`,
  ]);
  expect(findContradictions(one, [one])).toEqual([]);
});
