import { changesShares, splitRatio } from "#domain/split.ts";
import { addDays } from "#lib/date.ts";
import type { CurrencyRates } from "#rollups/currency-rates.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { Holding } from "#operations/reading/holdings.ts";

/** What was paid for some units of an instrument. */
export interface Purchase {
  /** In units of today; negative if sold short. */
  readonly units: number;
  /** For one unit: of that day, or of today without a day. */
  readonly price: number;
  /** ISO code of the currency of the price. */
  readonly currency: string;
  /** The day of the purchase, YYYY-MM-DD; null if it is not known. */
  readonly date: string | null;
}

/** What was paid for a holding; null if that is not known. @param own the currency of the instrument's prices */
export function purchaseOf(holding: Holding, own: string): Purchase | null {
  const { quantity, cost, costCurrency = own, costDate = null } = holding;
  if (cost === undefined) return null;
  return { units: quantity, price: cost, currency: costCurrency, date: costDate };
}

/** Why a purchase cannot be taken, and what to write instead. */
interface PurchaseFault {
  readonly message: string;
  readonly hint: string;
}

/**
 * Finds what is wrong with a purchase; null if nothing is.
 *
 * @param key of the instrument, whose prices are in `own`
 * @param today YYYY-MM-DD in UTC; it can be a day later elsewhere
 */
export function findPurchaseFault(
  { price, currency, date }: Purchase,
  key: string,
  own: string,
  today: string,
): PurchaseFault | null {
  if (date === null && currency !== own)
    return {
      message: `The price paid for ${key} is in ${currency}, its prices are in ${own}.`,
      hint: `Give the day of the purchase, as in ${key}=10@${price}${currency}@2024-05-01, or the price paid in ${own}.`,
    };
  if (date === null || date <= addDays(today, 1)) return null;
  return {
    message: `The day of the purchase of ${key}, ${date}, is in the future.`,
    hint: "Give the day on which it was bought, or leave it out.",
  };
}

/** What a sum of purchases is computed with. */
interface CostInputs {
  readonly rates: CurrencyRates;
  /** ISO code of the currency of the result. */
  readonly currency: string;
  /** Until this day splits count, YYYY-MM-DD. */
  readonly today: string;
}

/**
 * What all purchases cost: each at the rate of its day, or the newest one without a day. The units are of today, so a
 * price of a day is divided by the splits after it. Null if a rate is not known.
 */
export function costOf(
  market: MarketStore,
  { country, symbol }: StoredInstrument,
  purchases: readonly Purchase[],
  { rates, currency: to, today }: CostInputs,
): number | null {
  const splits = market.documents.find("splits", country, symbol)?.splits ?? [];
  const ofShares = splits.filter((split) => changesShares(split, country));
  let sum = 0;
  for (const { units, price, currency, date } of purchases) {
    const rate = date === null ? rates.find(currency, to) : rates.findOn(currency, to, date);
    if (rate === null) return null;
    const ratio = date === null ? 1 : splitRatio(ofShares, date, today);
    sum += (units * price * rate) / ratio;
  }
  return sum;
}
