import { describe, expect, test } from "bun:test";
import { createFindPeriod } from "#sources/yahoo/fiscal-period.ts";
import { yahooStatements } from "#sources/yahoo/statements.ts";
import { faultOf, transformed } from "../support/fetcher.ts";
import { answersFrom } from "../support/answers.ts";
import { ask, inJapan, instrument } from "./yahoo-support.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

const AAPL = instrument();
const toyota = inJapan("7203");

const statementsOf = (raw: unknown, query: Parameters<typeof transformed>[3]) =>
  transformed("statements", yahooStatements, raw, query);

describe.skipIf(!hasRecordings)("recorded AAPL statements (../shared/data/yahoo)", () => {
  /** All six recordings as one answer, as for one request with all types. */
  const read = (now: string) => {
    const result = ["financials", "balance-sheet", "cash-flow"].flatMap((part) =>
      ["annual", "quarterly"].flatMap(
        (span): unknown[] =>
          recordedJson(`yahoo/fundamentalsTimeSeries-AAPL-${part}-${span}.json`).timeseries.result,
      ),
    );
    return statementsOf({ timeseries: { result, error: null } }, ask(AAPL, now));
  };

  test("fiscal 2024 has the figures that Apple published (10-K filed 2024-11-01)", () => {
    const statements = read("2025-03-24T14:00Z");
    const year = statements.find((s) => s.span === "year" && s.fiscalYear === 2024);
    expect(year).toEqual({
      country: "US",
      symbol: "AAPL",
      span: "year",
      fiscalYear: 2024,
      fiscalQuarter: 4,
      periodEnd: "2024-09-30",
      filedOn: "2024-12-29",
      isFilingAssumed: true,
      sharesAsOf: "2025-03-24",
      currency: "USD",
      items: {
        revenue: 391_035e6,
        costOfRevenue: 210_352e6,
        grossProfit: 180_683e6,
        researchAndDevelopment: 31_370e6,
        sellingGeneralAdministrative: 26_097e6,
        operatingIncome: 123_216e6,
        // Operating income 123,216 with depreciation and amortization of 11,445.
        depreciationAndAmortization: 11_445e6,
        ebitda: 134_661e6,
        // Apple no longer states it apart from other income.
        interestExpense: null,
        ordinaryIncome: null,
        pretaxIncome: 123_485e6,
        incomeTax: 29_749e6,
        netIncome: 93_736e6,
        epsDiluted: 6.08,
        sharesDiluted: 15_408_095_000,
        sharesOutstanding: 15_116_786_000,
        totalAssets: 364_980e6,
        currentAssets: 152_987e6,
        // Cash 29,943 with current marketable securities of 35,228.
        cash: 65_171e6,
        // Trade receivables; vendors owe another 32,833.
        receivables: 33_410e6,
        inventory: 7_286e6,
        goodwill: null,
        totalLiabilities: 308_030e6,
        currentLiabilities: 176_392e6,
        payables: 68_960e6,
        // Commercial paper 9,967 with term debt of 10,912 and 85,750.
        totalDebt: 106_629e6,
        leaseLiabilities: null,
        commonEquity: 56_950e6,
        preferredEquity: null,
        minorityInterest: null,
        operatingCashFlow: 118_254e6,
        investingCashFlow: 2_935e6,
        financingCashFlow: -121_983e6,
        capitalExpenditure: 9_447e6,
        stockCompensation: 11_688e6,
        dividendsPaid: 15_234e6,
        shareRepurchases: 94_949e6,
      },
    });
  });

  test("periods are listed oldest first with Apple's fiscal quarters", () => {
    const statements = read("2025-03-24T14:00Z");
    expect(
      statements.map((s) => `${s.span} Q${s.fiscalQuarter} ${s.fiscalYear} ${s.periodEnd}`),
    ).toEqual([
      "year Q4 2022 2022-09-30",
      "year Q4 2023 2023-09-30",
      "quarter Q2 2024 2024-03-31",
      "quarter Q3 2024 2024-06-30",
      "quarter Q4 2024 2024-09-30",
      "year Q4 2024 2024-09-30",
      "quarter Q1 2025 2024-12-31",
    ]);
  });

  test("publication is assumed 45 days after a quarter and 90 after a year, today at the latest", () => {
    const filed = (statements: Awaited<ReturnType<typeof read>>) =>
      statements.map(({ filedOn }) => filedOn).slice(-4);
    expect(filed(read("2025-03-24T14:00Z"))).toEqual([
      "2024-08-14",
      "2024-12-29",
      "2024-12-29",
      "2025-02-14",
    ]);
    expect(filed(read("2025-01-31T14:00Z")).at(-1)).toBe("2025-01-31");
  });
});

/** An invented answer in Yahoo's form: reported values by type and date. */
function fake(
  types: Record<string, Record<string, number | null>>,
  { symbol = "7203.T", currency = "JPY" } = {},
) {
  return {
    timeseries: {
      result: Object.entries(types).map(([type, values]) => ({
        meta: { symbol: [symbol], type: [type] },
        ...(Object.keys(values).length > 0 && {
          timestamp: Object.keys(values).map((date) => Date.parse(date) / 1000),
          [type]: Object.entries(values).map(([asOfDate, raw]) =>
            raw === null
              ? null
              : {
                  asOfDate,
                  periodType: type.startsWith("annual") ? "12M" : "3M",
                  currencyCode: currency,
                  reportedValue: { raw, fmt: "" },
                },
          ),
        }),
      })),
      error: null,
    },
  };
}

const query = ask(toyota, "2026-11-20T07:30Z");

test("one request has all types, without a session", async () => {
  const client = answersFrom({ "/timeseries/7203.T": JSON.stringify(fake({})) });
  await yahooStatements.fetch(query, client);
  expect(client.requests).toHaveLength(1);
  const url = new URL(client.requests[0]?.url ?? "");
  expect(url.origin + url.pathname).toBe(
    "https://query1.finance.yahoo.com/ws/fundamentals-timeseries/v1/finance/timeseries/7203.T",
  );
  const types = url.searchParams.get("type")?.split(",") ?? [];
  expect(types).toContain("quarterlyTotalRevenue");
  expect(types).toContain("annualCapitalExpenditure");
  expect(new Set(types).size).toBe(types.length);
  expect(url.searchParams.get("period1")).toBe(String(Date.parse("2016-11-20") / 1000));
  expect(url.searchParams.get("period2")).toBe(String(Date.parse("2026-11-20T07:30Z") / 1000));
});

test("a Japanese fiscal year is named by the year in which it ends", () => {
  const raw = fake({
    annualTotalRevenue: { "2026-03-31": 48e12 },
    quarterlyTotalRevenue: { "2026-03-31": 12e12, "2026-06-30": 13e12 },
  });
  expect(
    statementsOf(raw, query).map((s) => [s.span, s.fiscalYear, s.fiscalQuarter, s.currency]),
  ).toEqual([
    ["quarter", 2026, 4, "JPY"],
    ["year", 2026, 4, "JPY"],
    ["quarter", 2027, 1, "JPY"],
  ]);
});

test("a company without an annual statement has its quarters, by the calendar year", () => {
  const raw = fake({ quarterlyTotalRevenue: { "2026-03-31": 12e12, "2026-06-30": 13e12 } });
  expect(statementsOf(raw, query).map((s) => [s.span, s.fiscalYear, s.fiscalQuarter])).toEqual([
    ["quarter", 2026, 1],
    ["quarter", 2026, 2],
  ]);
});

test("missing items are null; basic earnings and shares replace diluted ones", () => {
  const raw = fake({
    annualTotalRevenue: { "2026-03-31": 48e12 },
    annualBasicEPS: { "2026-03-31": 359.56 },
    annualDilutedEPS: { "2026-03-31": null },
    annualMinorityInterest: {},
    annualCapitalExpenditure: { "2026-03-31": 0 },
  });
  expect(statementsOf(raw, query)[0]?.items).toMatchObject({
    epsDiluted: 359.56,
    minorityInterest: null,
    inventory: null,
    capitalExpenditure: 0,
  });
});

test("inventory is 0 if Yahoo states none in any period", () => {
  const inventoryOf = (inventory: Record<string, number>) =>
    statementsOf(
      fake({
        annualCurrentAssets: { "2026-03-31": 34e9 },
        annualTotalAssets: { "2026-03-31": 94e9 },
        annualInventory: inventory,
      }),
      query,
    ).at(-1)?.items.inventory;
  expect(inventoryOf({})).toBe(0);
  expect(inventoryOf({ "2025-03-31": 2e9 })).toBeNull();
});

test("capital expenditure of a property company includes investment property", () => {
  const spent = (types: Record<string, number>) => {
    const raw = fake({
      annualTotalRevenue: { "2026-03-31": 48e12 },
      ...Object.fromEntries(
        Object.entries(types).map(([type, value]) => [`annual${type}`, { "2026-03-31": value }]),
      ),
    });
    return statementsOf(raw, query)[0]?.items.capitalExpenditure;
  };
  const parts = { PurchaseOfPPE: -20, PurchaseOfInvestmentProperties: -300 };
  expect(spent(parts)).toBe(320);
  expect(spent({ PurchaseOfInvestmentProperties: -300 })).toBe(300);
  expect(spent({ PurchaseOfPPE: -20 })).toBe(20);
  // A total of other fixed assets alone, and one with everything.
  expect(spent({ ...parts, CapitalExpenditure: -20 })).toBe(320);
  expect(spent({ ...parts, CapitalExpenditure: -350 })).toBe(350);
  expect(spent({ CapitalExpenditure: -20 })).toBe(20);
  expect(spent({})).toBeNull();
});

test("a further name is used if it never differs from the best, so that no part is a total", () => {
  const [LAST, NEWEST] = ["2025-03-31", "2026-03-31"] as const;
  const cashOf = (last: Record<string, number>) =>
    statementsOf(
      fake({
        annualTotalRevenue: { [LAST]: 1, [NEWEST]: 1 },
        annualCashAndCashEquivalents: { [NEWEST]: 30, [LAST]: 30 },
        annualCashCashEquivalentsAndShortTermInvestments: last,
      }),
      query,
    ).at(-1)?.items.cash;
  // A bank has one name; a company without short-term investments has two for one amount.
  expect(cashOf({})).toBe(30);
  expect(cashOf({ [LAST]: 30 })).toBe(30);
  // Securities of 35 beside the cash in the year before.
  expect(cashOf({ [LAST]: 65 })).toBeNull();
  expect(cashOf({ [LAST]: 65, [NEWEST]: 70 })).toBe(70);
});

test("an item in another currency than its statement is left out", () => {
  const raw = fake({ annualTotalRevenue: { "2026-03-31": 48e12 } });
  const dollars = fake({ annualDilutedEPS: { "2026-03-31": 2.3 } }, { currency: "USD" });
  raw.timeseries.result.push(...dollars.timeseries.result);
  const [statement] = statementsOf(raw, query);
  expect(statement).toMatchObject({ currency: "JPY", items: { epsDiluted: null } });
});

test("periods without result and balance, of half a year, in the future or off the quarters are left out", () => {
  const raw = fake({
    annualTotalRevenue: { "2026-03-31": 48e12, "2027-03-31": 1 },
    annualDilutedAverageShares: { "2025-03-31": 1e9 },
    quarterlyTotalRevenue: { "2026-05-31": 1, "2026-09-30": 2 },
  });
  const half = raw.timeseries.result.at(-1) as unknown as {
    quarterlyTotalRevenue: { periodType: string }[];
  };
  const last = half.quarterlyTotalRevenue[1];
  if (last) last.periodType = "6M";
  // The coming year would not move a quarter, because its month is the same.
  expect(statementsOf(raw, query).map(({ periodEnd }) => periodEnd)).toEqual(["2026-03-31"]);
});

test("a company without statements is `nothing`", async () => {
  expect(await faultOf(() => statementsOf(fake({ annualTotalRevenue: {} }), query))).toBe(
    "nothing",
  );
  expect(
    await faultOf(() => statementsOf({ timeseries: { result: [], error: null } }, query)),
  ).toBe("nothing");
});

const good = () => fake({ annualTotalRevenue: { "2026-03-31": 48e12 } });
const changed: Record<string, unknown> = {
  "another symbol": fake({ annualTotalRevenue: { "2026-03-31": 1 } }, { symbol: "7201.T" }),
  "no date": JSON.parse(JSON.stringify(good()).replace("2026-03-31", "soon")),
  "an amount in words": JSON.parse(JSON.stringify(good()).replace("48000000000000", '"48 tn"')),
  "no currency": JSON.parse(JSON.stringify(good()).replace('"JPY"', "null")),
  "another root": { quarters: [] },
};
for (const [name, raw] of Object.entries(changed)) {
  test(`${name}: the answer is refused`, async () => {
    expect(statementsOf(good(), query)).toHaveLength(1);
    expect(await faultOf(() => statementsOf(raw, query))).toBe("invalid_answer");
  });
}

test("a fiscal year that ends on a fixed weekday may end in the next month", () => {
  // 53 weeks to 2026-01-03; a quarter to 2026-04-04.
  const [inDecember, inSeptember] = ["2024-12-28", "2025-09-27"].map((end) =>
    createFindPeriod([end]),
  );
  const quarter = (fiscalYear: number, fiscalQuarter: number) => ({
    span: "quarter" as const,
    fiscalYear,
    fiscalQuarter,
  });
  expect(inDecember?.("quarter", "2026-01-03")).toEqual(quarter(2025, 4));
  expect(inDecember?.("quarter", "2026-04-04")).toEqual(quarter(2026, 1));
  expect(inSeptember?.("quarter", "2025-12-31")).toEqual(quarter(2026, 1));
  expect(inSeptember?.("quarter", "2023-12-31")).toEqual(quarter(2024, 1));
  expect(inSeptember?.("quarter", "2025-11-30")).toBeNull();
});

test.each([
  // The short year is given, or only the next whole year.
  [["2023-03-31", "2024-03-31", "2024-12-31"]],
  [["2023-03-31", "2024-03-31", "2025-12-31"]],
  [["2023-03-31", "2024-03-31", "2024-12-31", "2025-12-31", "2026-12-31"]],
])("years to March, then to December: %j", (ends) => {
  const find = createFindPeriod(ends);
  const nameOf = (span: "quarter" | "year", end: string) => {
    const found = find(span, end);
    return found && `${found.span} ${found.fiscalYear} Q${found.fiscalQuarter}`;
  };
  const days = ["2023-12-31", "2024-03-31", "2024-06-30", "2024-12-31", "2025-03-31", "2026-06-30"];
  expect(days.map((end) => nameOf("quarter", end))).toEqual([
    "quarter 2024 Q3",
    "quarter 2024 Q4",
    "quarter 2024 Q5",
    "quarter 2024 Q7",
    "quarter 2025 Q1",
    "quarter 2026 Q2",
  ]);
  expect(["2024-03-31", "2024-12-31", "2025-12-31"].map((end) => nameOf("year", end))).toEqual([
    "year 2024 Q4",
    "year_to_date 2024 Q7",
    "year 2025 Q4",
  ]);
});

test("years to December, then to March and back, and a move by two months", () => {
  const find = createFindPeriod(["2022-12-31", "2023-03-31", "2024-03-31", "2024-09-30"]);
  const periods = ["2022-12-31", "2023-03-31", "2023-06-30", "2024-06-30", "2024-12-31"];
  expect(periods.map((end) => find("quarter", end))).toMatchObject([
    { fiscalYear: 2022, fiscalQuarter: 4 },
    { fiscalYear: 2023, fiscalQuarter: 1 },
    { fiscalYear: 2024, fiscalQuarter: 1 },
    { fiscalYear: 2024, fiscalQuarter: 5 },
    { fiscalYear: 2025, fiscalQuarter: 1 },
  ]);
  // November and December are no quarter.
  const odd = createFindPeriod(["2023-10-31", "2023-12-31", "2024-12-31"]);
  expect(odd("year", "2023-12-31")).toBeNull();
  expect(odd("quarter", "2024-03-31")).toMatchObject({ fiscalYear: 2024, fiscalQuarter: 1 });
});
