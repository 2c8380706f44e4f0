import { periodFundamentals } from "#analytics/period-fundamentals.ts";
import type { Closes } from "#analytics/price-statistics.ts";
import { type ValuationHistory, valuationHistory } from "#analytics/valuation-history.ts";
import type { CompanyFundamentals, CompanyInputs } from "#analytics/valuation.ts";
import { withoutShares } from "#domain/split-adjustment.ts";
import type { Statement } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";
import type { CompanyRecords } from "#rollups/company-inputs.ts";
import { CurrencyRates } from "#rollups/currency-rates.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/** Days before the end of a period from which its price can be. Holidays are shorter. */
const MAX_PRICE_AGE_DAYS = 14;

/** True if the close of a date can be the price at the end of a period. */
export const isRecent = (date: string, periodEnd: string): boolean =>
  date >= addDays(periodEnd, -MAX_PRICE_AGE_DAYS);

/** What the figures of a company's periods are computed from today. `price` is the newest close; null if unknown. */
export function newestInputs(
  market: MarketStore,
  instrument: StoredInstrument,
  price: number | null,
  today: string,
): CompanyInputs {
  const statements = market.statements.list(instrument);
  const quote = market.documents.find("quotes", instrument.country, instrument.symbol);
  const rates = new CurrencyRates(market);
  return {
    instrument,
    statements: market.showsUnknownSplit(instrument) ? statements.map(withoutShares) : statements,
    price,
    quotedMarketCap: quote?.marketCap ?? null,
    quotedEps: quote?.epsTtm ?? null,
    rateOf: (currency: string) => rates.find(currency, instrument.currency),
    dividends: null,
    asOf: today,
  };
}

/**
 * Reads the figures of the twelve months that end with a period. Price multiples have the close and the rate of its end.
 * They are null if that close is not known.
 */
export function periodReader(
  market: MarketStore,
  instrument: StoredInstrument,
  inputs: CompanyInputs,
): (statement: Statement) => CompanyFundamentals {
  const rates = new CurrencyRates(market);
  const isSplit = market.showsUnknownSplit(instrument);
  const read = periodFundamentals(inputs);
  return (statement) => {
    const { periodEnd, currency } = statement;
    const bar = market.bars.findAtOrBefore(instrument.id, periodEnd);
    return read(statement, {
      close: bar && isRecent(bar.date, periodEnd) && !isSplit ? bar.close : null,
      rate: rates.findOn(currency, instrument.currency, periodEnd),
    });
  };
}

/** The statements whose figures are used: without their shares after a split of an unknown ratio. */
export const usedFilings = (
  { showsUnknownSplit }: Pick<CompanyRecords, "showsUnknownSplit">,
  filed: readonly Statement[],
): readonly Statement[] => (showsUnknownSplit ? filed.map(withoutShares) : filed);

/** Reads the multiples of a company on sessions, each by the statements that were filed by that day. */
export function valuationReader(
  { currency }: StoredInstrument,
  records: CompanyRecords,
  filed: readonly Statement[],
): (sessions: Closes) => ValuationHistory["values"] {
  const { inputs, rates } = records;
  return (sessions) =>
    valuationHistory({
      ...inputs,
      statements: usedFilings(records, filed),
      closes: sessions,
      rateOn: (own, date) => rates.findOn(own, currency, date),
    }).values;
}
