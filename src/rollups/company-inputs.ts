import type { CompanyInputs } from "#analytics/valuation.ts";
import type { Quote } from "#domain/quote.ts";
import type { Provenance } from "#domain/records.ts";
import { withoutShares } from "#domain/split-adjustment.ts";
import { dateOf } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { CurrencyRates } from "./currency-rates.ts";
import { pricesOf, type StoredPrices } from "./prices.ts";

/** What the figures of a company are computed from. */
export interface CompanyRecords {
  readonly inputs: CompanyInputs;
  /** True if its newest quote shows a split that is not known yet. */
  readonly showsUnknownSplit: boolean;
  readonly quote: (Quote & Provenance) | null;
  readonly prices: StoredPrices;
  readonly rates: CurrencyRates;
  /** The provenances of its records without prices. */
  readonly from: readonly (Provenance | null)[];
}

/**
 * Reads what is known of a company at `now` (UTC milliseconds), with the statements of some fiscal years. If its
 * newest quote shows a split that is not known yet, stored figures per share are in other shares than the price, and
 * are left out.
 */
export function readCompany(
  market: MarketStore,
  instrument: StoredInstrument,
  now: number,
  years: number,
): CompanyRecords {
  const { country, symbol } = instrument;
  const quote = market.documents.find("quotes", country, symbol);
  const isSplit = quote !== null && market.showsUnknownSplit(instrument);
  const filed = market.statements.listLatest(instrument, years);
  const dividends = isSplit ? null : market.documents.find("dividends", country, symbol);
  const prices = pricesOf(market, instrument, quote);
  const rates = new CurrencyRates(market);
  const inputs: CompanyInputs = {
    instrument: isSplit ? { ...instrument, sharesOutstanding: null } : instrument,
    statements: isSplit ? filed.map(withoutShares) : filed,
    price: prices.newest?.close ?? null,
    quotedMarketCap: quote?.marketCap ?? null,
    quotedEps: quote?.epsTtm ?? null,
    rateOf: (currency) => rates.find(currency, instrument.currency),
    knowsSplits: () => market.documents.find("splits", country, symbol) !== null,
    dividends: dividends?.dividends ?? null,
    asOf: dateOf(now),
  };
  const from = [instrument, ...filed, dividends, quote];
  return { inputs, showsUnknownSplit: isSplit, quote, prices, rates, from };
}
