import type { MetricInputs } from "#analytics/metrics.ts";
import { companyFundamentals } from "#analytics/valuation.ts";
import type { Provenance } from "#domain/records.ts";
import { splitRatio } from "#domain/split.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { FiledStatement } from "#store/statements.ts";
import { CurrencyRates } from "./currency-rates.ts";

/** A company by what was known on a day, with figures per share in the shares of that day. */
export interface CompanyOnDay extends Pick<MetricInputs, "newest" | "fundamentals"> {
  readonly instrument: StoredInstrument;
  /** What was filed by then: see `StatementStore.listFiled`. */
  readonly statements: readonly FiledStatement[];
  readonly from: readonly Provenance[];
}

/**
 * Computes the figures of an instrument as known on a day: by the statements filed by then, the last close of that day
 * or before, and the number of shares in the statements. Dividends are left out.
 */
export function getCompanyOnDay(
  market: MarketStore,
  instrument: StoredInstrument,
  day: string,
  today: string,
): CompanyOnDay {
  const { country, symbol, id } = instrument;
  const statements = market.statements
    .listFiled(instrument, day)
    .filter(({ filedOn }) => filedOn <= day);
  const splits = market.documents.find("splits", country, symbol);
  const since = splitRatio(splits?.splits ?? [], day, today);
  const bar = market.bars.findAtOrBefore(id, day);
  const close = bar ? bar.close * since : null;
  const rates = new CurrencyRates(market);
  const fundamentals = companyFundamentals({
    instrument: { ...instrument, sharesOutstanding: null },
    statements,
    price: close,
    rateOf: (currency) => rates.findOn(currency, instrument.currency, day),
    knowsSplits: () => splits !== null,
    dividends: null,
    asOf: day,
  });
  return {
    instrument,
    statements,
    newest: close === null ? null : { close, volume: null },
    fundamentals,
    from: [...statements, ...rates.from],
  };
}
