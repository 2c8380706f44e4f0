import { describe, expect, test } from "bun:test";
import { quotedFundamentals } from "#analytics/quoted-fundamentals.ts";
import { type CompanyFundamentals, companyFundamentals } from "#analytics/valuation.ts";
import type { Quote } from "#domain/quote.ts";
import { quote } from "../support/refresher.ts";

/** The fundamentals of a company without statements at a price, with or without its share count. */
function unreported(sharesOutstanding: number | null, price: number | null = 100) {
  return companyFundamentals({
    instrument: {
      country: "US",
      currency: "USD",
      sector: "technology",
      industry: "consumer-electronics",
      sharesOutstanding,
    },
    statements: [],
    price,
    dividends: null,
    asOf: "2026-11-20",
  });
}

/** The same company with statements. */
const reported = (known: Partial<CompanyFundamentals> = {}): CompanyFundamentals => ({
  ...unreported(1_000),
  statementCurrency: "USD",
  fiscalYear: 2026,
  fiscalQuarter: 3,
  periodEnd: "2026-09-30",
  epsTtm: 4,
  netIncomeTtm: 4_000,
  pe: 25,
  pb: 3,
  ...known,
});

/** A quote of 100 with a market cap of 1,000,000, which means 10,000 shares. */
const PUBLISHED: Quote = quote("AAPL", 100, {
  marketCap: 1_000_000,
  epsTtm: 5,
  priceToBook: 2.5,
  dividendYieldPercent: 1.2,
});

describe("a company without any statement", () => {
  test("has the quoted figures as of the quote's date", () => {
    const before = unreported(null);
    expect(quotedFundamentals(before, PUBLISHED)).toEqual({
      ...before,
      marketCap: 1_000_000,
      dividendYieldPercent: 1.2,
      statementCurrency: "USD",
      periodEnd: "2026-11-20",
      epsTtm: 5,
      // 5 a share on 1,000,000 / 100 = 10,000 shares.
      netIncomeTtm: 50_000,
      // 100 / 5.
      pe: 20,
      pb: 2.5,
    });
  });

  test("keeps the market cap of its own share count", () => {
    // 1,000 shares at 100.
    const figures = quotedFundamentals(unreported(1_000), PUBLISHED);
    expect(figures.marketCap).toBe(100_000);
    // 5 a share on 100,000 / 100 = 1,000 shares.
    expect(figures.netIncomeTtm).toBe(5_000);
  });

  test("has no P/E but a negative net income with a loss", () => {
    const figures = quotedFundamentals(unreported(null), { ...PUBLISHED, epsTtm: -2 });
    expect([figures.pe, figures.epsTtm, figures.netIncomeTtm]).toEqual([null, -2, -20_000]);
  });

  test("has no P/E and a net income of 0 with an EPS of 0", () => {
    const figures = quotedFundamentals(unreported(null), { ...PUBLISHED, epsTtm: 0 });
    expect([figures.pe, figures.epsTtm, figures.netIncomeTtm]).toEqual([null, 0, 0]);
  });

  test.each([0, -1.5])("has no P/B with a book value that is not positive: %p", (priceToBook) => {
    expect(quotedFundamentals(unreported(null), { ...PUBLISHED, priceToBook }).pb).toBeNull();
  });

  test("has no earnings if only the book value is quoted", () => {
    const figures = quotedFundamentals(unreported(null), { ...PUBLISHED, epsTtm: null });
    expect([figures.pb, figures.pe, figures.epsTtm, figures.netIncomeTtm]).toEqual([
      2.5,
      null,
      null,
      null,
    ]);
  });

  test("has no net income without a market cap", () => {
    const figures = quotedFundamentals(unreported(null), { ...PUBLISHED, marketCap: null });
    expect([figures.pe, figures.marketCap, figures.netIncomeTtm]).toEqual([20, null, null]);
  });

  test("is unchanged if only a price is quoted", () => {
    const before = unreported(1_000);
    expect(quotedFundamentals(before, quote("AAPL", 100))).toEqual(before);
    expect(quotedFundamentals(before, quote("AAPL", 100)).statementCurrency).toBeNull();
  });
});

describe("a company with statements", () => {
  test("keeps its computed figures: quoted and reported figures are not mixed", () => {
    const before = reported({ marketCap: 100_000, dividendYieldPercent: 0.4 });
    expect(quotedFundamentals(before, PUBLISHED)).toEqual(before);
  });

  test("has the quoted EPS if its own are stated for each class of shares only", () => {
    const before = reported({ epsTtm: null, marketCap: 100_000, dividendYieldPercent: 0.4 });
    // Net income, P/E and P/B stay computed.
    expect(quotedFundamentals(before, PUBLISHED)).toEqual({ ...before, epsTtm: 5 });
    // An EPS in dollars does not belong to statements in yen.
    const foreign = { ...before, statementCurrency: "JPY" };
    expect(quotedFundamentals(foreign, PUBLISHED)).toEqual(foreign);
  });

  test("has the quoted market cap and dividend yield if its own are unknown", () => {
    const before = reported({ marketCap: null, dividendYieldPercent: null });
    expect(quotedFundamentals(before, PUBLISHED)).toEqual({
      ...before,
      marketCap: 1_000_000,
      dividendYieldPercent: 1.2,
    });
  });

  test("keeps a dividend yield of 0, whatever is quoted", () => {
    const before = reported({ marketCap: 100_000, dividendYieldPercent: 0 });
    expect(quotedFundamentals(before, PUBLISHED).dividendYieldPercent).toBe(0);
  });
});
