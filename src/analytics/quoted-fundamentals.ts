import type { Quote } from "#domain/quote.ts";
import type { CompanyFundamentals } from "./valuation.ts";

/**
 * The fundamentals with what a quote says put where statements say nothing.
 *
 * The market cap and the dividend yield are the publisher's where ours are unknown. P/E, P/B, EPS and
 * net income (EPS × market cap / price) are taken only of a company without any statement, so that
 * reported and published figures are never mixed; they then count as of the quote's date.
 */
export function quotedFundamentals(f: CompanyFundamentals, quote: Quote): CompanyFundamentals {
  const { price, epsTtm, priceToBook, date } = quote;
  const marketCap = f.marketCap ?? quote.marketCap;
  const common = {
    ...f,
    marketCap,
    dividendYieldPercent: f.dividendYieldPercent ?? quote.dividendYieldPercent,
  };
  if (f.statementCurrency !== null || (epsTtm === null && priceToBook === null)) return common;
  return {
    ...common,
    statementCurrency: f.currency,
    periodEnd: date,
    epsTtm,
    netIncomeTtm: epsTtm === null || marketCap === null ? null : epsTtm * (marketCap / price),
    pe: epsTtm !== null && epsTtm > 0 ? price / epsTtm : null,
    pb: priceToBook !== null && priceToBook > 0 ? priceToBook : null,
  };
}
