import {
  currencyOf,
  type Metric,
  METRIC_NAMES,
  type MetricName,
  METRICS,
} from "#analytics/metrics.ts";
import { invalidArgument } from "#domain/errors.ts";
import type { Cell } from "#lib/table.ts";
import { roundMetric } from "#panels/metrics.ts";
import { NO_PERFORMANCE } from "./reading/known-on.ts";
import { periodFundamentals } from "#analytics/period-fundamentals.ts";
import { quartersFrom } from "#analytics/ttm.ts";
import type { Closes } from "#analytics/price-statistics.ts";
import { type ValuationHistory, valuationHistory } from "#analytics/valuation-history.ts";
import type { CompanyFundamentals, CompanyInputs } from "#analytics/valuation.ts";
import { withoutShares } from "#domain/split-adjustment.ts";
import { QUARTERS_OF_YEAR, type Statement } from "#domain/statement.ts";
import { addDays } from "#lib/date.ts";
import type { CompanyRecords } from "#rollups/company-inputs.ts";
import { CurrencyRates } from "#rollups/currency-rates.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/** The metrics of reports, and the market cap. Dividends have a history of their own. */
export const PAST_METRICS: ReadonlySet<MetricName> = new Set(
  METRIC_NAMES.filter((name) => {
    const { period }: Metric = METRICS[name];
    return (
      name === "market_cap" || ((period === "TTM" || period === "MRQ") && name !== "payout_ratio")
    );
  }),
);

/** @throws BourseError for a metric without a past */
export function refuseOtherMetrics(metrics: readonly MetricName[]): void {
  const other = metrics.find((name) => !PAST_METRICS.has(name));
  if (other !== undefined) {
    throw invalidArgument(`metrics must be figures of statements or multiples, not ${other}.`, {
      param: "metrics",
      allowed: [...PAST_METRICS],
      hint: "Such as revenue, net_margin, roe or pe. For prices call get_price_statistics, for dividends get_stock_price_history.",
    });
  }
}

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
  const { country, symbol } = instrument;
  const quote = market.documents.find("quotes", country, symbol);
  const rates = new CurrencyRates(market);
  return {
    instrument,
    statements: market.showsUnknownSplit(instrument) ? statements.map(withoutShares) : statements,
    price,
    quotedMarketCap: quote?.marketCap ?? null,
    quotedEps: quote?.epsTtm ?? null,
    rateOf: (currency: string) => rates.find(currency, instrument.currency),
    knowsSplits: () => market.documents.find("splits", country, symbol) !== null,
    dividends: null,
    asOf: today,
  };
}

/**
 * Reads the figures of the twelve months that end with a period. Price multiples have the close and the rate of its end.
 * They are null if that close is not known.
 *
 * @param quarters the single quarters of the company: their own flows, growth and margins are read
 */
export function periodReader(
  market: MarketStore,
  instrument: StoredInstrument,
  inputs: CompanyInputs,
  quarters: readonly Statement[] = [],
): (statement: Statement) => CompanyFundamentals {
  const rates = new CurrencyRates(market);
  const isSplit = market.showsUnknownSplit(instrument);
  const read = periodFundamentals(inputs);
  return (statement) => {
    const { periodEnd, currency } = statement;
    const bar = market.bars.findAtOrBefore(instrument.id, periodEnd);
    const price = {
      close: bar && isRecent(bar.date, periodEnd) && !isSplit ? bar.close : null,
      rate: rates.findOn(currency, instrument.currency, periodEnd),
    };
    const quarter = quarters.includes(statement) ? statement : null;
    return read(
      statement,
      price,
      quarter && { quarter, yearBefore: yearBefore(quarters, quarter) },
    );
  };
}

/** The quarter that ended four quarters before; null if it is unknown. */
const yearBefore = (quarters: readonly Statement[], { periodEnd }: Statement) =>
  quarters.find((one) => quartersFrom(periodEnd, one.periodEnd) === -QUARTERS_OF_YEAR) ?? null;

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

/** The figures of a period in a currency, at the rate of its end. They are rounded, and null if they are unknown. */
export function figuresOfPeriod(
  statement: Statement,
  {
    instrument,
    read,
    metrics,
    rates,
    to,
  }: {
    readonly instrument: StoredInstrument;
    readonly read: (statement: Statement) => CompanyFundamentals;
    readonly metrics: readonly MetricName[];
    readonly rates: CurrencyRates;
    readonly to: string;
  },
): Cell[] {
  const figures = { ...NO_PERFORMANCE, newest: null, instrument, fundamentals: read(statement) };
  return metrics.map((name) => {
    const metric: Metric = METRICS[name];
    const value = metric.valueOf(figures);
    const own = currencyOf(metric, figures);
    const rate = own === null || own === to ? 1 : rates.findOn(own, to, statement.periodEnd);
    return roundMetric(metric, value === null || rate === null ? null : value * rate);
  });
}
