import { maxPriceAgeMs, sessionOpenedLast } from "#analytics/sessions.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { fetchScreener, MAX_AGE_MS, readScreener } from "./screener.ts";
import { NASDAQ } from "./source.ts";

/**
 * The latest price of every listed US share. The answer has no date: a price belongs to
 * the session that opened last, even while it is open.
 */
export const nasdaqQuotes = defineFetcher({
  kind: "quotes",
  source: NASDAQ,
  countries: ["US"],
  scope: "country",
  fetch: ({ now }, client) => fetchScreener(client, maxPriceAgeMs("US", now, MAX_AGE_MS)),
  *transform(raw: unknown, { now, holidayOverrides }) {
    const date = sessionOpenedLast("US", now, holidayOverrides);
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
