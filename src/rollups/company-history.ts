import { NO_TOTAL_RETURN, totalReturns } from "#analytics/adjusted-prices.ts";
import { dividendRecord } from "#analytics/dividend-record.ts";
import { type SurpriseRecord, surpriseRecord } from "#analytics/earnings-surprise.ts";
import type { MetricHistory } from "#analytics/metrics.ts";
import { windowStart } from "#analytics/performance.ts";
import { type Closes, NO_CLOSES } from "#analytics/price-statistics.ts";
import type { CompanyFundamentals } from "#analytics/valuation.ts";
import { MIN_POINTS, monthEnds, monthStarts, ownHistory } from "#analytics/valuation-history.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { addDays } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { type CompanyRecords, readCompany } from "./company-inputs.ts";
import { sessionBefore, type StoredPrices } from "./prices.ts";

/** The figures of several years that change only with a change of the instrument, with its rates, or with the day. */
export interface LongFigures extends Omit<MetricHistory, "surprises" | "lastCumDate"> {
  /** True if a rate was asked for: some statements are in another currency than the prices. */
  readonly hasRates: boolean;
}

/**
 * Figures of a company over several years. Those that are not given are computed when they are first read, because they
 * take as long as all others and few calls for one company ask for them.
 */
export class CompanyHistory implements MetricHistory {
  readonly #market: MarketStore;
  readonly #instrument: StoredInstrument;
  readonly #compute: () => LongFigures;
  #known: LongFigures | null;
  #surprises: SurpriseRecord | null | undefined;

  /** `fundamentals` are those at `now` (UTC milliseconds); `known` is null if the figures are computed later. */
  constructor(
    market: MarketStore,
    instrument: StoredInstrument,
    {
      fundamentals,
      now,
      known,
    }: { fundamentals: CompanyFundamentals; now: number; known: LongFigures | null },
  ) {
    this.#market = market;
    this.#instrument = instrument;
    this.#known = known;
    this.#compute = () =>
      market.readTogether(() =>
        longFigures(market, instrument, readCompany(market, instrument, now, 1), fundamentals),
      );
  }

  /** The figures that are computed; null before the first of them is read. */
  get known(): LongFigures | null {
    return this.#known;
  }

  /** Null if its dividends are unknown. */
  get dividends(): MetricHistory["dividends"] {
    return this.#figures.dividends;
  }

  /** A decree that moves a session is no change of the instrument, so it is read when it is needed. */
  get lastCumDate(): string | null {
    const exDate = this.dividends?.nextExDate ?? null;
    if (exDate === null) return null;
    const decrees = this.#market.documents.list("holidayOverrides", this.#instrument.country);
    return sessionBefore(this.#instrument, exDate, decrees);
  }

  get totalReturns(): MetricHistory["totalReturns"] {
    return this.#figures.totalReturns;
  }

  /** Null without closes at 24 of the last 60 month ends. */
  get ownHistory(): MetricHistory["ownHistory"] {
    return this.#figures.ownHistory;
  }

  /** Null if no past results are known. They are no change of the instrument, so they are read when they are needed. */
  get surprises(): SurpriseRecord | null {
    if (this.#surprises === undefined) this.#surprises = this.#readSurprises();
    return this.#surprises;
  }

  get #figures(): LongFigures {
    return (this.#known ??= this.#compute());
  }

  #readSurprises(): SurpriseRecord | null {
    const { country, symbol } = this.#instrument;
    const past = this.#market.documents.find("earningsResults", country, symbol);
    return past && surpriseRecord(past.results);
  }
}

/** Computes the figures of several years from the records of a company, with statements of any number of years. */
export function longFigures(
  market: MarketStore,
  instrument: StoredInstrument,
  records: CompanyRecords,
  fundamentals: CompanyFundamentals,
): LongFigures {
  const { inputs, prices, rates, showsUnknownSplit } = records;
  const { dividends, asOf } = inputs;
  const closes = closesOfFiveYears(prices, dividends ?? []);
  const begins = dividends && market.bars.findOnOrAfter(instrument.id);
  const ends = monthEnds(closes);
  const hasHistory = !showsUnknownSplit && ends.dates.length >= MIN_POINTS;
  const rateOn = (currency: string, date: string) =>
    rates.findOn(currency, instrument.currency, date);
  const statements = hasHistory ? market.statements.listFiled(instrument) : [];
  return {
    dividends: dividends && dividendRecord(dividends, asOf, begins?.date ?? null),
    totalReturns: dividends ? totalReturns(closes, dividends) : NO_TOTAL_RETURN,
    ownHistory: hasHistory
      ? ownHistory({ ...inputs, statements, closes: ends, rateOn }, fundamentals)
      : null,
    hasRates: hasHistory && rates.used.length > 0,
  };
}

/**
 * The closes since the last one at or before five years before the newest that month ends, total returns and their
 * dividends need.
 */
function closesOfFiveYears(
  { newest, findClose, listBefore }: StoredPrices,
  dividends: DividendHistory["dividends"],
): Closes {
  if (newest === null) return NO_CLOSES;
  const start = windowStart("5y", newest.date);
  const first = findClose(start)?.date ?? start;
  const exDates = dividends.flatMap(({ exDate }) => (exDate > first ? exDate : []));
  const starts = [first, windowStart("1y", newest.date)].map((date) => addDays(date, 1));
  return listBefore(first, [...monthStarts(newest.date), ...exDates, ...starts]);
}
