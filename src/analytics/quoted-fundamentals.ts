import type { Quote } from "#domain/quote.ts";
import type { CompanyFundamentals } from "./valuation.ts";

/**
 * Fills unknown fundamentals with the figures of a quote.
 *
 * The market cap and the dividend yield come from the quote if they could not be computed. EPS comes
 * from the quote if the statements do not state it and are in the currency of the quote: a company
 * with classes of shares may state it for each class only.
 *
 * P/E, P/B and net income (EPS × market cap / price) come from the quote only if the company has no
 * statement. Their period then ends on the quote's date.
 */
export function quotedFundamentals(f: CompanyFundamentals, quote: Quote): CompanyFundamentals {
  const { price, epsTtm, priceToBook, date } = quote;
  const marketCap = f.marketCap ?? quote.marketCap;
  const common = {
    ...f,
    marketCap,
    dividendYieldPercent: f.dividendYieldPercent ?? quote.dividendYieldPercent,
  };
  if (f.statementCurrency !== null)
    return f.statementCurrency === f.currency ? { ...common, epsTtm: f.epsTtm ?? epsTtm } : common;
  if (epsTtm === null && priceToBook === null) return common;
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
