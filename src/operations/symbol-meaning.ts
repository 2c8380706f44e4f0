import { COUNTRIES, type Country } from "#domain/country.ts";
import { homeOfReceipt } from "#domain/depositary-receipts.ts";
import { type InstrumentKey, isShare } from "#domain/instrument.ts";
import { uncoveredExchange } from "#domain/exchanges.ts";
import { isIsin, symbolOfIsin } from "#domain/isin.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import { describeChange, findSymbolChange } from "#domain/symbol-changes.ts";
import { lazy } from "#lib/lazy.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { coreName, fullName } from "./company-names.ts";
import { otherReadings, plainSymbol } from "./symbol-notation.ts";

/** What a text means that is not a listed symbol of a country. */
export interface Meaning {
  readonly instrument: StoredInstrument;
  /** One clause without a full stop: `FB is META since 2022-06-09`. */
  readonly why: string;
}

/** Matches of a name among which one company must be the only one. */
const CANDIDATES = 50;
/** Fewer Latin letters are not the beginning of a name, because they look like a ticker. */
const MIN_NAME = 4;

const references = lazy(() => {
  const byAlias = new Map<string, InstrumentKey[]>();
  for (const { country, symbol, aliases = "" } of listReferenceInstruments()) {
    for (const alias of aliases?.split("|") ?? []) {
      const key = plainSymbol(alias);
      byAlias.set(key, [...(byAlias.get(key) ?? []), { country, symbol }]);
    }
  }
  return byAlias;
});

/** The indices, currencies, commodities and cryptocurrencies of the market with this alias, such as `VIX`. */
export function findReferences(market: MarketStore, plain: string): StoredInstrument[] {
  return (references().get(plain) ?? []).flatMap((key) => market.instruments.find(key) ?? []);
}

/**
 * The instrument of a country that a text means without doubt in another way than by its symbol: by a code of
 * another service, an alias, a former symbol, a depositary receipt, an ISIN, or the name of one company only. Null
 * if there is none, or a doubt.
 */
export function findMeant(market: MarketStore, text: string, country: Country): Meaning | null {
  const plain = plainSymbol(text);
  if (plain === "") return null;
  return (
    findCoded(market, plain, country) ??
    findSuccessor(market, plain, country) ??
    findHome(market, plain, country) ??
    findNumbered(market, plain, country) ??
    findByName(market, plain, country)
  );
}

const meaning = (plain: string, instrument: StoredInstrument): Meaning => ({
  instrument,
  why: `${plain} is ${instrument.symbol}, ${instrument.name}`,
});

function findCoded(market: MarketStore, plain: string, country: Country): Meaning | null {
  const readings = [{ symbol: plain }, ...otherReadings(plain, COUNTRIES[country].currency)];
  for (const { symbol, country: only = country, isNoShare } of readings) {
    if (only !== country) continue;
    const listed = symbol === plain ? null : market.instruments.find({ country, symbol });
    const found = listed ?? findReferences(market, symbol).find((one) => one.country === country);
    if (found && !(isNoShare && isShare(found.assetType))) return meaning(plain, found);
  }
  return null;
}

/** The company that had a symbol before it was renamed. */
export function findSuccessor(
  market: MarketStore,
  plain: string,
  country: Country,
): Meaning | null {
  const change = findSymbolChange(country, plain);
  const { became = null } = change ?? {};
  const successor = became === null ? null : market.instruments.find({ country, symbol: became });
  return (
    change &&
    successor && { instrument: successor, why: `${describeChange(change)}: ${successor.name}` }
  );
}

/** The share in Tokyo behind a depositary receipt. */
function findHome(market: MarketStore, plain: string, country: Country): Meaning | null {
  const symbol = country === "JP" ? homeOfReceipt(plain) : null;
  const home = symbol === null ? null : market.instruments.find({ country, symbol });
  return (
    home && {
      instrument: home,
      why: `${plain} is the depositary receipt of JP:${symbol}, ${home.name}`,
    }
  );
}

/** The share of Viet Nam whose ISIN has its symbol. Other ISINs and FIGIs are aliases of imported instruments. */
function findNumbered(market: MarketStore, plain: string, country: Country): Meaning | null {
  const symbol = country === "VN" && isIsin(plain) ? symbolOfIsin(plain) : null;
  const found = symbol === null ? null : market.instruments.find({ country, symbol });
  return found && meaning(plain, found);
}

/** The one company with this alias or name, without legal forms; or the only one whose name starts so. */
function findByName(market: MarketStore, plain: string, country: Country): Meaning | null {
  const full = fullName(plain);
  if (full === "") return null;
  const { instruments } = market.instruments.listBest({ country, query: plain }, CANDIDATES);
  const core = coreName(plain);
  const cored =
    core === full || core === ""
      ? []
      : market.instruments.listBest({ country, query: core }, CANDIDATES).instruments;
  const all = [...instruments, ...cored];
  const namesOf = ({ name, aliases }: StoredInstrument) => [name, ...(aliases?.split("|") ?? [])];
  const attempts = [
    (one: StoredInstrument) => namesOf(one).some((name) => plainSymbol(name) === plain),
    (one: StoredInstrument) => namesOf(one).some((name) => fullName(name) === full),
    (one: StoredInstrument) => core !== "" && namesOf(one).some((name) => coreName(name) === core),
  ];
  for (const attempt of attempts) {
    const found = all.filter(attempt);
    if (found.length > 0) return onlyOne(plain, found);
  }
  const isLatin = /^[\p{Script=Latin}\d .&'-]+$/u.test(full);
  const isTooShort = full.length < (isLatin ? MIN_NAME : 2);
  if (isTooShort || instruments.length === CANDIDATES) return null;
  const begun = instruments.filter((one) => fullName(one.name).startsWith(`${full} `));
  return onlyOne(plain, begun);
}

/** The company, if all these instruments are lines of one. */
function onlyOne(plain: string, found: readonly StoredInstrument[]): Meaning | null {
  const [first] = found;
  if (!first || found.some((one) => coreName(one.name) !== coreName(first.name))) return null;
  return meaning(plain, found.find((one) => one.primaryListing) ?? first);
}

/** Why a text is no symbol of the countries, one clause without a full stop, and what to use instead. */
export interface Explanation {
  readonly reason: string;
  readonly instead: StoredInstrument | null;
}

/**
 * What is known about a text that means no instrument of the countries: the symbol was delisted or renamed, is a
 * depositary receipt, an ISIN, or of an exchange that is not covered. Null if nothing is known.
 */
export function explainUnknown(
  market: MarketStore,
  text: string,
  countries: readonly Country[],
): Explanation | null {
  const plain = plainSymbol(text);
  const [change] = countries.flatMap((country) => findSymbolChange(country, plain) ?? []);
  if (change) return { reason: describeChange(change), instead: null };
  const home = findHome(market, plain, "JP");
  if (home) return { reason: home.why, instead: home.instrument };
  const place = uncoveredExchange(plain);
  if (place) {
    return {
      reason: `${plain} is listed in ${place}, and only US, JP and VN are covered`,
      instead: null,
    };
  }
  return isIsin(plain)
    ? {
        reason: `${plain} is an ISIN, and no source gives those of this country. Give the symbol, or search its name with list_symbols`,
        instead: null,
      }
    : null;
}
