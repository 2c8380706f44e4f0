import { sessionOpensAt, sessionsBetween } from "#analytics/sessions.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { localDateOf } from "#domain/country.ts";
import { addDays } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { fetchScreener, MAX_AGE_MS, readScreener } from "./screener.ts";
import { NASDAQ } from "./source.ts";

/** The longest supported time without a session: a week of closures with its weekends. */
const LONGEST_PAUSE_DAYS = 14;

/**
 * The latest price of every listed US share. The answer has no date: a price belongs to
 * the session that opened last, even while it is open.
 */
export const nasdaqQuotes = defineFetcher({
  kind: "quotes",
  source: NASDAQ,
  countries: ["US"],
  scope: "country",
  fetch: ({ now }, client) => {
    const openForMs = now - sessionOpensAt("US", localDateOf("US", now));
    // An answer from before the opening has the prices of the previous session.
    const maxAgeMs = openForMs >= 0 && openForMs < MAX_AGE_MS ? openForMs : MAX_AGE_MS;
    return fetchScreener(client, maxAgeMs);
  },
  *transform(raw: unknown, { now, holidayOverrides }) {
    const date = sessionOpenedLast(now, holidayOverrides);
    const lines = yield* readScreener(raw);
    for (const { symbol, lastSale, netChange, volume, marketCap } of lines) {
      if (lastSale === null) continue;
      // Cents are not binary fractions.
      const before = netChange === null ? 0 : Math.round((lastSale - netChange) * 1e4) / 1e4;
      yield {
        country: "US",
        symbol,
        date,
        price: lastSale,
        previousClose: before > 0 ? before : null,
        volume,
        marketCap,
        epsTtm: null,
        priceToBook: null,
        dividendYieldPercent: null,
      };
    }
  },
});

/** The date of the US session that opened last at `now` (UTC milliseconds). */
function sessionOpenedLast(now: number, overrides?: readonly HolidayOverride[]): string {
  const today = localDateOf("US", now);
  const latest = now < sessionOpensAt("US", today) ? addDays(today, -1) : today;
  const earliest = addDays(latest, -LONGEST_PAUSE_DAYS);
  return sessionsBetween("US", earliest, latest, overrides).at(-1) ?? latest;
}
