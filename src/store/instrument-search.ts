import type { Country } from "#domain/country.ts";
import type { AssetType } from "#domain/instrument.ts";

/** What a search lets through; what is left out lets all through. */
export interface InstrumentFilter {
  readonly country?: Country | undefined;
  readonly assetType?: AssetType | undefined;
  /** Sector slug. */
  readonly sector?: string | undefined;
  /**
   * Free text, which symbol or name must hold, whatever the case and the diacritics. One character
   * alone must begin a word.
   */
  readonly query?: string | undefined;
}

/** A search in the language of SQLite's full-text index (FTS5). */
export interface SearchExpressions {
  /** Finds all that the filter lets through. */
  readonly matches: string;
  /** Find the same apart, best first; no two of them find the same instrument. */
  readonly ranks: readonly string[];
}

/** What the index itself must be asked before a search can be written down. */
export interface SearchIndex {
  /** The runs of three characters with this beginning. */
  listTrigrams(beginning: string): string[];
  /** Whether the symbol of any instrument begins so. */
  hasSymbol(beginning: string): boolean;
}

/** Where a symbol begins and ends, and where a name begins. */
const SYMBOL_EDGE = "\u0002\u0002";
const NAME_START = "\u0003\u0003";
const WORD_START = "  ";

/** Writes a search down for the table `instrument_search`, whose migration says what it holds. */
export function searchExpressions(
  { country, assetType, sector, query }: InstrumentFilter,
  index: SearchIndex,
): SearchExpressions {
  const filters = [
    country === undefined ? [] : `=${country}`,
    assetType === undefined ? [] : `~${assetType.slice(0, 2)}`,
    sector === undefined ? [] : `${sector.slice(0, 1)}${sector.slice(-2)}`,
  ].flat();
  const text = asIndexed(query ?? "");
  if (filters.length === 0 && text === "") filters.push("all");
  const filtered = filters.map((filter) => `filters : ${phrase(filter)}`);
  if (text === "") {
    const matches = filtered.join(" AND ");
    return { matches, ranks: [matches] };
  }
  const within = (expression: string) =>
    [...filtered, `{symbol name} : (${expression})`].join(" AND ");
  const isSymbol = phrase(SYMBOL_EDGE + text + SYMBOL_EDGE);
  const beginsSymbol = phrase(SYMBOL_EDGE + text);
  const beginsName = phrase(NAME_START + text);
  const holds = anyOf(phrasesOf(text, index));
  // Most queries are words of names: what no symbol begins with need not be looked for in the index.
  const ranks = index.hasSymbol(text.toUpperCase())
    ? [
        isSymbol,
        `${beginsSymbol} NOT ${isSymbol}`,
        `${beginsName} NOT ${beginsSymbol}`,
        `(${holds}) NOT (${beginsSymbol} OR ${beginsName})`,
      ]
    : [NOTHING, NOTHING, beginsName, `(${holds}) NOT ${beginsName}`];
  return { matches: within(holds), ranks: ranks.map(within) };
}

/** As `instrument_texts` writes names; what controls (our marks, or NUL, at which FTS5 ends) is none. */
function asIndexed(query: string): string {
  return query
    .normalize()
    .trim()
    .replaceAll(/ +/g, WORD_START)
    .replaceAll("đ", "d")
    .replaceAll("Đ", "D")
    .replaceAll(/\p{Cc}/gu, "\uFFFD");
}

/** What finds the text anywhere; the index has no runs of less than three characters. */
function phrasesOf(text: string, index: SearchIndex): string[] {
  const { length } = Array.from(text);
  if (length === 1) return [SYMBOL_EDGE, NAME_START, WORD_START].map((start) => start + text);
  return length === 2 ? index.listTrigrams(folded(text)) : [text];
}

/** As the index folds by itself: lower case, and Latin letters without diacritics. */
function folded(text: string): string {
  return (
    text
      .replaceAll(/\p{Script=Latin}/gu, (letter) => letter.normalize("NFD").charAt(0))
      // Each by itself: at the end of a word, all together would make another sigma.
      .replaceAll(/./gsu, (letter) => letter.toLowerCase())
  );
}

/** Finds any of the texts; of none, nothing. */
function anyOf(texts: readonly string[]): string {
  return texts.length === 0 ? NOTHING : texts.map(phrase).join(" OR ");
}

const NOTHING = '""';

/** Text for what it is: nothing in it is an operator. */
function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
