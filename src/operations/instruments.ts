import { BourseError } from "#domain/errors.ts";
import { type Instrument, type InstrumentKey, isCompany } from "#domain/instrument.ts";
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
 * Refuses an instrument that is no company, and so has nothing of what was asked.
 *
 * @throws BourseError `not_found`, naming the instrument's type and what works for it
 */
export function requireCompany(
  { country, symbol, assetType }: Pick<Instrument, "country" | "symbol" | "assetType">,
  what: string,
): void {
  if (isCompany(assetType)) return;
  throw new BourseError(
    "not_found",
    `${symbol} in ${country} has no ${what}: it is of type ${assetType}, not a company.`,
    { param: "symbol", hint: "get_stock_overview and get_stock_technicals work for it." },
  );
}

/**
 * The known symbol that an unknown one probably means: the part before another service's suffix
 * (`7203.T`), the instrument of which it is an alias (`SPX`), or the closest. Null where no symbol is
 * close.
 */
export function findNearSymbol(
  market: MarketStore,
  { country, symbol }: InstrumentKey,
): string | null {
  const [stem = ""] = symbol.split(".");
  if (stem !== symbol && market.instruments.find({ country, symbol: stem })) return stem;
  const found = market.instruments.search({ country, query: symbol }, { limit: 10, after: null });
  const meant = found.instruments.find(({ aliases }) => aliases?.split("|").includes(symbol));
  return (
    meant?.symbol ??
    closest(symbol, market.instruments.listSymbols(country, closestLengths(symbol)))
  );
}
