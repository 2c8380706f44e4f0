import { BourseError } from "#domain/errors.ts";
import { type Instrument, type InstrumentKey, isCompany } from "#domain/instrument.ts";
import { closest, closestLengths } from "#lib/closest.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";

/**
 * The instrument with this country and symbol.
 *
 * @throws BourseError `not_found`, with the countries in which the symbol exists, or the closest symbol
 */
export function getInstrument(market: MarketStore, key: InstrumentKey): StoredInstrument {
  const instrument = market.instruments.find(key);
  if (instrument) return instrument;
  const { country, symbol } = key;
  const elsewhere = market.instruments.listCountries(symbol);
  const suggestion = elsewhere.length > 0 ? null : findNearSymbol(market, key);
  const hint =
    elsewhere.length > 0
      ? `It exists in ${elsewhere.join(" and ")}: use that country.`
      : `${suggestion === null ? "" : `Did you mean ${suggestion}? `}Call list_symbols with a query to find a symbol by name.`;
  throw new BourseError("not_found", `Symbol ${symbol} not found in ${country}.`, {
    param: "symbol",
    hint,
  });
}

/**
 * Refuses an instrument that is not a company.
 *
 * @param what the data that only companies have: `statements`
 * @throws BourseError `not_found`, with the instrument's type and the tools that support it
 */
export function requireCompany(
  { country, symbol, assetType }: Pick<Instrument, "country" | "symbol" | "assetType">,
  what: string,
): void {
  if (isCompany(assetType)) return;
  throw new BourseError(
    "not_found",
    `${symbol} in ${country} has no ${what}: it is of type ${assetType}, not a company.`,
    { param: "symbol", hint: "Call get_stock_overview or get_stock_technicals instead." },
  );
}

/**
 * The symbol that an unknown symbol probably means: the part before the suffix of another service
 * (`7203.T`), the instrument with this alias (`SPX`), or the closest symbol. Null if no symbol is close.
 */
export function findNearSymbol(
  market: MarketStore,
  { country, symbol }: InstrumentKey,
): string | null {
  const [stem = ""] = symbol.split(".");
  if (stem !== symbol && market.instruments.find({ country, symbol: stem })) return stem;
  const found = market.instruments.search({ country, query: symbol }, { limit: 10, after: null });
  const aliased = found.instruments.find(({ aliases }) => aliases?.split("|").includes(symbol));
  return (
    aliased?.symbol ??
    closest(symbol, market.instruments.listSymbols(country, closestLengths(symbol)))
  );
}
