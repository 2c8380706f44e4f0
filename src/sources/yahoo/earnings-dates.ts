import type { EarningsDate } from "#domain/analyst-coverage.ts";
import { timeIn } from "#lib/zone.ts";
import { COUNTRIES } from "#domain/country.ts";
import { daysBetween, isDate, MONTH_NAMES } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { datesIn, figureOf, isIn } from "./answer.ts";
import { countOf } from "./analyst-coverage.ts";
import { monthOfEnd } from "./fiscal-period.ts";
import { requestQuoteSummary, parseQuoteSummary } from "./quote-summary.ts";
import { YAHOO } from "./source.ts";
import { companyOf } from "./symbol.ts";

/** No report is later than this after the end of its quarter. */
const LATEST_REPORT_DAYS = 120;

/**
 * The next report of a company. If the date is an estimate, it is the first day of the range that
 * Yahoo gives, and the session is unknown.
 */
export const yahooEarningsDate = defineFetcher({
  kind: "earningsDates",
  source: YAHOO,
  countries: ["US"],
  scope: "instrument",
  fetch: async (query, client) => requestQuoteSummary(client, companyOf(query)),
  transform(answer: unknown, query) {
    const company = companyOf(query);
    const { country, symbol, currency } = company;
    const summary = parseQuoteSummary(answer, company);
    const earnings = summary.calendarEvents?.earnings;
    const dateAt = datesIn(COUNTRIES[country].timeZone);
    const today = dateAt(query.now / 1000);
    const [next] = (earnings?.earningsDate ?? [])
      .map(figureOf)
      .filter((at) => at !== null && dateAt(at) >= today)
      .sort((a, b) => Number(a) - Number(b));
    if (next === null || next === undefined) {
      throw YAHOO.error("nothing", "it has no upcoming report of the company");
    }
    const date = dateAt(next);
    const quarter = summary.earningsTrend?.trend.find(({ period }) => period === "0q");
    const estimate = quarter?.earningsEstimate;
    const financial = summary.financialData?.financialCurrency;
    const isInCurrency = isIn(currency, estimate?.earningsCurrency ?? financial);
    const hasRevenue = isIn(currency, quarter?.revenueEstimate?.revenueCurrency ?? financial);
    return [
      {
        country,
        symbol,
        date,
        session: earnings?.isEarningsDateEstimate === false ? sessionAt(next) : "not_supplied",
        fiscalPeriod: fiscalPeriodText(quarter?.endDate ?? "", date),
        epsEstimate: isInCurrency ? figureOf(earnings?.earningsAverage) : null,
        revenueEstimate: hasRevenue ? figureOf(earnings?.revenueAverage) : null,
        analysts: isInCurrency ? countOf(estimate?.numberOfAnalysts) : null,
      },
    ];
  },
});

/** The session by New York's clock: reports come from 4 to 9:30 and from 16 o'clock. */
function sessionAt(epochSeconds: number): EarningsDate["session"] {
  const time = timeIn(COUNTRIES.US.timeZone, epochSeconds * 1000);
  if (time >= "04:00" && time < "09:30") return "before_market_open";
  return time >= "16:00" ? "after_market_close" : "not_supplied";
}

/**
 * The month in which the quarter ends that analysts estimate now, `Mar 2025`; null if the report
 * cannot be about it. Yahoo does not say how the company names its quarter.
 */
function fiscalPeriodText(quarterEnd: string, reportDate: string): string | null {
  if (!isDate(quarterEnd)) return null;
  const days = daysBetween(quarterEnd, reportDate);
  if (days < 0 || days > LATEST_REPORT_DAYS) return null;
  const { year, month } = monthOfEnd(quarterEnd);
  return `${MONTH_NAMES[month - 1]} ${year}`;
}
