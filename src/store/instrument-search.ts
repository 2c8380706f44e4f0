import type { Country } from "#domain/country.ts";
import type { AssetType, Segment } from "#domain/instrument.ts";
import { isJapanese, toHiragana, toKatakana, toLatin } from "#lib/kana.ts";
import { normalForm } from "#lib/normal-form.ts";

/** The filter of a search; a field that is absent does not restrict it. */
export interface InstrumentFilter {
  readonly country?: Country | undefined;
  readonly assetType?: AssetType | undefined;
  /** Sector slug. */
  readonly sector?: string | undefined;
  /** The name of an exchange of `EXCHANGES`. */
  readonly exchange?: string | undefined;
  readonly segment?: Segment | undefined;
  /** The code of a class of the market's own classification. */
  readonly localSector?: string | undefined;
  /**
   * Free text that symbol or name must contain; case and diacritics do not matter. A single character
   * must be the start of a word. If nothing contains it, its words may have any order, and legal forms
   * (`Inc.`) do not matter.
   */
  readonly query?: string | undefined;
}

/** A search as expressions of SQLite's full-text index (FTS5). */
export interface SearchExpressions {
  /** Matches all instruments that pass the filter. */
  readonly matches: string;
  /** The same in disjoint parts, the best matches first. */
  readonly ranks: readonly string[];
}

/** Lookups that are needed to build a search. */
export interface SearchIndex {
  /** The trigrams of the index that start with this text. */
  listTrigrams(start: string): string[];
  /** True if any symbol starts with this text. */
  hasSymbol(start: string): boolean;
}

/** Markers of the start and end of a symbol, and of a name. */
const SYMBOL_EDGE = "\u0002\u0002";
const NAME_EDGE = "\u0003\u0003";
const WORD_START = "  ";

/** A query of more words must occur as it is written. */
const MAX_WORDS = 10;
/** Legal forms of companies, which names abbreviate, write out or leave out. */
const LEGAL_FORM = /^(co|company|corp|corporation|inc|incorporated|jsc|limited|llc|ltd|plc)$/i;

/** Builds a search of the table `instrument_search`; `market.sql` describes its texts. */
export function searchExpressions(
  { query, ...filter }: InstrumentFilter,
  index: SearchIndex,
): SearchExpressions {
  const filtered = filtersOf(filter);
  const text = asIndexed(query ?? "");
  if (text === "") {
    const matches = filtered.join(" AND ") || `filters : ${phrase("all")}`;
    return { matches, ranks: [matches] };
  }
  const within = (expression: string) =>
    [...filtered, `{symbol name} : (${expression})`].join(" AND ");
  const written = writingsOf(text);
  const isSymbol = phrase(SYMBOL_EDGE + text + SYMBOL_EDGE);
  const isName = anyOf(written.map((one) => NAME_EDGE + one + WORD_START + NAME_EDGE));
  const isWhole = `(${isSymbol} OR ${isName})`;
  const startsSymbol = phrase(SYMBOL_EDGE + text);
  const startsName = anyOf(written.map((one) => NAME_EDGE + one));
  const contains = anyOf(written.flatMap((one) => phrasesOf(one, index)));
  // Most queries are words of names. If no symbol starts with the text, two ranks need no index lookup.
  const ranks = index.hasSymbol(text.toUpperCase())
    ? [
        isSymbol,
        `(${isName}) NOT ${isSymbol}`,
        `${startsSymbol} NOT ${isWhole}`,
        `(${startsName}) NOT (${startsSymbol} OR ${isName})`,
        `(${contains}) NOT (${startsSymbol} OR ${startsName})`,
      ]
    : [
        NOTHING,
        isName,
        NOTHING,
        `(${startsName}) NOT (${isName})`,
        `(${contains}) NOT (${startsName})`,
      ];
  return { matches: within(contains), ranks: ranks.map(within) };
}

/** The ways to write a text: kana are typed as hiragana, and names have katakana or Latin letters. */
function writingsOf(text: string): string[] {
  if (!isJapanese(text)) return [text];
  const latin = toLatin(text);
  return [
    ...new Set([text, toKatakana(text), toHiragana(text), ...(latin === null ? [] : [latin])]),
  ];
}

/**
 * A search of the words of a query in any order, for a query that nothing contains as it is written;
 * null if that is the same search, or if the query has no words or too many.
 */
export function anyOrderExpression({ query = "", ...filter }: InstrumentFilter): string | null {
  const text = asIndexed(query);
  const words = wordsOf(text);
  if (words.length === 0 || words.length > MAX_WORDS || words[0] === text) return null;
  // A short word must be the start of a word, because it occurs within too many words.
  const every = words.map((word) => `(${anyOf(word.length < 3 ? startsWith(word) : [word])})`);
  return [...filtersOf(filter), `{symbol name} : (${every.join(" AND ")})`].join(" AND ");
}

/** The filters of exchanges by their names, as the view of the index has them. */
const EXCHANGE_FILTERS: Readonly<Record<string, string>> = {
  NASDAQ: ">nq",
  NYSE: ">ny",
  "NYSE American": ">am",
  "NYSE Arca": ">ar",
  "Cboe BZX": ">cb",
  OTC: ">ot",
  TSE: ">ts",
  HOSE: ">ho",
  HNX: ">hn",
  UPCOM: ">up",
};

/** A filter that no instrument has. */
const NO_EXCHANGE = ">--";

/** The filters of a search except for its query. */
function filtersOf(filter: InstrumentFilter): string[] {
  const { country, assetType, sector, exchange, segment, localSector } = filter;
  return [
    country === undefined ? [] : `=${country}`,
    assetType === undefined ? [] : `~${assetType.slice(0, 2)}`,
    sector === undefined ? [] : `${sector.slice(0, 1)}${sector.slice(-2)}`,
    exchange === undefined ? [] : (EXCHANGE_FILTERS[exchange] ?? NO_EXCHANGE),
    segment === undefined ? [] : `<${segment.slice(0, 2)}`,
    localSector === undefined ? [] : `#${String.fromCharCode(0x4e00 + Number(localSector) / 50)}#`,
  ]
    .flat()
    .map((filter) => `filters : ${phrase(filter)}`);
}

/**
 * A search of the names with the first or last trigram of the query's three longest words, best matches
 * first; null if the query has no word of three letters.
 */
export function similarExpression({ query = "", ...filter }: InstrumentFilter): string | null {
  const words = wordsOf(asIndexed(query)).toSorted((a, b) => b.length - a.length);
  const trigrams = words.slice(0, 3).flatMap((word) => {
    const all = trigramsOf(word);
    return all.filter((_, i) => i === 0 || i === all.length - 1);
  });
  if (trigrams.length === 0) return null;
  return [...filtersOf(filter), `name : (${anyOf(trigrams)})`].join(" AND ");
}

/**
 * A search of the names and aliases that start with the first letters of any part of the query: with a word of
 * Latin letters, or with two other letters. Null if the query has no such part.
 */
export function startsExpression({ query = "", ...filter }: InstrumentFilter): string | null {
  const text = asIndexed(query);
  const words = text.split(/ +/).filter((word) => /^\p{Script=Latin}{2}/u.test(word));
  const letters = Array.from(text.replaceAll(/[ \p{Script=Latin}\d]+/gu, " "));
  const pairs = letters.slice(1).map((letter, i) => `${letters[i]}${letter}`);
  const starts = [...words.slice(0, MAX_WORDS), ...pairs.filter((pair) => !pair.includes(" "))];
  if (starts.length === 0) return null;
  const names = anyOf(starts.map((start) => NAME_EDGE + start));
  return [...filtersOf(filter), `name : (${names})`].join(" AND ");
}

/** The query with the folding of the index, and with one space between words. */
export function foldedQuery(query: string): string {
  return folded(asIndexed(query)).replaceAll(/ +/g, " ");
}

/** All trigrams of a text, as the index folds it. */
export function trigramsOf(text: string): string[] {
  const letters = Array.from(folded(text));
  return letters.slice(2).map((_, i) => letters.slice(i, i + 3).join(""));
}

/** The words of a query without commas, full stops and legal forms. */
function wordsOf(text: string): string[] {
  return text
    .replaceAll(/株式会社|\(株\)/g, " ")
    .split(/ +/)
    .map((word) => word.replaceAll(/^[,;]+|[.,;]+$/g, ""))
    .filter((word) => word !== "" && !LEGAL_FORM.test(word));
}

/** The query in the form of `instrument_texts`. Control characters (markers, or NUL) match nothing. */
function asIndexed(query: string): string {
  return normalForm(query, "NFKC")
    .trim()
    .replaceAll(/ +/g, WORD_START)
    .replaceAll("đ", "d")
    .replaceAll("Đ", "D")
    .replaceAll(/\p{Cc}/gu, "\uFFFD");
}

/** The phrases that find the text anywhere. The index has no entries of fewer than three characters. */
function phrasesOf(text: string, index: SearchIndex): string[] {
  const { length } = Array.from(text);
  if (length === 1) return startsWith(text);
  return length === 2 ? index.listTrigrams(folded(text)) : [text];
}

/** The phrases that find symbols and words with this start. */
function startsWith(text: string): string[] {
  return [SYMBOL_EDGE, NAME_EDGE, WORD_START].map((start) => start + text);
}

/** The text as the index folds it: lower case, and Latin letters without diacritics. */
function folded(text: string): string {
  return (
    text
      .replaceAll(/\p{Script=Latin}/gu, (letter) => normalForm(letter, "NFD").charAt(0))
      // Each letter separately, because a whole word would get a final sigma.
      .replaceAll(/./gsu, (letter) => letter.toLowerCase())
  );
}

/** Matches any of the texts; nothing if there are none. */
function anyOf(texts: readonly string[]): string {
  return texts.length === 0 ? NOTHING : texts.map(phrase).join(" OR ");
}

const NOTHING = '""';

/** Quotes a text, so that nothing in it is an operator. */
function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
