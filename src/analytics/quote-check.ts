import type { Instrument } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import type { Split } from "#domain/split.ts";
import { dailyLimit } from "./daily-limits.ts";
import { threshold } from "./plausibility.ts";

/** A checked record; null if none of it is stored. */
export interface Checked<T> {
  readonly record: T | null;
  /** Clauses: `price 100 after 1`. */
  readonly faults: readonly string[];
}

/**
 * The quote with a market cap that fits its price and a close before it in the same shares. The market cap is null if its
 * number of shares is far from both the shares outstanding and those of the stored quote. The whole
 * quote is a fault if its price is impossible after the close before.
 */
export function checkQuote(
  quote: Quote,
  known: {
    instrument: Instrument | null;
    stored: Quote | null;
    splits: readonly Split[] | null;
  },
): Checked<Quote> {
  const { instrument, stored, splits } = known;
  let { previousClose, marketCap } = quote;
  const move = previousClose === null ? 0 : Math.log(quote.price / previousClose);
  if (previousClose !== null && Math.abs(move) > greatestMove(previousClose, instrument)) {
    const split = splits?.find(({ exDate }) => exDate === quote.date);
    const ratio = split ? split.numerator / split.denominator : 1;
    if (Math.abs(move + Math.log(ratio)) > threshold("usMove"))
      return { record: null, faults: [`price ${quote.price} after ${previousClose}`] };
    previousClose /= ratio;
  }
  const faults: string[] = [];
  if (marketCap !== null && isWrongCap({ ...quote, marketCap }, instrument, stored)) {
    faults.push(`market cap ${marketCap} at price ${quote.price}`);
    marketCap = null;
  }
  return { record: { ...quote, previousClose, marketCap }, faults };
}

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
): boolean {
  const known = [
    instrument?.sharesOutstanding ?? null,
    stored?.marketCap ? stored.marketCap / stored.price : null,
  ].filter((shares) => shares !== null);
  const isFar = (shares: number) =>
    Math.abs(Math.log(marketCap / price / shares)) > Math.log(threshold("capOfShares"));
  return known.length > 0 && known.every(isFar);
}
