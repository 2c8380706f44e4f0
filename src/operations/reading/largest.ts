import { CurrencyRates } from "#rollups/currency-rates.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/** Sorts matches by rank, then by market cap in dollars, largest first; unknown sizes come last. */
export function sortLargest(
  market: MarketStore,
  instruments: readonly StoredInstrument[],
  ranks: readonly number[],
): StoredInstrument[] {
  const rates = new CurrencyRates(market);
  const marketCaps =
    market.knownOn === null
      ? market.instruments.listMarketCaps(instruments.map(({ id }) => id))
      : new Map(instruments.map((one) => [one.id, sizeOf(market, one)]));
  return instruments
    .map((instrument, i) => {
      const size = marketCaps.get(instrument.id) ?? 0;
      const inDollars = size * (size > 0 ? (rates.find(instrument.currency, "USD") ?? 0) : 0);
      return { instrument, rank: ranks[i] ?? 0, inDollars };
    })
    .sort((a, b) => a.rank - b.rank || b.inDollars - a.inDollars)
    .map(({ instrument }) => instrument);
}

/** The market cap of an instrument on the day of the market; null if it is unknown. */
function sizeOf(market: MarketStore, instrument: StoredInstrument): number | null {
  const { id, country, symbol, sharesOutstanding } = instrument;
  const quote = market.documents.find("quotes", country, symbol);
  const price = quote?.price ?? market.bars.listNewest(id, 1)[0]?.close;
  return price !== undefined && sharesOutstanding !== null
    ? price * sharesOutstanding
    : (quote?.marketCap ?? null);
}
