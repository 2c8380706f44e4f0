import type { ForeignTrades } from "#domain/quote.ts";
import { usualVolumeOf } from "./bars.ts";
import { tradingDaysOf } from "./dates.ts";
import type { SampleMarket } from "./market.ts";
import { listingSeed } from "./profiles.ts";
import { uniformAt } from "./random.ts";
import type { SampleListing } from "./universe.ts";

/** The parts of a company's shares that foreigners may hold in Viet Nam. */
const LIMIT = { "financial-services": 0.3, other: 0.49 } as const;
/** Their usual part of the trades. */
const PART = 0.12;

/** The trades of foreigners in a Vietnamese company in the newest session; null for others. */
export function foreignTrades(
  listing: SampleListing,
  { prices }: SampleMarket,
): ForeignTrades | null {
  const { country, symbol, sector, sharesOutstanding } = listing;
  const volume = usualVolumeOf(listing);
  const sessions = prices.sessions(tradingDaysOf(listing));
  const [date, close] = [sessions.at(-1), prices.closes(listing).at(-1)];
  if (country !== "VN" || sharesOutstanding === null || volume === null) return null;
  if (date === undefined || close === undefined || Number.isNaN(close)) return null;
  const seed = listingSeed(listing) + 61;
  const value = (at: number) =>
    Math.round(volume * close * PART * 2 * uniformAt(seed, 2 * sessions.length + at));
  // One company in eight has no room left.
  const free = Math.max(0, uniformAt(seed, 0) - 0.125);
  const limit = sector === "financial-services" ? LIMIT[sector] : LIMIT.other;
  return {
    country,
    symbol,
    date,
    boughtValue: value(1),
    soldValue: value(2),
    room: Math.floor(sharesOutstanding * limit * free),
  };
}
