import { NO_TOTAL_RETURN, type TotalReturns, totalReturns } from "#analytics/adjusted-prices.ts";
import { type DividendRecord, dividendRecord } from "#analytics/dividend-record.ts";
import { type SurpriseRecord, surpriseRecord } from "#analytics/earnings-surprise.ts";
import type { MetricHistory } from "#analytics/metrics.ts";
import { windowStart } from "#analytics/performance.ts";
import { type Closes, NO_CLOSES } from "#analytics/price-statistics.ts";
import type { CompanyFundamentals } from "#analytics/valuation.ts";
import {
  MIN_POINTS,
  monthEnds,
  type OwnHistory,
  ownHistory,
} from "#analytics/valuation-history.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { readCompany } from "./company-inputs.ts";
import type { Prices } from "./prices.ts";

/**
 * Figures of a company over several years. Each is computed when it is first read, because they take ten times as long
 * as all others and few screens ask for them.
 */
export class CompanyHistory implements MetricHistory {
  readonly #market: MarketStore;
  readonly #instrument: StoredInstrument;
  readonly #fundamentals: CompanyFundamentals;
  readonly #now: number;
  #dividends: DividendRecord | null | undefined;
  #totalReturns: TotalReturns | undefined;
  #ownHistory: OwnHistory | null | undefined;
  #surprises: SurpriseRecord | null | undefined;
  /** True if a rate was asked for: some statements are in another currency than the prices. */
  hasRates = false;

  /** `fundamentals` are those at `now` (UTC milliseconds). */
  constructor(
    market: MarketStore,
    instrument: StoredInstrument,
    fundamentals: CompanyFundamentals,
    now: number,
  ) {
    this.#market = market;
    this.#instrument = instrument;
    this.#fundamentals = fundamentals;
    this.#now = now;
  }

  /** Null if its dividends are unknown. */
  get dividends(): DividendRecord | null {
    if (this.#dividends === undefined) this.#dividends = this.#readDividends();
    return this.#dividends;
  }

  get totalReturns(): TotalReturns {
    if (this.#totalReturns === undefined) this.#totalReturns = this.#readTotalReturns();
    return this.#totalReturns;
  }

  /** Null without closes at 24 of the last 60 month ends. */
  get ownHistory(): OwnHistory | null {
    if (this.#ownHistory === undefined) this.#ownHistory = this.#readOwnHistory();
    return this.#ownHistory;
  }

  /** Null if no past results are known. */
  get surprises(): SurpriseRecord | null {
    if (this.#surprises === undefined) this.#surprises = this.#readSurprises();
    return this.#surprises;
  }

  #readSurprises(): SurpriseRecord | null {
    const { country, symbol } = this.#instrument;
    const past = this.#market.documents.find("earningsResults", country, symbol);
    return past && surpriseRecord(past.results);
  }

  #readDividends(): DividendRecord | null {
    const { inputs } = this.#read(1);
    if (inputs.dividends === null) return null;
    const first = this.#market.bars.findOnOrAfter(this.#instrument.id);
    return dividendRecord(inputs.dividends, inputs.asOf, first?.date ?? null);
  }

  #readTotalReturns(): TotalReturns {
    const { inputs, prices } = this.#read(1);
    if (inputs.dividends === null) return NO_TOTAL_RETURN;
    return totalReturns(fiveYearsOf(prices), inputs.dividends);
  }

  #readOwnHistory(): OwnHistory | null {
    const { inputs, prices, rates, showsUnknownSplit } = this.#read(1);
    const closes = monthEnds(fiveYearsOf(prices));
    if (showsUnknownSplit || closes.dates.length < MIN_POINTS) return null;
    const rateOn = (currency: string, date: string) =>
      rates.findOn(currency, this.#instrument.currency, date);
    const statements = this.#market.statements.listFiled(this.#instrument);
    const own = ownHistory({ ...inputs, statements, closes, rateOn }, this.#fundamentals);
    this.hasRates = rates.used.length > 0;
    return own;
  }

  #read(years: number) {
    return readCompany(this.#market, this.#instrument, this.#now, years);
  }
}

/** The closes since the last one at or before five years before the newest. */
function fiveYearsOf({ newest, findClose, list }: Prices): Closes {
  if (newest === null) return NO_CLOSES;
  const start = windowStart("5y", newest.date);
  return list(findClose(start)?.date ?? start, newest.date);
}
