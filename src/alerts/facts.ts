import { meanRatingLabel } from "#analytics/analyst-rating.ts";
import { METRICS } from "#analytics/metrics.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { localDateOf } from "#domain/country.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { figuresOf, isStale } from "#operations/alerts/instrument-figures.ts";
import type { ReleaseRule } from "#operations/alerts/rule-words.ts";
import { newStatements, readBriefRecords } from "#operations/brief/instruments.ts";
import { listPublicationsOf } from "#operations/get-macro-calendar.ts";
import { type MedianOf, metricReader } from "#operations/metric-values.ts";
import { findMacroSeries } from "#operations/reading/macro-series.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import type { ConvertedCompanies } from "#rollups/converted-companies.ts";
import type { MarketStore } from "#store/index.ts";
import type { InstrumentFacts, ReleaseFacts } from "./judge.ts";

/** What facts are read from. `holidays` are the stored decrees. */
export interface FactSources {
  readonly market: MarketStore;
  readonly medianOf: MedianOf;
  readonly holidays: readonly HolidayOverride[];
  /** UTC milliseconds. */
  readonly now: number;
}

/**
 * Reads the facts of an instrument. Each is read when a rule asks for it.
 *
 * @param converted reads amounts in the currency of the rule, or in the own currency of each instrument
 */
export function readFacts(
  company: CompanyMetrics,
  converted: ConvertedCompanies,
  { market, medianOf, holidays, now }: FactSources,
): InstrumentFacts {
  const { instrument, fundamentals, newest } = company;
  const { country, symbol, name, assetType } = instrument;
  const currency = converted.currencyOf(instrument);
  const price = metricReader("price", converted);
  const isKnown = !company.showsUnknownSplit && !isStale(company, now, holidays);
  const quarter = METRICS.fiscal_period.valueOf(company);
  return {
    ...figuresOf(company, converted, medianOf, { now, holidays }),
    of: { country, symbol, name, assetType },
    currency: currency ?? instrument.currency,
    currencyOf: (metric) => (isAmount(METRICS[metric].unit) ? currency : null),
    get price() {
      const after = isKnown && newest ? price(company) : null;
      if (after === null || newest === null) return null;
      // The close before has the rate of its own day, which only the change of the day knows.
      const before = after === newest.close ? newest.previousClose : null;
      return { before, after, currency: currency ?? "", date: newest.date };
    },
    get splits() {
      return market.documents.find("splits", country, symbol)?.splits ?? [];
    },
    day: dateOf(now),
    today: localDateOf(country, now),
    filing:
      fundamentals.periodEnd === null || fundamentals.filedOn === null
        ? null
        : { periodEnd: fundamentals.periodEnd, quarter, filedOn: fundamentals.filedOn },
    statementsAfter: (period) => {
      const records = readBriefRecords(market, instrument, now, holidays);
      return newStatements(records, period, fundamentals.periodEnd);
    },
    get report() {
      return market.documents.find("earningsDates", country, symbol);
    },
    get dividends() {
      return market.documents.find("dividends", country, symbol)?.dividends ?? [];
    },
    get ratingLabel() {
      return meanRatingLabel(company.analysts?.rating ?? null);
    },
  };
}

const isAmount = (unit: string) =>
  unit === "money" || unit.startsWith("price") || unit.startsWith("reported");

/** Days back in which a publication can get its figure. */
const LATE_DAYS = 30;

/**
 * Reads the known releases of the series of a rule, oldest first.
 *
 * @throws BourseError `not_found` with the nearest names if the country has no such series
 */
export function readReleases(
  { country, series: written }: ReleaseRule,
  { market, now }: Pick<FactSources, "market" | "now">,
): ReleaseFacts {
  const series = findMacroSeries(market.documents.list("macroSeries", country), country, written);
  const from = addDays(dateOf(now), -LATE_DAYS);
  const known = listPublicationsOf(market, country, series, from).flatMap(
    ({ id, date, time, previous, consensus, forecast, actual }) =>
      actual === null
        ? []
        : [{ id, date, time, previous, expected: consensus ?? forecast, actual }],
  );
  return { country, name: series.name, known };
}
