import { lastCompletedSession } from "#analytics/sessions.ts";
import type { Quote } from "#domain/quote.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { fetchScreener, parseScreener } from "./screener.ts";
import { NASDAQ } from "./source.ts";

/**
 * The latest price of every listed US share. The answer carries no date: it is taken to be of the last
 * completed session, which it is when asked between the close and the next opening.
 */
export const nasdaqQuotes = defineFetcher({
  kind: "quotes",
  source: NASDAQ,
  countries: ["US"],
  scope: "country",
  fetch: (_query, client) => fetchScreener(client),
  transform(raw: unknown, { now, holidayOverrides }): Quote[] {
    const date = lastCompletedSession("US", now, holidayOverrides);
    return parseScreener(raw).flatMap(({ symbol, lastSale, netChange, volume, marketCap }) => {
      if (lastSale === null) return [];
      // Cents are no binary fractions.
      const before = netChange === null ? 0 : Math.round((lastSale - netChange) * 1e4) / 1e4;
      return {
        country: "US" as const,
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
    });
  },
});
