import type { Instrument } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { ratioOf, type Split } from "#domain/split.ts";
import { adjustPreviousClose } from "#domain/split-adjustment.ts";
import { addDays } from "#lib/date.ts";
import { dailyLimit } from "./daily-limits.ts";
import { unitOfShift } from "./other-units.ts";
import { threshold } from "./plausibility.ts";

/** A checked record; null if it must not be stored. */
export interface Checked<T> {
  readonly record: T | null;
  /** Clauses: `price 100 after 1`. */
  readonly faults: readonly string[];
}

/**
 * Checks a quote. A previous close in the shares before a split of the day is divided. The whole quote is a fault if
 * its price is impossible after the previous close, or in another unit than the stored quote.
 *
 * The market cap is null if market cap / price is far from all known numbers of shares: the shares outstanding, the
 * stored quote's market cap / price, and the newest statement's. The last one alone only shows another unit.
 */
export function checkQuote(
  quote: Quote,
  known: {
    instrument: Instrument | null;
    stored: Quote | null;
    splits: readonly Split[] | null;
    /** Finds the shares of the newest statement; null if unknown. ADRs make them differ from the traded shares. */
    findStatedShares?: () => number | null;
  },
): Checked<Quote> {
  const { instrument, stored, splits, findStatedShares = () => null } = known;
  const split = splits?.find(({ exDate }) => exDate === quote.date);
  const even = split ? adjustPreviousClose(quote, ratioOf(split)) : quote;
  const { price, previousClose, marketCap } = even;
  if (
    previousClose !== null &&
    Math.abs(Math.log(price / previousClose)) > greatestMove(previousClose, instrument)
  )
    return { record: null, faults: [`price ${price} after ${quote.previousClose}`] };
  if (stored && isOtherUnit(even, stored))
    return { record: null, faults: [`price ${price} after ${stored.price}, in another unit`] };
  if (
    marketCap === null ||
    !isWrongCap({ ...even, marketCap }, instrument, stored, findStatedShares)
  )
    return { record: even, faults: [] };
  return {
    record: { ...even, marketCap: null },
    faults: [`market cap ${marketCap} at price ${price}`],
  };
}

/**
 * True if both price and market cap are twenty times, or a twentieth, of a stored quote of the last four
 * weeks. An unknown split changes the price only.
 */
function isOtherUnit(quote: Quote, stored: Quote): boolean {
  if (quote.date > addDays(stored.date, UNIT_DAYS) || !quote.marketCap || !stored.marketCap)
    return false;
  const move = Math.log(quote.price / stored.price);
  const ofCap = Math.log(quote.marketCap / stored.marketCap);
  const least = threshold("unit");
  return Math.abs(move) >= least && Math.abs(ofCap) >= least && move * ofCap > 0;
}

/** Common shares of a statement and of a quote differ by less than a factor of two. */
const SAME_COUNT = 0.3;

/** Days of a stored quote after which its price says nothing about the unit. */
const UNIT_DAYS = 28;

/** The largest move of a price in one session that is not a fault for certain. */
function greatestMove(previousClose: number, instrument: Instrument | null): number {
  const limit = instrument && dailyLimit(instrument, previousClose, previousClose);
  if (limit === null) return threshold("quoteMove");
  return Math.log1p(limit * threshold("tokyoWidened") + threshold("tick"));
}

function isWrongCap(
  { price, marketCap }: Quote & { marketCap: number },
  instrument: Instrument | null,
  stored: Quote | null,
  findStatedShares: () => number | null,
): boolean {
  const known = [
    instrument?.sharesOutstanding ?? null,
    stored?.marketCap ? stored.marketCap / stored.price : null,
  ].filter((shares) => shares !== null);
  const isFar = (shares: number) =>
    Math.abs(Math.log(marketCap / price / shares)) > Math.log(threshold("capOfShares"));
  if (!known.every(isFar)) return false;
  const stated = findStatedShares();
  if (known.length > 0) return stated === null || isFar(stated);
  if (!stated) return false;
  // The number of common shares may be 400 times the number of ADRs.
  return unitOfShift(Math.log10(marketCap / price / stated), SAME_COUNT) !== null;
}
