import type { Country } from "#domain/country.ts";
import { uncoveredExchange } from "#domain/exchanges.ts";
import type { Instrument, InstrumentKey } from "#domain/instrument.ts";
import { closest, closestLengths } from "#lib/closest.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { sortLargest } from "./largest.ts";
import { findByCode } from "./symbol-meaning.ts";

/** Matches of a name among which the largest company is found. */
const CANDIDATES = 20;

/**
 * The instrument that an unknown symbol or name probably means, in one of the countries: the one with
 * this name, or the one with the closest symbol. Null if nothing is close.
 */
export function findNear(
  market: MarketStore,
  text: string,
  countries: readonly Country[],
): InstrumentKey | null {
  return findNamed(market, text, countries) ?? findClosest(market, text, countries);
}

/**
 * The instrument that a text names in another way than by its symbol, in the first country that has one: without
 * doubt (`SPX`, `FB`), with the suffix of another service (`7203.X`), as a class (`BRK`), or as the largest company
 * whose name starts with these words (`Toyota`).
 */
export function findNamed(
  market: MarketStore,
  text: string,
  countries: readonly Country[],
): InstrumentKey | null {
  for (const country of countries) {
    const known = findByCode(market, text, country)?.instrument ?? findStem(market, text, country);
    if (known && market.instruments.wasListed(known)) return known;
    const { instruments } = market.instruments.listBest({ country, query: text }, CANDIDATES);
    const named = instruments.filter(
      (one) => one.assetType !== "currency" && nameRank(one, text) < 2,
    );
    const ranks = named.map((one) => nameRank(one, text));
    const [best] = sortLargest(market, named, ranks);
    if (best) return best;
  }
  return null;
}

/** The instrument whose symbol is before the suffix of an unknown service. */
export function findStem(
  market: MarketStore,
  text: string,
  country: Country,
): StoredInstrument | null {
  const [stem = ""] = text.split(".");
  if (stem === text || uncoveredExchange(text) !== null) return null;
  const found = market.instruments.find({ country, symbol: stem });
  return found && market.instruments.wasListed(found) ? found : null;
}

/** 0 if it has this alias or is a class of this symbol (`BRK.B` of `BRK`), 1 if its name starts with these words, 2 otherwise. */
function nameRank({ symbol, name, aliases }: Instrument, text: string): number {
  const words = text.toUpperCase();
  if (symbol.startsWith(`${words}.`)) return 0;
  if (aliases?.toUpperCase().split("|").includes(words)) return 0;
  const upper = name.toUpperCase();
  return upper.startsWith(words) && !/^[\p{L}\p{N}]/u.test(upper.slice(words.length)) ? 1 : 2;
}

/** Symbols of fewer letters, and codes of digits, are as close to other companies' as to their own. */
const CAN_BE_MISTYPED = /^[A-Z.^=-]{4,}$/;

/**
 * The instrument of the countries with the closest symbol of the same first character; null if none is close, or if
 * the text is too short to tell a mistake from another company.
 */
export function findClosest(
  market: MarketStore,
  text: string,
  countries: readonly Country[],
): InstrumentKey | null {
  if (!CAN_BE_MISTYPED.test(text)) return null;
  const bounds = { ...closestLengths(text), first: text.slice(0, 1) };
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

/** Fewer letters are in too many names. */
const MIN_SIMILAR = 5;

/** The instrument of a country whose name is similar to a text: Microsoft for `MICROSFT`; null if none is. */
export function findSimilar(
  market: MarketStore,
  text: string,
  country: Country,
): StoredInstrument | null {
  if (text.length < MIN_SIMILAR) return null;
  return market.instruments.listSimilar({ country, query: text }, 1)[0] ?? null;
}
