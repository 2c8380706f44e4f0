import { describe, expect, test } from "bun:test";
import { depositaryRatio } from "#analytics/depositary-ratio.ts";
import { companyFundamentals, type CompanyInputs } from "#analytics/valuation.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";

const UNKNOWN = {
  shares: null,
  dilutedShares: null,
  tradedShares: null,
  eps: null,
  quotedEps: null,
};

/** Published figures: diluted EPS and shares of the annual report, ADS and ratio of its cover. */
const ADRS = [
  // Annual report 2024; five shares an ADS.
  { symbol: "TSM", currency: "TWD", ratio: 5, eps: 45.25, shares: 25_932.7e6, ads: 5_186.5e6 },
  // Fiscal 2025: RMB 6.70 a share and 53.59 an ADS; 2,390 million ADS.
  { symbol: "BABA", currency: "CNY", ratio: 8, eps: 6.7, shares: 19_116e6, ads: 2_390e6 },
  // Fiscal 2025, average shares; ten shares an ADS, of which the buy-backs of the year left 1,305 million.
  { symbol: "TM", currency: "JPY", ratio: 10, eps: 359.56, shares: 13_252.5e6, ads: 1_305e6 },
  // 2024, average shares: 100,988 million DKK / 22.63.
  { symbol: "NVO", currency: "DKK", ratio: 1, eps: 22.63, shares: 4_462.6e6, ads: 4_440e6 },
  // 2024: shares of New York registry are common shares.
  { symbol: "ASML", currency: "EUR", ratio: 1, eps: 19.24, shares: 393.6e6, ads: 393.2e6 },
  // Fiscal 2024, average shares: 1,141.6 billion yen / 187.92.
  { symbol: "SONY", currency: "JPY", ratio: 1, eps: 187.92, shares: 6_075e6, ads: 6_010e6 },
  // Two ADS a share.
  { symbol: "KEP", currency: "KRW", ratio: 0.5, eps: 5_433, shares: 641.96e6, ads: 1_283.9e6 },
] as const;

/** Units of a currency for a dollar at the end of 2024. */
const RATES: Readonly<Record<string, number>> = {
  TWD: 32.8,
  CNY: 7.3,
  JPY: 157.2,
  DKK: 7.2,
  EUR: 0.966,
  KRW: 1_472,
};

describe("the depositary ratio", () => {
  test.each([...ADRS])("of $symbol is $ratio by its shares, and by its earnings", (adr) => {
    const { eps, shares, ads, currency, ratio } = adr;
    const rate = 1 / (RATES[currency] ?? 1);
    expect(depositaryRatio({ ...UNKNOWN, shares, tradedShares: ads }, true)).toBe(ratio);
    // A quote in dollars, at another rate.
    const quotedEps = eps * rate * ratio * 1.04;
    expect(depositaryRatio({ ...UNKNOWN, eps: eps * rate, quotedEps }, true)).toBe(ratio);
    expect(
      depositaryRatio({ ...UNKNOWN, shares, tradedShares: ads, eps: eps * rate, quotedEps }, true),
    ).toBe(ratio);
  });

  test("is unknown without evidence, by no simple ratio, and if the evidence differs", () => {
    expect(depositaryRatio(UNKNOWN, true)).toBeNull();
    expect(depositaryRatio({ ...UNKNOWN, shares: 134, tradedShares: 100 }, true)).toBeNull();
    expect(
      depositaryRatio({ ...UNKNOWN, shares: 500, tradedShares: 100, eps: 1, quotedEps: 8 }, true),
    ).toBeNull();
    // A loss in one of them shows nothing.
    expect(depositaryRatio({ ...UNKNOWN, eps: -1, quotedEps: 5 }, true)).toBeNull();
    expect(depositaryRatio({ ...UNKNOWN, eps: -1, quotedEps: -5 }, true)).toBe(5);
    expect(depositaryRatio({ ...UNKNOWN, eps: 0, quotedEps: 5 }, true)).toBeNull();
  });

  test("of a company that reports in the currency of the price is 1, unless both show another one", () => {
    // BP 2023: 85.85 cents a share and 5.15 dollars an ADS of six shares.
    const bp = { ...UNKNOWN, shares: 16_824e6, tradedShares: 2_804e6, eps: 0.8585 };
    expect(depositaryRatio({ ...bp, quotedEps: 5.15 }, false)).toBe(6);
    // Of another time, or without a quote: a price of one share is unknown.
    expect(depositaryRatio({ ...bp, quotedEps: 3.9 }, false)).toBeNull();
    expect(depositaryRatio({ ...bp, quotedEps: null }, false)).toBeNull();
    // The market cap covers one of two classes.
    const oneInCap = { ...UNKNOWN, shares: 12_100e6, tradedShares: 5_900e6 };
    expect(depositaryRatio({ ...oneInCap, eps: 8.04, quotedEps: 8.1 }, false)).toBe(1);
    // The count of shares covers one of two classes; earnings are divided by both.
    const oneCounted = { shares: 5_900e6, dilutedShares: 12_400e6, tradedShares: 12_000e6 };
    expect(depositaryRatio({ ...UNKNOWN, ...oneCounted }, false)).toBe(1);
    expect(depositaryRatio({ ...UNKNOWN, shares: 130, tradedShares: 100 }, false)).toBe(1);
    expect(depositaryRatio({ ...UNKNOWN, eps: 1, quotedEps: 2 }, false)).toBe(1);
    expect(depositaryRatio(UNKNOWN, false)).toBe(1);
  });
});

describe("multiples of depositary receipts", () => {
  /** TSMC's year 2024 as it reported: billions of Taiwan dollars, except per share. */
  const year = {
    country: "US",
    symbol: "TSM",
    span: "year",
    fiscalYear: 2024,
    fiscalQuarter: 4,
    periodEnd: "2024-12-31",
    filedOn: "2025-04-17",
    currency: "TWD",
    items: {
      ...NO_ITEMS,
      revenue: 2_894.3e9,
      netIncome: 1_173.3e9,
      epsDiluted: 45.25,
      ebitda: 1_985e9,
      cash: 2_422e9,
      totalDebt: 1_047e9,
      commonEquity: 4_288.5e9,
      sharesOutstanding: 25_932.7e6,
      operatingCashFlow: 1_826.2e9,
      capitalExpenditure: 956e9,
    },
  } satisfies Statement;
  /** Its ADS on 31 December 2024, at 197.49 dollars and 32.8 Taiwan dollars a dollar. */
  const inputs = {
    instrument: {
      country: "US",
      currency: "USD",
      sector: "technology",
      industry: "semiconductors",
      sharesOutstanding: 5_186.5e6,
    },
    statements: [year],
    price: 197.49,
    dividends: null,
    asOf: "2025-05-01",
    rateOf: (currency: string) => (currency === "TWD" ? 1 / 32.8 : null),
  } as const;

  test("are those of the price converted into the currency and the shares of the statements", () => {
    const found = companyFundamentals(inputs);
    const cap = 5_186.5e6 * 197.49;
    expect(found.marketCap).toBe(cap);
    // 197.49 dollars an ADS are 1,295.5 Taiwan dollars a share.
    expect(found.pe).toBeCloseTo((197.49 * 32.8) / 5 / 45.25, 8);
    expect(found.pe).toBeCloseTo(28.63, 2);
    // By the market cap: 33,596 billion Taiwan dollars.
    expect(found.ps).toBeCloseTo((cap * 32.8) / 2_894.3e9, 8);
    expect(found.pb).toBeCloseTo((cap * 32.8) / 4_288.5e9, 8);
    expect(found.enterpriseValue).toBeCloseTo(cap + (1_047e9 - 2_422e9) / 32.8, 0);
    expect(found.evToEbitda).toBeCloseTo((cap * 32.8 + 1_047e9 - 2_422e9) / 1_985e9, 8);
    expect(found.fcfYieldPercent).toBeCloseTo((100 * (1_826.2e9 - 956e9)) / (cap * 32.8), 8);
    // P/E and market cap / net income agree: the earnings of all shares are those of the company.
    expect((cap * 32.8) / 1_173.3e9 / (found.pe ?? 0)).toBeCloseTo(1, 2);
    // What the company reports stays in its currency; EPS are those of the five shares of an ADS.
    expect(found).toMatchObject({ statementCurrency: "TWD", epsTtm: 5 * 45.25, netDebt: -1_375e9 });
  });

  test("are unknown without a rate, P/E without a ratio, and the others if the cap covers other shares", () => {
    expect(companyFundamentals({ ...inputs, rateOf: () => null })).toMatchObject({
      pe: null,
      pb: null,
      enterpriseValue: null,
    });
    const withoutShares = { ...year, items: { ...year.items, sharesOutstanding: null } };
    const unproven = companyFundamentals({ ...inputs, statements: [withoutShares] });
    expect([unproven.pe, unproven.epsTtm]).toEqual([null, null]);
    expect(unproven.pb).not.toBeNull();
    const classes = { ...inputs.instrument, sharesOutstanding: 3_900e6 };
    expect(companyFundamentals({ ...inputs, instrument: classes })).toMatchObject({
      pe: null,
      pb: null,
      ps: null,
      enterpriseValue: null,
    });
  });

  test("use the earnings of a quote only if the statements are as new", () => {
    const statements = [{ ...year, items: { ...year.items, sharesOutstanding: null } }];
    const quoted = { ...inputs, statements, quotedEps: (45.25 * 5) / 32.8 };
    expect(companyFundamentals(quoted).pe).toBeCloseTo(28.63, 2);
    // Eleven months later, five times the old earnings could be another ratio of the new ones.
    expect(companyFundamentals({ ...quoted, asOf: "2025-11-30" }).pe).toBeNull();
  });
});

describe("a filed number of shares of the United States", () => {
  const quarter: Statement = {
    country: "US",
    symbol: "ACME",
    span: "quarter",
    fiscalYear: 2024,
    fiscalQuarter: 3,
    periodEnd: "2024-09-30",
    filedOn: "2024-11-01",
    currency: "USD",
    items: { ...NO_ITEMS, netIncome: 5e6, epsDiluted: 0.5, sharesOutstanding: 10e6 },
  };
  const year: Statement = { ...quarter, span: "year", fiscalQuarter: 4 };
  const listing = { country: "US", currency: "USD", sector: null, industry: null } as const;
  const figuresOf = (statements: readonly Statement[], known: Partial<CompanyInputs> = {}) =>
    companyFundamentals({
      instrument: { ...listing, sharesOutstanding: null },
      statements,
      price: 20,
      dividends: null,
      asOf: "2024-12-31",
      ...known,
    });

  test("makes the market cap of a company that files quarters: 20 × 10 million", () => {
    expect(figuresOf([quarter])).toMatchObject({ marketCap: 200e6, sharesOutstanding: 10e6 });
    const named = { ...listing, name: "Salted Sea Inc.", sharesOutstanding: null };
    expect(figuresOf([quarter], { instrument: named }).marketCap).toBe(200e6);
    const quoted = { quotedMarketCap: 210e6 };
    expect(figuresOf([quarter], quoted).marketCap).toBe(210e6);
    const stated = { instrument: { ...listing, sharesOutstanding: 9e6 } };
    expect(figuresOf([quarter], stated).marketCap).toBe(180e6);
  });

  test.each([
    ["whole years, as issuers of depositary receipts file", [year], {}],
    ["another currency than the price", [{ ...quarter, currency: "EUR" }], {}],
    ["days of filing that are assumed", [{ ...quarter, isFilingAssumed: true }], {}],
    [
      "a legal form from abroad",
      [quarter],
      { instrument: { ...listing, name: "Akari Therapeutics plc", sharesOutstanding: null } },
    ],
    [
      "a legal form from abroad before a class",
      [quarter],
      { instrument: { ...listing, name: "Far Away Ltd. Class A", sharesOutstanding: null } },
    ],
    [
      "a depositary receipt of any legal form",
      [quarter],
      {
        instrument: {
          ...listing,
          name: "Structure Therapeutics Inc.",
          shareKind: "receipt",
          sharesOutstanding: null,
        },
      },
    ],
    ["unknown splits", [quarter], { knowsSplits: () => false }],
    ["a count of more than 15 months ago", [quarter], { asOf: "2026-01-01" }],
    ["a filing after the day", [quarter], { asOf: "2024-10-31" }],
  ] as const)("makes none by %s", (_, statements, known) => {
    expect(figuresOf(statements, known).marketCap).toBeNull();
  });

  test("makes one for a legal form from abroad if its share is traded itself", () => {
    const named = { ...listing, name: "Linde plc", sharesOutstanding: null };
    const shareKind = "share" as const;
    expect(figuresOf([quarter], { instrument: { ...named, shareKind } }).marketCap).toBe(200e6);
    expect(figuresOf([quarter], { instrument: named }).marketCap).toBeNull();
  });

  test("and without proof of the ratio, a depositary receipt has no P/E", () => {
    const earning = { ...quarter, span: "year", fiscalQuarter: 4 } as const;
    const statements = [earning, quarter];
    const peOf = (shareKind: "share" | "receipt") =>
      figuresOf(statements, { instrument: { ...listing, shareKind, sharesOutstanding: null } }).pe;
    // 20 / 0.5
    expect(peOf("share")).toBe(40);
    expect(peOf("receipt")).toBeNull();
  });

  test("does not prove that earnings of whole years belong to one traded share", () => {
    expect(figuresOf([{ ...year, items: { ...year.items, epsDiluted: 2 } }]).pe).toBeNull();
    const proof = { quotedEps: 2, asOf: "2025-01-31" };
    expect(figuresOf([{ ...year, items: { ...year.items, epsDiluted: 2 } }], proof).pe).toBe(10);
  });
});
