import { t, translateTerm } from "#console/app/words.ts";
import { TAB_WORDS, wordsOfSeries } from "./topics.ts";
import { countWords, hasWords, namesOfCountry, restOf } from "#console/app/parts/search-words.ts";
import type { Part } from "#console/app/parts/symbol-part.ts";
import {
  COMPANY_TYPES,
  SYMBOL_TABS,
  TABS_OF_ALL,
  TABS_OF_FUNDS,
} from "#console/app/pages/symbol/tabs.ts";

/** A macro series of a country. */
export interface Series {
  readonly country: string;
  readonly name: string;
}

const MOST_ROWS = 6;

/** The series that have every word of the text in their name or country: `CPI Japan`, `vietnam gdp`. */
export function findSeries(text: string, all: readonly Series[], home: string): Series[] {
  if (text.length < 2) return [];
  const found = all.flatMap(({ country, name }) => {
    const about = `${name} ${translateTerm(name)} ${wordsOfSeries(name)} ${namesOfCountry(country)}`;
    const isHome = country === home;
    return hasWords(about, text) ? [{ country, name, isHome, whole: countWords(about, text) }] : [];
  });
  // `us` begins more words than it is: whole words come first, and then the reader's country.
  return found
    .toSorted((a, b) => b.whole - a.whole || Number(b.isHome) - Number(a.isHome))
    .slice(0, MOST_ROWS);
}

/** What a text can name of an instrument's page: a part, or the panel of its peers. */
const PARTS = { ...SYMBOL_TABS, peers: "Peers" } as const;

/** The part of a company's page that a text names before or after the company: `toyota valuation`. */
export function partOf(text: string): Part | null {
  for (const [key, name] of Object.entries(PARTS)) {
    for (const phrase of [name, t(name), ...(TAB_WORDS[key] ?? [])]) {
      const rest = restOf(text, phrase);
      if (rest === null) continue;
      const hasPart = (type: string) =>
        COMPANY_TYPES.includes(type) ||
        (type === "etf" ? TABS_OF_FUNDS : TABS_OF_ALL).some((one) => one === key);
      // `balance sheet of Toyota`
      return { key, name: t(name), query: rest.replace(/^of /i, ""), hasPart };
    }
  }
  return null;
}
