import { isOfPrices, METRICS } from "#analytics/metrics.ts";
import { lastCompletedSession } from "#analytics/sessions.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { isShare } from "#domain/instrument.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { type MedianOf, metricReader } from "#operations/metric-values.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import type { ConvertedCompanies } from "#rollups/converted-companies.ts";
import { sessionBefore } from "#rollups/prices.ts";
import type { Figures } from "./condition.ts";

/** Days after which a price without an exchange is stale: a weekend of currencies, and a day. */
const STALE_DAYS = 4;

/**
 * True for an instrument whose newest price is older than the session before the last complete one: it is suspended, or
 * its source fails. An instrument without a price is stale.
 */
export function isStale(
  { instrument, newest }: Pick<CompanyMetrics, "instrument" | "newest">,
  now: number,
  holidays: readonly HolidayOverride[],
): boolean {
  if (newest === null) return true;
  const { assetType, country } = instrument;
  if (!isShare(assetType) && assetType !== "index")
    return newest.date < addDays(dateOf(now), -STALE_DAYS);
  const last = lastCompletedSession(country, now, holidays);
  return newest.date < sessionBefore(instrument, last, holidays);
}

/**
 * The figures of an instrument from which rules are judged, in the currency of `converted`. Figures of prices are unknown
 * while the price is stale, and while it shows a split that is not known yet.
 */
export function figuresOf(
  company: CompanyMetrics,
  converted: ConvertedCompanies,
  medianOf: MedianOf,
  at: { readonly now: number; readonly holidays: readonly HolidayOverride[] },
): Figures {
  const isUnknown = company.showsUnknownSplit || isStale(company, at.now, at.holidays);
  return {
    read: (name) =>
      isUnknown && isOfPrices(METRICS[name]) ? null : metricReader(name, converted)(company),
    medianOf: (median) => medianOf(company, median),
  };
}
