import { BourseError } from "#domain/errors.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { closest, closestLengths } from "#lib/closest.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/**
 * The instrument of that symbol in that country.
 *
 * @throws BourseError `not_found`, naming the countries that know the symbol, or the closest symbol
 */
export function getInstrument(market: MarketStore, key: InstrumentKey): StoredInstrument {
  const instrument = market.instruments.find(key);
  if (instrument) return instrument;
  const { country, symbol } = key;
  const elsewhere = market.instruments.listCountries(symbol);
  const near = elsewhere.length > 0 ? null : findNearSymbol(market, key);
  const hint =
    elsewhere.length > 0
      ? `It is known in ${elsewhere.join(" and ")}: ask with that country.`
      : `${near === null ? "" : `Did you mean ${near}? `}Call list_symbols with a query to find a symbol by name.`;
  throw new BourseError("not_found", `Symbol ${symbol} not found in ${country}.`, {
    param: "symbol",
    hint,
  });
}

/**
 * The known symbol that an unknown one probably means: the part before another service's suffix
 * (`7203.T`), or the closest. Null where no symbol is close.
 */
export function findNearSymbol(
  market: MarketStore,
  { country, symbol }: InstrumentKey,
): string | null {
  const [stem = ""] = symbol.split(".");
  if (stem !== symbol && market.instruments.find({ country, symbol: stem })) return stem;
  return closest(symbol, market.instruments.listSymbols(country, closestLengths(symbol)));
}
