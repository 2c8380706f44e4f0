import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  BANKS_AND_INSURERS,
  companyFundamentals,
  type CompanyFundamentals,
  type CompanyInputs,
} from "#analytics/valuation.ts";
import { NO_ITEMS, type Statement, type StatementItems } from "#domain/statement.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { yahooStatements } from "#sources/yahoo/statements.ts";
import { statementsOf } from "../support/company-facts.ts";
import { liveQuery, transformed } from "../support/fetcher.ts";
import { stock } from "../support/market.ts";
import { hasRecordings, recordedJson } from "../support/recordings.ts";

/** The fiscal year 2026, filed 45 days after its end. */
const THIS_YEAR: Partial<StatementItems> = {
  revenue: 2_000,
  grossProfit: 800,
  operatingIncome: 400,
  ebitda: 600,
  pretaxIncome: 360,
  incomeTax: 72,
  netIncome: 240,
  epsDiluted: 2.4,
  totalAssets: 4_000,
  currentAssets: 900,
  cash: 300,
  inventory: 100,
  totalLiabilities: 2_200,
  currentLiabilities: 400,
  totalDebt: 800,
  commonEquity: 1_500,
  preferredEquity: 100,
  minorityInterest: 200,
  operatingCashFlow: 400,
  investingCashFlow: -210,
  financingCashFlow: -90,
  capitalExpenditure: 160,
};

const LAST_YEAR: Partial<StatementItems> = {
  revenue: 1_600,
  epsDiluted: 2,
  totalAssets: 3_000,
  commonEquity: 1_000,
};

function year(fiscalYear: number, items: Partial<StatementItems>): Statement {
  return {
    country: "US",
    symbol: "ACME",
    span: "year",
    fiscalYear,
    fiscalQuarter: 4,
    periodEnd: `${fiscalYear}-12-31`,
    filedOn: `${fiscalYear + 1}-02-14`,
    currency: "USD",
    items: { ...NO_ITEMS, ...items },
  };
}

/** ACME on 2027-03-01: 100 shares at 50.00, with changes to its inputs and its statements. */
function acme(
  reported: Partial<StatementItems> = {},
  inputs: Partial<Omit<CompanyInputs, "instrument">> = {},
  instrument: Partial<CompanyInputs["instrument"]> = {},
): CompanyFundamentals {
  return companyFundamentals({
    instrument: {
      country: "US",
      currency: "USD",
      sector: "industrials",
      industry: "railroads",
      sharesOutstanding: 100,
      ...instrument,
    },
    statements: [year(2026, { ...THIS_YEAR, ...reported }), year(2025, LAST_YEAR)],
    price: 50,
    dividends: [],
    asOf: "2027-03-01",
    ...inputs,
  });
}

/** Expects figures to equal to four decimals, and null to be null. */
function expectFigures(
  found: CompanyFundamentals,
  expected: Partial<Record<keyof CompanyFundamentals, number | null>>,
): void {
  const rounded = (value: unknown) =>
    typeof value === "number" ? Math.round(value * 1e4) / 1e4 : value;
  const picked = Object.keys(expected).map((key) => [
    key,
    rounded(found[key as keyof typeof found]),
  ]);
  const wanted = Object.entries(expected).map(([key, value]) => [key, rounded(value)]);
  expect(Object.fromEntries(picked)).toEqual(Object.fromEntries(wanted));
}

describe("each formula, by hand", () => {
  test("price multiples: cap = 50 · 100", () => {
    expectFigures(acme(), {
      marketCap: 5_000,
      pe: 50 / 2.4,
      pb: 5_000 / 1_500,
      ps: 5_000 / 2_000,
      priceToCashFlow: 5_000 / 400,
      // Free cash flow = 400 − 160 = 240.
      priceToFreeCashFlow: 5_000 / 240,
      fcfYieldPercent: (100 * 240) / 5_000,
      // EPS growth = (2.4 − 2) / 2 = 20 %.
      peg: 50 / 2.4 / 20,
    });
  });

  test("the market cap is the quoted one if the shares are unknown, and multiples use it", () => {
    // 6,000 / 1,500 and 6,000 / 2,000; EV = 6,000 + 800 + 100 + 200 − 300.
    expectFigures(acme({}, { quotedMarketCap: 6_000 }, { sharesOutstanding: null }), {
      marketCap: 6_000,
      pb: 4,
      ps: 3,
      enterpriseValue: 6_800,
    });
    expectFigures(acme({}, { quotedMarketCap: 6_000 }), { marketCap: 5_000, pb: 5_000 / 1_500 });
    expectFigures(acme({}, {}, { sharesOutstanding: null }), { marketCap: null, pb: null });
  });

  test("shares outstanding are market cap / price; a balance sheet has them where no receipts are listed", () => {
    expectFigures(acme(), { sharesOutstanding: 100 });
    const unlisted = { sharesOutstanding: null };
    expectFigures(acme({}, { quotedMarketCap: 6_000 }, unlisted), {
      sharesOutstanding: 6_000 / 50,
    });
    const reported = { sharesOutstanding: 90 };
    expectFigures(acme(reported, {}, { ...unlisted, country: "JP" }), {
      sharesOutstanding: 90,
      marketCap: 90 * 50,
    });
    expectFigures(acme(reported, {}, unlisted), { sharesOutstanding: null, marketCap: null });
    expectFigures(acme(reported, { price: null }, { ...unlisted, country: "VN" }), {
      sharesOutstanding: 90,
      marketCap: null,
    });
  });

  test("enterprise value = 5,000 + 800 + 100 + 200 − 300 = 5,800", () => {
    expectFigures(acme(), {
      enterpriseValue: 5_800,
      evToEbitda: 5_800 / 600,
      evToRevenue: 5_800 / 2_000,
      evToEbit: 5_800 / 400,
    });
  });

  test("returns on average equity (1,500 + 1,000) / 2 and average assets (4,000 + 3,000) / 2", () => {
    expectFigures(acme(), { roePercent: (100 * 240) / 1_250, roaPercent: (100 * 240) / 3_500 });
  });

  test("return on the latest equity alone if the balance sheet of a year ago is unknown", () => {
    const figures = acme({}, { statements: [year(2026, THIS_YEAR)] });
    expectFigures(figures, { roePercent: (100 * 240) / 1_500, roaPercent: (100 * 240) / 4_000 });
  });

  test("return on invested capital = 400 · (1 − 72/360) / (800 + 1,800 − 300)", () => {
    expectFigures(acme(), { roicPercent: (100 * 320) / 2_300 });
  });

  test("margins of revenue 2,000", () => {
    expectFigures(acme(), {
      grossMarginPercent: 40,
      operatingMarginPercent: 20,
      netMarginPercent: 12,
      fcfMarginPercent: 12,
    });
  });

  test("growth: (2,000 − 1,600) / 1,600 and (2.4 − 2) / 2", () => {
    expectFigures(acme(), { revenueGrowthPercent: 25, epsGrowthPercent: 20 });
  });

  test("the balance sheet: debt 800, cash 300, equity 1,500 + 100 + 200", () => {
    expectFigures(acme(), {
      totalAssets: 4_000,
      currentAssets: 900,
      cash: 300,
      totalLiabilities: 2_200,
      totalDebt: 800,
      netDebt: 500,
      commonEquity: 1_500,
      totalEquity: 1_800,
      currentRatio: 900 / 400,
      quickRatio: (900 - 100) / 400,
      debtToEquity: 800 / 1_800,
      cashToDebt: 300 / 800,
    });
  });

  test("the flows of the statements", () => {
    expectFigures(acme(), {
      revenueTtm: 2_000,
      grossProfitTtm: 800,
      operatingIncomeTtm: 400,
      ebitdaTtm: 600,
      netIncomeTtm: 240,
      epsTtm: 2.4,
      operatingCashFlowTtm: 400,
      investingCashFlowTtm: -210,
      financingCashFlowTtm: -90,
      capitalExpenditureTtm: 160,
      freeCashFlowTtm: 240,
    });
  });

  test("the period and both currencies", () => {
    expect(acme()).toMatchObject({
      currency: "USD",
      statementCurrency: "USD",
      fiscalYear: 2026,
      fiscalQuarter: 4,
      periodEnd: "2026-12-31",
    });
  });
});

describe("a figure without meaning is null", () => {
  test("without EPS, P/E is market cap / net income to common", () => {
    // Berkshire states EPS for each class only. 50 · 100 / 240.
    expectFigures(acme({ epsDiluted: null }), { epsTtm: null, pe: 5_000 / 240, peg: null });
    expectFigures(acme({ epsDiluted: null, netIncome: -240 }), { pe: null });
    expectFigures(acme({ epsDiluted: null, netIncome: null }), { pe: null });
    expectFigures(acme({ epsDiluted: null }, {}, { sharesOutstanding: null }), { pe: null });
    // A known loss per share is a loss.
    expectFigures(acme({ epsDiluted: -1 }), { pe: null });
  });

  test("P/E and PEG with a loss or without earnings", () => {
    expectFigures(acme({ epsDiluted: -2.4 }), { pe: null, peg: null });
    expectFigures(acme({ epsDiluted: 0 }), { pe: null, peg: null });
  });

  test("PEG, but not P/E, with shrinking earnings", () => {
    expectFigures(acme({ epsDiluted: 1.6 }), { pe: 50 / 1.6, epsGrowthPercent: -20, peg: null });
  });

  test("growth on a base of zero or a loss", () => {
    const statements = [year(2026, THIS_YEAR), year(2025, { revenue: 0, epsDiluted: -1 })];
    expectFigures(acme({}, { statements }), {
      revenueGrowthPercent: null,
      epsGrowthPercent: null,
      peg: null,
    });
  });

  test("P/B, ROE and debt/equity on negative equity", () => {
    expectFigures(acme({ commonEquity: -500 }), { pb: null, roePercent: null, debtToEquity: null });
  });

  test("ROE with negative equity now, although the average is positive", () => {
    // (−500 + 1,000) / 2 = 250.
    expectFigures(acme({ commonEquity: -500 }), { roePercent: null });
  });

  test("ROE with negative average equity, although equity is positive now", () => {
    const statements = [year(2026, THIS_YEAR), year(2025, { commonEquity: -1_600 })];
    expectFigures(acme({}, { statements }), { roePercent: null });
  });

  test("P/S, EV/revenue and margins without revenue", () => {
    expectFigures(acme({ revenue: 0 }), {
      ps: null,
      evToRevenue: null,
      grossMarginPercent: null,
      operatingMarginPercent: null,
      netMarginPercent: null,
      fcfMarginPercent: null,
    });
  });

  test("EV multiples on a flow that is not positive", () => {
    expectFigures(acme({ ebitda: 0, operatingIncome: -1 }), {
      enterpriseValue: 5_800,
      evToEbitda: null,
      evToEbit: null,
    });
  });

  test("EV multiples on negative EV: 5,000 + 800 + 300 − 7,000 = −900", () => {
    expectFigures(acme({ cash: 7_000 }), {
      enterpriseValue: -900,
      evToEbitda: null,
      evToRevenue: null,
      evToEbit: null,
    });
  });

  test("price multiples on a cash flow that is not positive, but the yield is negative", () => {
    expectFigures(acme({ operatingCashFlow: -40 }), {
      priceToCashFlow: null,
      priceToFreeCashFlow: null,
      fcfYieldPercent: -4,
    });
  });

  test("ROIC on invested capital that is not positive: 800 + 1,800 − 2,600 = 0", () => {
    expectFigures(acme({ cash: 2_600 }), { roicPercent: null });
  });

  test("cash/debt without debt", () => {
    expectFigures(acme({ totalDebt: 0 }), { cashToDebt: null, debtToEquity: 0, netDebt: -300 });
  });

  test("EV without known debt or cash: missing debt does not count as zero", () => {
    expectFigures(acme({ totalDebt: null }), { enterpriseValue: null, evToEbitda: null });
    expectFigures(acme({ cash: null }), { enterpriseValue: null, netDebt: null });
  });

  test("enterprise value without common equity: preferred equity may be in it", () => {
    const unknown = { commonEquity: null, preferredEquity: null };
    expectFigures(acme(unknown), { enterpriseValue: null, totalEquity: null });
  });

  test("free cash flow without known capital expenditure", () => {
    expectFigures(acme({ capitalExpenditure: null }), {
      freeCashFlowTtm: null,
      fcfMarginPercent: null,
    });
  });

  test("figures of two flows that are known for different twelve months", () => {
    const toJune = (fiscalYear: number, items: Partial<StatementItems>): Statement => ({
      ...year(fiscalYear, items),
      span: "year_to_date",
      fiscalQuarter: 2,
      periodEnd: `${fiscalYear}-06-30`,
      filedOn: `${fiscalYear}-08-01`,
    });
    const flows = (capex: number | null, tax: number | null) =>
      acme(
        {},
        {
          asOf: "2027-09-01",
          statements: [
            year(2026, THIS_YEAR),
            toJune(2026, {
              operatingCashFlow: 200,
              capitalExpenditure: 70,
              operatingIncome: 150,
              pretaxIncome: 100,
              incomeTax: 10,
            }),
            toJune(2027, {
              ...THIS_YEAR,
              operatingCashFlow: 300,
              capitalExpenditure: capex,
              operatingIncome: 150,
              pretaxIncome: 200,
              incomeTax: tax,
            }),
          ],
        },
      );
    // Cash flow 400 + 300 − 200 = 500, capital expenditure 160 + 90 − 70 = 180.
    expectFigures(flows(90, 30), { operatingCashFlowTtm: 500, freeCashFlowTtm: 320 });
    // Capital expenditure of 160 is that of 2026, not of the twelve months to June 2027.
    expectFigures(flows(null, 30), { capitalExpenditureTtm: null, freeCashFlowTtm: null });
    // Tax 72 + 30 − 10 = 92 of 360 + 200 − 100 = 460: 20 %. 72 of 460 is no rate; that of the US is 21 %.
    expectFigures(flows(90, 30), { roicPercent: (100 * 400 * 0.8) / 2_300 });
    expectFigures(flows(90, null), { roicPercent: (100 * 400 * 0.79) / 2_300 });
  });

  test("all market figures without a price or shares", () => {
    for (const figures of [acme({}, { price: null }), acme({}, {}, { sharesOutstanding: null })])
      expectFigures(figures, { marketCap: null, pb: null, ps: null, enterpriseValue: null });
    expectFigures(acme({}, { price: 0, dividends: [] }), {
      marketCap: null,
      pe: null,
      dividendYieldPercent: null,
    });
  });

  test("all figures except market cap, shares and yield before the first filing", () => {
    const figures = acme({}, { asOf: "2026-02-13" });
    const known = Object.entries(figures).filter(([, value]) => value !== null);
    expect(Object.fromEntries(known)).toEqual({
      currency: "USD",
      marketCap: 5_000,
      sharesOutstanding: 100,
      dividendYieldPercent: 0,
    });
  });
});

describe("items that a balance sheet omits because the company has none", () => {
  test("preferred equity and minority interest count as zero", () => {
    const figures = acme({ preferredEquity: null, minorityInterest: null });
    expectFigures(figures, {
      enterpriseValue: 5_500,
      totalEquity: 1_500,
      debtToEquity: 800 / 1_500,
    });
  });

  test("inventory does not: its line may have a tag that is unknown", () => {
    expectFigures(acme({ inventory: null }), { quickRatio: null });
    expectFigures(acme({ inventory: 0 }), { quickRatio: 900 / 400 });
  });
});

describe("the tax rate of ROIC", () => {
  // Invested capital is 2,300, operating income 400.
  const roicAt = (rate: number) => (100 * 400 * (1 - rate)) / 2_300;

  test("is at most 35 % and at least 0", () => {
    expectFigures(acme({ incomeTax: 180 }), { roicPercent: roicAt(0.35) });
    expectFigures(acme({ incomeTax: -36 }), { roicPercent: roicAt(0) });
  });

  test("is the country's without a pretax profit or if tax is unknown", () => {
    expectFigures(acme({ pretaxIncome: -10 }), { roicPercent: roicAt(0.21) });
    expectFigures(acme({ incomeTax: null }, {}, { country: "JP" }), { roicPercent: roicAt(0.306) });
    expectFigures(acme({ incomeTax: null }, {}, { country: "VN" }), { roicPercent: roicAt(0.2) });
  });
});

describe("financial companies", () => {
  const financial = (industry: string | null, reported: Partial<StatementItems> = {}) =>
    acme(reported, {}, { sector: "financial-services", industry });
  const NOTHING_OF_CUSTOMERS_MONEY = {
    ebitdaTtm: null,
    freeCashFlowTtm: null,
    enterpriseValue: 5_800,
    evToEbitda: null,
    evToRevenue: null,
    evToEbit: null,
    roicPercent: null,
    priceToCashFlow: null,
    priceToFreeCashFlow: null,
    fcfYieldPercent: null,
    pe: 50 / 2.4,
    pb: 5_000 / 1_500,
  };
  // EV 5,800 over EBITDA 600, revenue 2,000 and EBIT 400; cap 5,000 over cash flows of 400 and 240.
  const ALL_MULTIPLES = {
    evToEbitda: 5_800 / 600,
    evToRevenue: 5_800 / 2_000,
    evToEbit: 5_800 / 400,
    priceToCashFlow: 5_000 / 400,
    priceToFreeCashFlow: 5_000 / 240,
    fcfYieldPercent: (100 * 240) / 5_000,
  };

  test("that hold customers' money have an EV, but no EBITDA or free cash flow, no multiples of EV or cash flow and no ROIC", () => {
    for (const industry of [...BANKS_AND_INSURERS, "capital-markets", "mortgage-finance", null]) {
      expectFigures(financial(industry), NOTHING_OF_CUSTOMERS_MONEY);
    }
    // Their operating cash flow includes deposits: its margin is as meaningless as its multiples.
    expectFigures(financial("capital-markets"), { grossMarginPercent: 40, fcfMarginPercent: null });
  });

  test("that earn fees have all multiples: exchanges, asset managers, insurance brokers", () => {
    for (const industry of [
      "financial-data-and-stock-exchanges",
      "asset-management",
      "insurance-brokers",
    ]) {
      expectFigures(financial(industry), ALL_MULTIPLES);
    }
  });

  test("that issue cards have multiples only with current assets: Visa, not American Express", () => {
    expectFigures(financial("credit-services"), ALL_MULTIPLES);
    expectFigures(
      financial("credit-services", { currentAssets: null }),
      NOTHING_OF_CUSTOMERS_MONEY,
    );
  });

  test("that lend or insure have no gross margin and no FCF margin, but the other two margins", () => {
    for (const industry of BANKS_AND_INSURERS) {
      expectFigures(acme({}, {}, { sector: "financial-services", industry }), {
        grossMarginPercent: null,
        operatingMarginPercent: 20,
        netMarginPercent: 12,
        fcfMarginPercent: null,
      });
    }
  });

  test("are listed by slugs of the taxonomy: every bank and insurer, no broker", () => {
    const named = [...INDUSTRIES.keys()].filter((slug) => /^(banks|insurance)-/.test(slug));
    expect([...BANKS_AND_INSURERS, "insurance-brokers"].toSorted()).toEqual(named.toSorted());
    expect(SECTORS.has("financial-services")).toBe(true);
  });
});

describe("statements in another currency than the price", () => {
  test("give growth, margins and returns, but no figure that mixes both currencies", () => {
    expectFigures(acme({}, {}, { currency: "JPY" }), {
      marketCap: 5_000,
      revenueGrowthPercent: 25,
      netMarginPercent: 12,
      roePercent: 19.2,
      currentRatio: 2.25,
      pe: null,
      pb: null,
      ps: null,
      priceToCashFlow: null,
      priceToFreeCashFlow: null,
      fcfYieldPercent: null,
      peg: null,
      enterpriseValue: null,
      evToEbitda: null,
      evToRevenue: null,
      evToEbit: null,
    });
  });
});

describe("the dividend yield", () => {
  test("is the dividends with an ex-date in the last year / the price", () => {
    // Four quarters, the oldest paid 365 days ago: 4 × 0.50 / 50 = 4 %.
    const dividends = [
      { exDate: "2026-02-28", amount: 9 },
      { exDate: "2026-03-01", amount: 0.5 },
      { exDate: "2026-06-01", amount: 0.5 },
      { exDate: "2026-09-01", amount: 0.5 },
      { exDate: "2026-12-01", amount: 0.5 },
      { exDate: "2027-03-02", amount: 8 },
    ];
    expectFigures(acme({}, { dividends }), { dividendYieldPercent: 4 });
  });

  test("counts a dividend of today instead of the one of a year ago: (0.50 + 0.75) / 50 = 2.5 %", () => {
    const dividends = [
      { exDate: "2026-03-01", amount: 4 },
      { exDate: "2026-03-02", amount: 0.5 },
      { exDate: "2027-03-01", amount: 0.75 },
    ];
    expectFigures(acme({}, { dividends }), { dividendYieldPercent: 2.5 });
  });

  test("goes back from a leap day to the last day of February: 1 / 50 = 2 %", () => {
    const dividends = [
      { exDate: "2027-02-27", amount: 7 },
      { exDate: "2027-02-28", amount: 1 },
    ];
    expectFigures(acme({}, { dividends, asOf: "2028-02-29" }), { dividendYieldPercent: 2 });
  });

  test("is zero for a company that paid nothing, null if the history is unknown", () => {
    expectFigures(acme({}, { dividends: [{ exDate: "2020-01-01", amount: 4 }] }), {
      dividendYieldPercent: 0,
    });
    expectFigures(acme({}, { dividends: null }), { dividendYieldPercent: null });
  });
});

test("no multiple is ever zero, negative or infinite", () => {
  const amount = fc.option(fc.integer({ min: -1_000, max: 1_000 }));
  const items = fc.record({
    revenue: amount,
    operatingIncome: amount,
    ebitda: amount,
    epsDiluted: amount,
    commonEquity: amount,
    totalDebt: amount,
    cash: amount,
    operatingCashFlow: amount,
    capitalExpenditure: amount,
  });
  const multiples = [
    "pe",
    "pb",
    "ps",
    "priceToCashFlow",
    "priceToFreeCashFlow",
    "peg",
    "evToEbitda",
    "evToRevenue",
    "evToEbit",
  ] as const;
  fc.assert(
    fc.property(items, (reported) => {
      const figures = acme(reported);
      for (const multiple of multiples) {
        const value = figures[multiple];
        if (value === null) continue;
        expect(value).toBeGreaterThan(0);
        expect(value).toBeLessThan(Infinity);
      }
    }),
  );
});

// Apple Inc. by the SEC and by Yahoo, compared with Apple's publications.

const APPLE = stock("US", "AAPL", { industry: "consumer-electronics", sharesOutstanding: null });

const secStatements = () =>
  statementsOf(recordedJson("sec/companyfacts_CIK0000320193.json"), "AAPL");

/** All six recordings as one answer, as for one request with all types. */
function appleAtYahoo(): Statement[] {
  const result = ["financials", "balance-sheet", "cash-flow"].flatMap((part) =>
    ["annual", "quarterly"].flatMap(
      (span): unknown[] =>
        recordedJson(`yahoo/fundamentalsTimeSeries-AAPL-${part}-${span}.json`).timeseries.result,
    ),
  );
  const query = liveQuery({ today: "2025-03-24", instrument: APPLE });
  return transformed("statements", yahooStatements, { timeseries: { result, error: null } }, query);
}

describe.skipIf(!hasRecordings)("Apple, read from ../shared/data", () => {
  const sources = { SEC: secStatements, Yahoo: appleAtYahoo };
  const apple = (source: keyof typeof sources, asOf: string, inputs: Partial<CompanyInputs> = {}) =>
    companyFundamentals({
      instrument: APPLE,
      statements: sources[source](),
      price: null,
      dividends: null,
      asOf,
      ...inputs,
    });

  for (const source of ["SEC", "Yahoo"] as const)
    test(`fiscal 2024 as published, from ${source}: 391,035 M after 383,285 M, net income 93,736 M, EPS 6.08 after 6.13`, () => {
      const figures = apple(source, "2024-12-31");
      expect(figures).toMatchObject({ fiscalYear: 2024, fiscalQuarter: 4 });
      expectFigures(figures, {
        revenueTtm: 391_035e6,
        netIncomeTtm: 93_736e6,
        epsTtm: 6.08,
        grossProfitTtm: 180_683e6,
        operatingCashFlowTtm: 118_254e6,
        capitalExpenditureTtm: 9_447e6,
        revenueGrowthPercent: (100 * (391_035 - 383_285)) / 383_285,
        epsGrowthPercent: (100 * (6.08 - 6.13)) / 6.13,
      });
    });

  test("the day before its annual report, twelve months to June 2024: 119,575 + 90,753 + 85,777 + 89,498 = 385,603 M", () => {
    expectFigures(apple("SEC", "2024-10-31"), { revenueTtm: 385_603e6 });
    expectFigures(apple("SEC", "2024-11-01"), { revenueTtm: 391_035e6 });
  });

  const FEBRUARY = "2025-02-24";

  test("twelve months to December 2024 are the same from both: 391,035 − 119,575 + 124,300 = 395,760 M", () => {
    for (const source of ["SEC", "Yahoo"] as const)
      expectFigures(apple(source, FEBRUARY), {
        revenueTtm: 395_760e6,
        // 93,736 − 33,916 + 36,330 and 6.08 − 2.18 + 2.40.
        netIncomeTtm: 96_150e6,
        epsTtm: 6.3,
        totalDebt: 96_799e6,
        cash: 53_775e6,
        commonEquity: 66_758e6,
      });
    // The year before: 383,285 − 117,154 + 119,575 = 385,706; Yahoo's four quarters do not contain it.
    expectFigures(apple("SEC", FEBRUARY), {
      revenueGrowthPercent: (100 * (395_760 - 385_706)) / 385_706,
    });
    expectFigures(apple("Yahoo", FEBRUARY), { revenueGrowthPercent: null });
  });

  test("Yahoo's own ratios of that day agree with ours", () => {
    const [summary] = recordedJson("yahoo/quoteSummary-all-AAPL.json").quoteSummary.result;
    const { defaultKeyStatistics: statistics, financialData, summaryDetail, price } = summary;
    const market = {
      instrument: { ...APPLE, sharesOutstanding: statistics.sharesOutstanding },
      price: price.regularMarketPrice,
    };
    const ours = apple("Yahoo", FEBRUARY, market);
    const sec = apple("SEC", FEBRUARY, market);
    const off = (found: number | null, expected: number) => Math.abs((found ?? NaN) / expected - 1);

    expect(off(ours.marketCap, price.marketCap)).toBeLessThan(1e-6);
    expect(off(ours.enterpriseValue, statistics.enterpriseValue)).toBeLessThan(1e-5);
    expect(off(ours.evToEbitda, statistics.enterpriseToEbitda)).toBeLessThan(1e-4);
    expect(off(ours.evToRevenue, statistics.enterpriseToRevenue)).toBeLessThan(1e-4);
    expect(off(ours.ps, summaryDetail.priceToSalesTrailing12Months)).toBeLessThan(1e-5);
    expect(off(ours.grossMarginPercent, 100 * financialData.grossMargins)).toBeLessThan(1e-4);
    expect(off(ours.netMarginPercent, 100 * financialData.profitMargins)).toBeLessThan(1e-4);
    expect(off(ours.currentRatio, financialData.currentRatio)).toBeLessThan(1e-3);
    expect(off(ours.debtToEquity, financialData.debtToEquity / 100)).toBeLessThan(1e-3);
    expect(off(ours.operatingCashFlowTtm, financialData.operatingCashflow)).toBeLessThan(1e-6);
    // Only the SEC's facts have the equity of a year ago.
    expect(off(sec.roePercent, 100 * financialData.returnOnEquity)).toBeLessThan(1e-4);
    // Yahoo rounds its EPS TTM (6.31) and its book value per share differently.
    expect(off(ours.pe, summaryDetail.trailingPE)).toBeLessThan(2e-3);
    expect(off(ours.pb, statistics.priceToBook)).toBeLessThan(2e-3);
  });
});
