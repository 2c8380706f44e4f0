import { localeNow } from "#console/app/format.ts";

/** The words of a text without accents and capitals: `Việt Nam` as `viet` and `nam`. */
export function wordsOf(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replaceAll("đ", "d");
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** Words that say nothing about what is searched. */
const FILLERS = ["of", "in", "the", "for"];

/** The words of a query that must be found; all if there are only fillers. */
function wantedWords(query: string): string[] {
  const words = wordsOf(query);
  const wanted = words.filter((word) => !FILLERS.includes(word));
  return wanted.length === 0 ? words : wanted;
}

/** Japanese has no spaces between words: a word can begin anywhere. */
const WITHOUT_SPACES = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/**
 * True if every word of the query, in any order, begins a word of the text. A single letter is a whole word, except at
 * the end of others: `s&p` is not the beginning of `payrolls, States`, and `b` not the beginning of `BoJ`.
 */
export function hasWords(text: string, query: string): boolean {
  const words = wordsOf(text);
  const wanted = wantedWords(query);
  const isFound = (one: string, i: number) => {
    if (WITHOUT_SPACES.test(one)) return words.some((word) => word.includes(one));
    const isUnfinished = i > 0 && i === wanted.length - 1;
    return one.length === 1 && !isUnfinished
      ? words.includes(one)
      : words.some((word) => word.startsWith(one));
  };
  return wanted.length > 0 && wanted.every(isFound);
}

/** True if a text has every word of a phrase as a whole word, or within it in Japanese. */
export function hasPhrase(text: string, phrase: string): boolean {
  const words = wordsOf(text);
  return wordsOf(phrase).every((one) =>
    WITHOUT_SPACES.test(one) ? words.some((word) => word.includes(one)) : words.includes(one),
  );
}

/** The rest of a text that begins or ends with a phrase; null without the phrase, or without a rest. */
export function restOf(text: string, phrase: string): string | null {
  const [parts, wanted] = [text.trim().split(/\s+/), wordsOf(phrase)];
  const count = wanted.length;
  const isWanted = (some: readonly string[]) =>
    wordsOf(some.join(" ")).join(" ") === wanted.join(" ");
  if (parts.length <= count) return null;
  if (isWanted(parts.slice(0, count))) return parts.slice(count).join(" ");
  return isWanted(parts.slice(-count)) ? parts.slice(0, -count).join(" ") : null;
}

/** How many words of the query are whole words of the text. */
export function countWords(text: string, query: string): number {
  const words = wordsOf(text);
  return wantedWords(query).filter((one) => words.includes(one)).length;
}

/** What else people call the countries. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  US: "USA America American 米国",
  JP: "Japanese",
  VN: "Viet Nam Vietnamese",
};

/** The names by which a search finds a country: its code, and those in English and in the reader's language. */
export function namesOfCountry(code: string): string {
  const official = ["en", localeNow()].map((locale) =>
    new Intl.DisplayNames(locale, { type: "region" }).of(code),
  );
  return [code, ...official, OTHER_NAMES[code]].join(" ");
}
