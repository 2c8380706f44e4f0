import { priceLimits, type SessionLimits, withDistances } from "#analytics/price-limits.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import type { Quote } from "#domain/quote.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { type NewestPrice, sessionBefore } from "./prices.ts";

/** What is known of an instrument beside its prices. */
interface Evidence {
  readonly quote: Quote | null;
  readonly dividends: DividendHistory["dividends"] | null;
}

/**
 * The limits of an instrument's newest session: as its quote names them, else from the close of the session before. Null
 * if the reference can be another price: after a session without a price, on the day of a split, in Viet Nam on an
 * ex-date, or while the dividends there are unknown.
 */
export function sessionLimits(
  market: MarketStore,
  instrument: StoredInstrument,
  newest: NewestPrice | null,
  { quote, dividends }: Evidence,
): SessionLimits | null {
  const { country, symbol } = instrument;
  if (country === "US" || newest === null) return null;
  const { date, close, previousClose, previousDate } = newest;
  const splits = market.documents.find("splits", country, symbol)?.splits ?? [];
  // A later split has changed the stored prices.
  if (splits.some(({ exDate }) => exDate > date)) return null;
  if (quote?.limits && quote.date === date) return withDistances(quote.limits, close);
  const limits = previousClose === null ? null : priceLimits(instrument, previousClose);
  if (limits === null || previousDate !== sessionBefore(instrument, date)) return null;
  const moves = country === "VN" ? dividends : [];
  const isExDate = [...(moves ?? []), ...splits].some(({ exDate }) => exDate === date);
  return moves === null || isExDate ? null : withDistances(limits, close);
}
