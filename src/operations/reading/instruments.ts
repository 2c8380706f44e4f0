import { knownStatements } from "#analytics/ttm.ts";
import { filedShares } from "#analytics/valuation.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { notFound } from "#domain/errors.ts";
import { type Instrument, type InstrumentKey, isCompany } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { dateOf } from "#lib/date.ts";
import { STATEMENT_YEARS } from "#rollups/companies.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { findClosest, findNamed, findSimilar } from "./near-symbols.ts";
import { explainUnknown, findReferences } from "./symbol-meaning.ts";
import { oppositePair, withoutKind } from "./symbol-notation.ts";

/**
 * The instrument with this country and symbol.
 *
 * @throws BourseError `not_found`, with the countries in which the symbol exists, what became of it, or the
 * closest symbol
 */
export function getInstrument(market: MarketStore, key: InstrumentKey): StoredInstrument {
  const instrument = market.instruments.find(key);
  if (instrument) return instrument;
  const { country, symbol } = key;
  const elsewhere = market.instruments.listCountries(symbol).filter((one) => {
    const other = market.instruments.find({ country: one, symbol });
    return other !== null && market.instruments.wasListed(other);
  });
  const known = explainUnknown(market, symbol, [country]);
  const reason = known ? ` ${known.reason}.` : "";
  const hint = known?.instead
    ? `Use country ${known.instead.country} and symbol ${known.instead.symbol}.`
    : elsewhere.length > 0
      ? `It exists in ${elsewhere.join(" and ")}: use that country.${referenceHint(market, symbol)}`
      : known
        ? SEARCH
        : suggestionFor(market, key);
  throw notFound(`Symbol ${symbol} not found in ${country}.${reason}`, { param: "symbol", hint });
}

/** The index or commodity that has this name, as a sentence; empty if none has. */
function referenceHint(market: MarketStore, symbol: string): string {
  const [found] = findReferences(market, symbol);
  return found ? ` For ${found.name} use symbol ${found.symbol} in ${found.country}.` : "";
}

const SEARCH = "Call list_symbols with a query to find a symbol by name.";

function suggestionFor(market: MarketStore, { country, symbol: written }: InstrumentKey): string {
  const symbol = withoutKind(written);
  const others = COUNTRY_CODES.filter((one) => one !== country);
  const named = findNamed(market, symbol, [country]) ?? findNamed(market, symbol, others);
  const mistyped = named ? null : findClosest(market, symbol, [country]);
  const near = named ?? mistyped ?? findSimilar(market, symbol, country);
  if (near !== null) {
    const place = near.country === country ? "" : ` in country ${near.country}`;
    const name = mistyped ? undefined : market.instruments.find(near)?.name;
    const about = name === undefined ? "" : ` It is ${name.replace(/\.$/, "")}.`;
    return `Did you mean ${near.symbol}${place}?${about} ${SEARCH}`;
  }
  const opposite = oppositePair(symbol);
  const [pair] = COUNTRY_CODES.flatMap(
    (one) => (opposite && market.instruments.find({ country: one, symbol: opposite })) ?? [],
  );
  return pair
    ? `The opposite pair is ${pair.symbol} in country ${pair.country}, ${pair.name}.`
    : SEARCH;
}

/**
 * The market cap of an instrument at a price, in whole units of its currency: by its number of shares. If
 * that is unknown, or the quote shows a split that is not known yet, it is the quoted market cap. If that is unknown too,
 * it is by the filed number of shares, as in roll-ups. Null without one.
 *
 * @param now UTC milliseconds
 */
export function marketCapOf(
  market: MarketStore,
  instrument: StoredInstrument,
  { price, quote, now }: { price: number | null; quote: Quote | null; now: number },
): number | null {
  const isSplit = market.showsUnknownSplit(instrument);
  const { sharesOutstanding } = instrument;
  if (price !== null && sharesOutstanding !== null && !isSplit)
    return Math.round(price * sharesOutstanding);
  const quoted = quote?.marketCap ?? null;
  if (quoted !== null) return quoted;
  if (price === null || isSplit || !isCompany(instrument.assetType)) return null;
  const { country, symbol } = instrument;
  const statements = market.statements.listLatest(instrument, STATEMENT_YEARS);
  const knowsSplits = () => market.documents.find("splits", country, symbol) !== null;
  const filed = filedShares({ instrument, knowsSplits }, knownStatements(statements, dateOf(now)));
  return filed === null ? null : Math.round(price * filed);
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
  throw notFound(
    `${symbol} in ${country} has no ${what}: it is of type ${assetType}, not a company.`,
    { param: "symbol", hint: "Call get_stock_overview or get_stock_technicals instead." },
  );
}
