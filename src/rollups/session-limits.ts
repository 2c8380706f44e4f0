import {
  priceLimits,
  type SessionLimits,
  withDistances,
  withoutWidened,
} from "#analytics/price-limits.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import type { Quote } from "#domain/quote.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { type NewestPrice, sessionBefore } from "./prices.ts";

/** What is known of an instrument beside its prices. */
interface Evidence {
  readonly quote: Quote | null;
  readonly dividends: DividendHistory["dividends"] | null;
  /** The day until which splits are in force, YYYY-MM-DD. */
  readonly asOf: string;
}

/** The closes that show whether Tokyo has widened a limit. */
const SESSIONS_BEFORE = 3;

/**
 * The limits of an instrument's newest session: as its quote names them, else from the close of the session before. Null
 * if the reference can be another price: after a session without a price, on the day of a split, in Viet Nam on an
 * ex-date, or while the dividends there are unknown. A limit in Tokyo that may be wider is null.
 */
export function sessionLimits(
  market: MarketStore,
  instrument: StoredInstrument,
  newest: NewestPrice | null,
  { quote, dividends, asOf }: Evidence,
): SessionLimits | null {
  const { country, symbol } = instrument;
  if (country === "US" || newest === null) return null;
  const { date, close, previousClose, previousDate } = newest;
  const splits = market.documents.find("splits", country, symbol)?.splits ?? [];
  // A later split has changed the stored prices.
  if (splits.some(({ exDate }) => exDate > date && exDate <= asOf)) return null;
  if (quote?.limits && quote.date === date) return withDistances(quote.limits, close);
  const limits = previousClose === null ? null : priceLimits(instrument, previousClose);
  if (limits === null || previousDate !== sessionBefore(instrument, date)) return null;
  const moves = country === "VN" ? dividends : [];
  const isExDate = [...(moves ?? []), ...splits].some(({ exDate }) => exDate === date);
  if (moves === null || isExDate) return null;
  const before = market.bars
    .listNewest(instrument.id, SESSIONS_BEFORE + 1)
    .filter((bar) => bar.date < date);
  const closes = before.map((bar) => bar.close);
  return withDistances(withoutWidened(limits, instrument, closes), close);
}
