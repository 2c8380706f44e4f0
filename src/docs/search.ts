import type { Section } from "./page.ts";

/** A part of the documentation that has all words of a search. */
export interface Hit {
  readonly section: Section;
  /** The text around the first word that was found, in pieces: every second one is a found word. */
  readonly excerpt: readonly string[];
}

const MAX_HITS = 20;
const MAX_WORDS = 8;
/** A word counts at most so often in a part. */
const MAX_COUNT = 5;
/** Characters before the first word of an excerpt, and all. */
const BEFORE = 60;
const EXCERPT = 240;

/** The parts with all words of the query, the best first: words in the heading count most. */
export function search(sections: readonly Section[], query: string): Hit[] {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_HITS)
    .map(({ section }) => ({ section, excerpt: excerptOf(section, words) }));
}

/** 0 if a word is missing. */
function scoreOf(section: Section, words: readonly string[]): number {
  const title = section.page.topic.title.toLowerCase();
  const heading = section.heading.toLowerCase();
  let score = 0;
  for (const word of words) {
    const count = countOf(section.lowerText, word);
    const inHeading = heading.includes(word);
    if (!inHeading && count === 0) return 0;
    score += (inHeading ? 20 : 0) + (title.includes(word) ? 5 : 0) + count;
  }
  return score;
}

/** How often a word is in a text, at most `MAX_COUNT`. */
function countOf(text: string, word: string): number {
  let count = 0;
  for (let at = text.indexOf(word); at >= 0 && count < MAX_COUNT; count += 1)
    at = text.indexOf(word, at + word.length);
  return count;
}

function excerptOf({ text, lowerText: lower }: Section, words: readonly string[]): string[] {
  const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const first = Math.max(0, Math.min(...(found.length > 0 ? found : [0])) - BEFORE);
  const start = first === 0 ? 0 : lower.indexOf(" ", first) + 1;
  const cut = text.slice(start, start + EXCERPT).replace(/[\ud800-\udbff]$/, "");
  const shown = `${start > 0 ? "… " : ""}${cut}${start + EXCERPT < text.length ? " …" : ""}`;
  return shown.split(new RegExp(`(${words.map((word) => RegExp.escape(word)).join("|")})`, "gi"));
}
