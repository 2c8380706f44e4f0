import { describe, expect, test } from "bun:test";
import { quotedFundamentals } from "#analytics/quoted-fundamentals.ts";
import { type CompanyFundamentals, companyFundamentals } from "#analytics/valuation.ts";
import type { Quote } from "#domain/quote.ts";
import { quote } from "../support/upstream-refresher.ts";

/** What is known of a company without statements, at a price, with or without its share count. */
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

/** The same company once it has reported: its figures are its own. */
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

/** At 100 with a market cap of a million there are 10,000 shares. */
const PUBLISHED: Quote = quote("AAPL", 100, {
  marketCap: 1_000_000,
  epsTtm: 5,
  priceToBook: 2.5,
  dividendYieldPercent: 1.2,
});

describe("a company without any statement", () => {
  test("has the publisher's figures, as of the quote's date", () => {
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

  test("keeps the market cap that follows from its own share count", () => {
    // 1,000 shares at 100.
    const figures = quotedFundamentals(unreported(1_000), PUBLISHED);
    expect(figures.marketCap).toBe(100_000);
    // 5 a share on 100,000 / 100 = 1,000 shares.
    expect(figures.netIncomeTtm).toBe(5_000);
  });

  test("that loses money has no P/E, and its loss", () => {
    const figures = quotedFundamentals(unreported(null), { ...PUBLISHED, epsTtm: -2 });
    expect([figures.pe, figures.epsTtm, figures.netIncomeTtm]).toEqual([null, -2, -20_000]);
  });

  test("that earns nothing has no P/E, and nothing earned", () => {
    const figures = quotedFundamentals(unreported(null), { ...PUBLISHED, epsTtm: 0 });
    expect([figures.pe, figures.epsTtm, figures.netIncomeTtm]).toEqual([null, 0, 0]);
  });

  test.each([0, -1.5])("with a book value below zero has no P/B: %p", (priceToBook) => {
    expect(quotedFundamentals(unreported(null), { ...PUBLISHED, priceToBook }).pb).toBeNull();
  });

  test("of which only the book value is published has no earnings", () => {
    const figures = quotedFundamentals(unreported(null), { ...PUBLISHED, epsTtm: null });
    expect([figures.pb, figures.pe, figures.epsTtm, figures.netIncomeTtm]).toEqual([
      2.5,
      null,
      null,
      null,
    ]);
  });

  test("of which no market cap is known has no net income", () => {
    const figures = quotedFundamentals(unreported(null), { ...PUBLISHED, marketCap: null });
    expect([figures.pe, figures.marketCap, figures.netIncomeTtm]).toEqual([20, null, null]);
  });

  test("of which a price alone is published stays one that has not reported", () => {
    const before = unreported(1_000);
    expect(quotedFundamentals(before, quote("AAPL", 100))).toEqual(before);
    expect(quotedFundamentals(before, quote("AAPL", 100)).statementCurrency).toBeNull();
  });
});

describe("a company with statements", () => {
  test("keeps all that follows from them: published and reported figures are not mixed", () => {
    const before = reported({ marketCap: 100_000, dividendYieldPercent: 0.4 });
    expect(quotedFundamentals(before, PUBLISHED)).toEqual(before);
  });

  test("takes the publisher's market cap and dividend yield where it has none", () => {
    const before = reported({ marketCap: null, dividendYieldPercent: null });
    expect(quotedFundamentals(before, PUBLISHED)).toEqual({
      ...before,
      marketCap: 1_000_000,
      dividendYieldPercent: 1.2,
    });
  });

  test("that pays nothing pays nothing, whatever is published", () => {
    const before = reported({ marketCap: 100_000, dividendYieldPercent: 0 });
    expect(quotedFundamentals(before, PUBLISHED).dividendYieldPercent).toBe(0);
  });
});
