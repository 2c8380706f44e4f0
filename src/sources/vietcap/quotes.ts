import { Type } from "@sinclair/typebox";
import { maxPriceAgeMs, sessionOpenedLast } from "#analytics/sessions.ts";
import { SYMBOL_PATTERN } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { Nullable } from "#domain/schema.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { readList, textIn } from "#sources/list.ts";
import { EXCHANGES, fetchListing, MAX_AGE_MS, readListing } from "./listing.ts";
import { VIETCAP } from "./source.ts";

const readRow = answerReader(
  VIETCAP,
  Type.Object({
    code: Nullable(Type.String()),
    floor: Type.Optional(Nullable(Type.String())),
    isIndex: Type.Optional(Nullable(Type.Boolean())),
    /** In dong; absent or zero for a company that does not trade. */
    currentPrice: Type.Optional(Nullable(Type.Number())),
  }),
);
const SYMBOL = new RegExp(SYMBOL_PATTERN);

/**
 * The latest price of every listed company, from the list of all companies. The answer has no date:
 * a price belongs to the session that opened last, even while it is open.
 */
export const vietcapQuotes = defineFetcher({
  kind: "quotes",
  source: VIETCAP,
  countries: ["VN"],
  scope: "country",
  complements: true,
  fetch: ({ now }, client) => fetchListing(client, maxPriceAgeMs("VN", now, MAX_AGE_MS)),
  *transform(raw: unknown, { now, holidayOverrides }) {
    const date = sessionOpenedLast("VN", now, holidayOverrides);
    const quotes = new Map<string, Quote>();
    const rows = yield* readList(readListing(raw), readRow, (bad) => textIn(bad, "code"));
    for (const { code, floor, isIndex, currentPrice } of rows) {
      const symbol = (code ?? "").trim().toUpperCase();
      const isTraded = !isIndex && EXCHANGES.has(floor ?? "") && SYMBOL.test(symbol);
      if (!isTraded || !currentPrice || currentPrice <= 0) continue;
      quotes.set(symbol, {
        country: "VN",
        symbol,
        date,
        price: currentPrice,
        previousClose: null,
        volume: null,
        marketCap: null,
        epsTtm: null,
        priceToBook: null,
        dividendYieldPercent: null,
      });
    }
    if (quotes.size === 0) throw VIETCAP.error("nothing", "it has no prices");
    yield* quotes.values();
  },
});
