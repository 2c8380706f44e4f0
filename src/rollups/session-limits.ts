import { priceLimits, type SessionLimits, withDistances } from "#analytics/price-limits.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { type NewestPrice, sessionBefore } from "./prices.ts";

/**
 * The limits of an instrument's newest session, from the close of the session before. Null if the reference can be
 * another price: after a session without a price, on the day of a split, in Viet Nam on an ex-date, or while the
 * dividends there are unknown.
 */
export function sessionLimits(
  market: MarketStore,
  instrument: StoredInstrument,
  newest: NewestPrice | null,
  dividends: DividendHistory["dividends"] | null,
): SessionLimits | null {
  const { country, symbol } = instrument;
  if (country === "US" || newest === null || newest.previousClose === null) return null;
  const { date, close, previousClose, previousDate } = newest;
  const limits = priceLimits(instrument, previousClose);
  if (limits === null || previousDate !== sessionBefore(instrument, date)) return null;
  const moves = country === "VN" ? dividends : [];
  const splits = market.documents.find("splits", country, symbol)?.splits ?? [];
  // A later split has changed the stored closes.
  if (
    !moves ||
    moves.some((one) => one.exDate === date) ||
    splits.some((one) => one.exDate >= date)
  )
    return null;
  return withDistances(limits, close);
}
