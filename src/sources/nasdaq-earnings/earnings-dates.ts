import { sessionsBetween } from "#analytics/sessions.ts";
import type { EarningsDate } from "#domain/analyst-coverage.ts";
import { localDateOf } from "#domain/country.ts";
import { addDays } from "#lib/date.ts";
import { lookup } from "#lib/lookup.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { type CalendarDay, dollars, reportsOf, requestDays } from "./calendar-days.ts";
import { NASDAQ_EARNINGS } from "./source.ts";

const SESSIONS_AHEAD = 20;
const SESSIONS: Readonly<Record<string, EarningsDate["session"]>> = {
  "time-pre-market": "before_market_open",
  "time-after-hours": "after_market_close",
};

/** The next report of every US company that reports from today to 20 sessions ahead. */
export const nasdaqEarnings = defineFetcher({
  kind: "earningsDates",
  source: NASDAQ_EARNINGS,
  countries: ["US"],
  scope: "country",
  async fetch(query, client): Promise<CalendarDay[]> {
    const { now, holidayOverrides } = query;
    const today = localDateOf("US", now);
    const end = addDays(today, 2 * SESSIONS_AHEAD);
    const dates = sessionsBetween("US", today, end, holidayOverrides);
    return await requestDays(dates.slice(0, SESSIONS_AHEAD + 1), client, query);
  },
  *transform(days) {
    const known = new Set<string>();
    for (const { symbol, date, ...row } of reportsOf(days)) {
      if (known.has(symbol)) continue;
      known.add(symbol);
      const analysts = /^\d{1,4}$/.test(row.noOfEsts ?? "") ? Number(row.noOfEsts) : null;
      yield {
        country: "US",
        symbol,
        date,
        session: lookup(SESSIONS, row.time ?? "") ?? "not_supplied",
        fiscalPeriod: fiscalPeriod(row.fiscalQuarterEnding ?? ""),
        epsEstimate: dollars(row.epsForecast),
        revenueEstimate: null,
        analysts,
      };
    }
    if (known.size === 0) throw NASDAQ_EARNINGS.error("nothing", "no report is announced");
  },
});

/** `May/2024`, the month in which the fiscal quarter ends, as `May 2024`; null for anything else. */
function fiscalPeriod(text: string): string | null {
  const match = /^([A-Z][a-z]{2})\/(\d{4})$/.exec(text.trim());
  return match ? `${match[1]} ${match[2]}` : null;
}
