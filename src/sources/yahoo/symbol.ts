import type { Country } from "#domain/country.ts";
import { type Instrument, isCompany, isShare } from "#domain/instrument.ts";
import { YAHOO } from "./source.ts";

const SUFFIXES: Readonly<Record<Country, string>> = { US: "", JP: ".T", VN: ".VN" };

/** Indices with another symbol at Yahoo. */
const INDEX_SYMBOLS: ReadonlyMap<string, string> = new Map([["VNINDEX", "^VNINDEX.VN"]]);

/**
 * Yahoo's symbol of an instrument: `BRK-B` for BRK.B, `7203.T`, `FPT.VN`. Other instruments than
 * shares are stored under Yahoo's own symbol.
 *
 * @throws SourceError `nothing` for an index that Yahoo does not have
 */
export function yahooSymbol(
  instrument: Pick<Instrument, "country" | "symbol" | "assetType">,
): string {
  const { country, symbol, assetType } = instrument;
  if (isShare(assetType)) return symbol.replaceAll(".", "-") + SUFFIXES[country];
  const known = INDEX_SYMBOLS.get(symbol) ?? symbol;
  if (assetType === "index" && !known.startsWith("^")) throw nothingFor(instrument);
  return known;
}

/** Our symbol for a share that Yahoo lists in the country; null if its exchange is in another country. */
export function storedSymbol(country: Country, symbol: string): string | null {
  const suffix = SUFFIXES[country];
  if (!symbol.endsWith(suffix)) return null;
  const stored = symbol.slice(0, symbol.length - suffix.length);
  // One letter after a hyphen is a class of shares; more are preferred shares, units or warrants.
  return country === "US" ? stored.replace(/-([A-Z])$/, ".$1") : stored;
}

/** The requested instrument. @throws SourceError `nothing` if it is not a company */
export function companyOf({ instrument }: { instrument: Instrument | null }): Instrument {
  const requested = instrumentOf({ instrument });
  if (!isCompany(requested.assetType)) throw nothingFor(requested);
  return requested;
}

/** The requested instrument. @throws SourceError `nothing` if it does not trade in shares */
export function shareOf({ instrument }: { instrument: Instrument | null }): Instrument {
  const requested = instrumentOf({ instrument });
  if (!isShare(requested.assetType)) throw nothingFor(requested);
  return requested;
}

/** The requested instrument. @throws SourceError `nothing` without one */
export function instrumentOf({ instrument }: { instrument: Instrument | null }): Instrument {
  if (instrument === null) throw YAHOO.error("nothing", "the request names no instrument");
  return instrument;
}

function nothingFor({ country, symbol }: Pick<Instrument, "country" | "symbol">) {
  return YAHOO.error("nothing", `it has no such record of ${symbol} (${country})`);
}
