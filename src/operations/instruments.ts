import type { Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { FORMER_SYMBOLS } from "#domain/former-symbols.ts";
import { type Instrument, type InstrumentKey, isCompany } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
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
  const suggestion =
    elsewhere.length > 0 ? null : (findNear(market, symbol, [country])?.symbol ?? null);
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
 * The market cap of an instrument at a price, in whole units of its currency: by its number of shares, else
 * as quoted. Null if unknown.
 */
export function marketCapOf(
  { sharesOutstanding }: Instrument,
  price: number | null,
  quote: Quote | null,
): number | null {
  return price !== null && sharesOutstanding !== null
    ? Math.round(price * sharesOutstanding)
    : (quote?.marketCap ?? null);
}

/** The US company that had this symbol (upper case) before it was renamed; null if it is not known. */
export function findRenamed(market: MarketStore, symbol: string): StoredInstrument | null {
  const today = FORMER_SYMBOLS.get(symbol);
  if (today === undefined) return null;
  const owner = market.instruments.find({ country: "US", symbol });
  const isReused = owner !== null && owner.delistedAt === undefined;
  return isReused ? null : market.instruments.find({ country: "US", symbol: today });
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
 * The instrument that an unknown symbol or name probably means, in one of the countries: the company that
 * had this symbol, the part before
 * the suffix of another service (`7203.X`), the instrument with this alias (`SPX`) or with a name that
 * starts with these words (`Toyota`), or the closest symbol. Null if nothing is close.
 */
export function findNear(
  market: MarketStore,
  text: string,
  countries: readonly Country[],
): InstrumentKey | null {
  const renamed = countries.includes("US") ? findRenamed(market, text) : null;
  if (renamed) return renamed;
  const [stem = ""] = text.split(".");
  const words = text.toUpperCase();
  for (const country of countries) {
    const byStem = stem !== text && market.instruments.find({ country, symbol: stem });
    if (byStem) return byStem;
    const { instruments } = market.instruments.search(
      { country, query: text },
      { limit: 10, after: null },
    );
    const named =
      instruments.find(({ aliases }) => aliases?.toUpperCase().split("|").includes(words)) ??
      instruments.find(({ name }) => `${name.toUpperCase()} `.startsWith(`${words} `));
    if (named) return named;
  }
  const bounds = { ...closestLengths(text), first: text.slice(0, 1), last: text.slice(-1) };
  const nearest = countries.flatMap((country) => {
    const symbol = closest(text, market.instruments.listSymbols(country, bounds));
    return symbol === null ? [] : { country, symbol };
  });
  const symbol = closest(
    text,
    nearest.map((one) => one.symbol),
  );
  return nearest.find((one) => one.symbol === symbol) ?? null;
}
