import { COUNTRIES, type Country } from "#domain/country.ts";
import { homeOfReceipt } from "#domain/depositary-receipts.ts";
import { type InstrumentKey, isShare } from "#domain/instrument.ts";
import { findBoard, uncoveredExchange } from "#domain/exchanges.ts";
import { isIsin, symbolOfIsin } from "#domain/isin.ts";
import { findLocalSectors } from "#domain/local-sectors.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";
import { describeChange, findSymbolChange, type SymbolChange } from "#domain/symbol-changes.ts";
import {
  symbolOfKatakana,
  symbolOfShortName,
  translateIndustry,
} from "#domain/translated-names.ts";
import { lazy } from "#lib/lazy.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { TYPE_WORDS } from "./inputs.ts";
import { companyName, coreName, foldedName, fullName } from "./company-names.ts";
import { sortLargest } from "./largest.ts";
import { isSeriesWord } from "./macro-series.ts";
import { adviceOn } from "./metric-advice.ts";
import { findMetric } from "./metric-names.ts";
import { type OtherReading, otherReadings, plainSymbol, withoutKind } from "./symbol-notation.ts";

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
  for (const { country, symbol, name, aliases } of listReferenceInstruments()) {
    for (const alias of [name, ...(aliases?.split("|") ?? [])]) {
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
    findByCode(market, plain, country) ??
    findTranslated(market, text, country) ??
    findByName(market, plain, country)
  );
}

/** The same without names, which take some searches. `plain` is in upper case. */
export function findByCode(market: MarketStore, plain: string, country: Country): Meaning | null {
  return (
    findCoded(market, plain, country) ??
    findSuccessor(market, plain, country) ??
    findHome(market, plain, country) ??
    findNumbered(market, plain, country)
  );
}

const meaning = (plain: string, instrument: StoredInstrument): Meaning => ({
  instrument,
  why: `${plain} is ${instrument.symbol}, ${instrument.name}`,
});

function findCoded(market: MarketStore, plain: string, country: Country): Meaning | null {
  const readings: OtherReading[] = [
    { symbol: plain },
    { symbol: withoutKind(plain) },
    ...otherReadings(plain, COUNTRIES[country].currency),
  ];
  for (const { symbol, country: only = country, isNoShare } of readings) {
    if (only !== country) continue;
    const listed = symbol === plain ? null : market.instruments.find({ country, symbol });
    const found = listed ?? findReferences(market, symbol).find((one) => one.country === country);
    if (found && !(isNoShare && isShare(found.assetType))) return meaning(plain, found);
  }
  return null;
}

/** The end of a symbol in upper case, as known on the day of the market; null if none is known. */
export function findChange(
  { knownOn }: MarketStore,
  country: Country,
  symbol: string,
): SymbolChange | null {
  const change = findSymbolChange(country, symbol);
  return change && (knownOn === null || change.date <= knownOn) ? change : null;
}

/** The company that had a symbol before it was renamed. Before that day, too: it is stored under its later symbol. */
export function findSuccessor(
  market: MarketStore,
  plain: string,
  country: Country,
): Meaning | null {
  const { became = null } = findSymbolChange(country, plain) ?? {};
  const successor = became === null ? null : market.instruments.find({ country, symbol: became });
  if (!successor) return null;
  const change = findChange(market, country, plain);
  return change
    ? { instrument: successor, why: `${describeChange(change)}: ${successor.name}` }
    : meaning(plain, successor);
}

/** The listed instrument that a stored key means: with its later symbol, if the company was renamed since then. */
export function followRename(market: MarketStore, key: InstrumentKey): InstrumentKey {
  const isListed = (one: InstrumentKey) => {
    const found = market.instruments.find(one);
    return found !== null && found.delistedAt === undefined;
  };
  let change = findChange(market, key.country, key.symbol);
  if (change === null || isListed(key)) return key;
  while (change?.became) {
    const { became: symbol, date }: SymbolChange = change;
    const next = { country: key.country, symbol: symbol ?? "" };
    if (isListed(next)) return next;
    const after = findChange(market, next.country, next.symbol);
    change = after && after.date > date ? after : null;
  }
  return key;
}

/** The share in Tokyo behind a depositary receipt. */
export function findHome(market: MarketStore, plain: string, country: Country): Meaning | null {
  const symbol = country === "JP" ? homeOfReceipt(plain) : null;
  const home = symbol === null ? null : market.instruments.find({ country, symbol });
  return (
    home && {
      instrument: home,
      why: `${plain} is the depositary receipt of JP:${symbol}, ${home.name}`,
    }
  );
}

/** The company of the US with this Japanese name, or of Japan with this short name. */
function findTranslated(market: MarketStore, text: string, country: Country): Meaning | null {
  const symbol =
    country === "US" ? symbolOfKatakana(text) : country === "JP" ? symbolOfShortName(text) : null;
  const found = symbol === null ? null : market.instruments.find({ country, symbol });
  return found && meaning(text, found);
}

/** The share of Viet Nam whose ISIN has its symbol. Other ISINs and FIGIs are aliases of imported instruments. */
function findNumbered(market: MarketStore, plain: string, country: Country): Meaning | null {
  const symbol = country === "VN" && isIsin(plain) ? symbolOfIsin(plain) : null;
  const found = symbol === null ? null : market.instruments.find({ country, symbol });
  return found && meaning(plain, found);
}

/**
 * The one company with this alias or name, legal forms and words for a group left out, if none of the companies
 * whose names start so is larger: `Apple` is Apple Inc., but `Mitsubishi` can be several. Or the only company whose
 * name starts so.
 */
function findByName(market: MarketStore, plain: string, country: Country): Meaning | null {
  const [full, core] = [fullName(plain), coreName(plain)];
  if (core === "") return null;
  const listNamed = (query: string) =>
    market.instruments.listBest({ country, query }, CANDIDATES).instruments;
  const listed = listNamed(plain);
  // A legal form or a word for a group, as in `SoftBank Group`, names one of several.
  const isWhole = foldedName(plain) !== core;
  const all = isWhole ? [...listed, ...listNamed(core)] : listed;
  const exact = all.filter((one) => namesOf(one).some((name) => plainSymbol(name) === plain));
  if (exact.length > 0) return onlyOne(plain, exact);
  const same = all.filter((one) => namesOf(one).some((name) => fullName(name) === full));
  const alike = all.filter((one) => namesOf(one).some((name) => coreName(name) === core));
  if (isWhole && same.length > 0) return onlyOne(plain, same);
  const isLatin = /^[\p{Script=Latin}\d .&'-]+$/u.test(full);
  const start = isLatin ? `${full} ` : full;
  const begun = all.filter((one) =>
    namesOf(one).some((name) => `${fullName(name)}${isLatin ? " " : ""}`.startsWith(start)),
  );
  if (alike.length > 0) {
    const [largest] = sortLargest(market, [...alike, ...begun], []);
    const found = onlyOne(plain, alike);
    const isLargest =
      largest && found && companyName(largest.name) === companyName(found.instrument.name);
    return isLargest ? found : null;
  }
  if (full.length < (isLatin ? MIN_NAME : 2) || all.length >= CANDIDATES) return null;
  return onlyOne(plain, begun);
}

const namesOf = ({ name, aliases }: StoredInstrument) => [name, ...(aliases?.split("|") ?? [])];

/** The company, if all these instruments are lines of one. */
function onlyOne(plain: string, found: readonly StoredInstrument[]): Meaning | null {
  const [first] = found;
  if (!first || found.some((one) => companyName(one.name) !== companyName(first.name))) return null;
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
  const [change] = countries.flatMap((country) => findChange(market, country, plain) ?? []);
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
  const group = explainGroup(text);
  if (group !== null) return { reason: `${text} is ${group}`, instead: null };
  const kind = KINDS.find(([pattern]) => pattern.test(plain))?.[1];
  const what = kind === AN_ISIN && !isIsin(plain) ? "no ISIN: its last digit is wrong" : kind;
  return what === undefined ? null : { reason: `${plain} is ${what}`, instead: null };
}

/** What a text is that names many instruments, and the call that lists them; null for another text. */
function explainGroup(text: string): string | null {
  const { classes } = findLocalSectors(text);
  if (classes.length > 0) return `a class of companies: call screen_stocks with sector=${text}`;
  if (translateIndustry(text) !== null)
    return `an industry: call screen_stocks with industry=${text}`;
  const board = findBoard(text)?.name;
  if (board !== undefined)
    return `an exchange or a market segment: call list_symbols with exchange=${board}`;
  const [type] = Object.entries(TYPE_WORDS).find(([, words]) => words.includes(text)) ?? [];
  return type === undefined
    ? explainFigure(text)
    : `an asset type: call list_symbols with type=${type}`;
}

/** What a text in Japanese or Vietnamese is that names a figure; null for another text. */
function explainFigure(text: string): string | null {
  if (/^[\x20-\x7E]*$/.test(text)) return null;
  if (isSeriesWord(text))
    return `a figure of an economy: call get_macro_history with series=${text}`;
  const metric = findMetric(text);
  if (metric !== null)
    return `a figure of companies: call screen_stocks with sort=-${metric}, or compare_stocks with metrics=${metric}`;
  return adviceOn(text) === null || KINDS.some(([pattern]) => pattern.test(text))
    ? null
    : `a question about figures: call screen_stocks with a limit in where, such as dividend_yield>=4`;
}

const AN_ISIN =
  "an ISIN that no source gives. Give the symbol, or import it as an alias of the share";

const NO_INDEX = "an index that no source gives; ^N225 and ^TOPX are here";

/** Identifiers and names that are no symbols, each with what to say about it. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [
    /^BBG[A-Z0-9]{9}$/,
    "a FIGI that no source gives. Give the symbol, or import it as an alias of the share",
  ],
  [/^[A-Z]{2}[A-Z0-9]{9}\d$/, AN_ISIN],
  [/^[A-Z]{1,6} *\d{6}[CP]\d{8}$/, "an option, and there are no options here"],
  [
    /^(?:値上がり|値下がり|急騰|急落)(?:率|株|銘柄)?$|^(?:株価)?ランキング$|^(?:cổ phiếu )?(?:tăng|giảm) mạnh$/iu,
    "a question about movers: call screen_stocks with sort=both:change_percent",
  ],
  [
    /^(?:業績|会社)予想$|^kế hoạch (?:năm|kinh doanh)$/iu,
    "a part of a company's figures: call get_stock_forecast with its symbol",
  ],
  [
    /^(?:信用残|信用倍率|空売り(?:残高)?)$|^tự doanh$/iu,
    "a figure of trading that no source gives",
  ],
  [
    /^(?:khối ngoại|khoi ngoai|nhà đầu tư nước ngoài|room(?: ngoại)?)$/iu,
    "a figure of companies: call screen_stocks with metrics=foreign_net_value,foreign_room",
  ],
  [/^(?:東証)?(?:グロース|マザーズ)(?:市場)?(?:250|指数|250指数)$/, NO_INDEX],
  [/^JPX(?:日経)?(?:インデックス)?-?400$/, NO_INDEX],
  [
    /^(?:東証)?(?:マザーズ|MOTHERS)$/,
    "a market segment that ended in April 2022: call list_symbols with exchange=TSE Growth",
  ],
];
