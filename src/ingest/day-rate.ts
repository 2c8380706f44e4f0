import { inversePairOf, pairOf } from "#domain/currency.ts";
import { daysBetween } from "#lib/date.ts";
import { SAMPLE } from "#sample/stamp.ts";
import type { MarketStore } from "#store/index.ts";

/** A close of a pair counts for this many days. So an ex-date of the next quarter has the newest rate. */
const LONGEST_GAP_DAYS = 100;

/**
 * The units of `to` for one unit of `from` on a day, through the dollar. They are the last closes of the stored
 * pairs at or before the day; null if one is missing, invented for the sample, or more than 100 days old.
 */
export function rateOnDay(
  market: MarketStore,
  from: string,
  to: string,
  date: string,
): number | null {
  if (from === to) return 1;
  const [source, target] = [from, to].map((currency) => perDollar(market, currency, date));
  return source && target ? target / source : null;
}

/** The price of a dollar in a currency; null if it is unknown. */
function perDollar(market: MarketStore, currency: string, date: string): number | null {
  if (currency === "USD") return 1;
  const inverse = closeOn(market, inversePairOf(currency), date);
  return closeOn(market, pairOf(currency), date) ?? (inverse && 1 / inverse);
}

function closeOn({ instruments, bars }: MarketStore, symbol: string, date: string): number | null {
  const [country] = instruments.listCountries(symbol);
  const pair = country && instruments.find({ country, symbol });
  if (!pair || bars.findProvenance(pair.id)?.source === SAMPLE) return null;
  const bar = bars.findAtOrBefore(pair.id, date);
  return bar && daysBetween(bar.date, date) <= LONGEST_GAP_DAYS ? bar.close : null;
}
