import type { Section } from "./page.ts";

/** A part of the documentation that has all words of a search. */
export interface Hit {
  readonly section: Section;
  /** The text around the first word that was found, in pieces: every second one is a found word. */
  readonly excerpt: readonly string[];
}

const MAX_HITS = 20;
const MAX_WORDS = 8;
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
    .map(({ section }) => ({ section, excerpt: excerptOf(section.text, words) }));
}

/** 0 if a word is missing. */
function scoreOf({ page, heading, text }: Section, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const inHeading = heading.toLowerCase().includes(word);
    const inTitle = page.topic.title.toLowerCase().includes(word);
    const count = text.toLowerCase().split(word).length - 1;
    if (!inHeading && count === 0) return 0;
    score += (inHeading ? 20 : 0) + (inTitle ? 5 : 0) + Math.min(count, 5);
  }
  return score;
}

function excerptOf(text: string, words: readonly string[]): string[] {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const first = Math.max(0, Math.min(...(found.length > 0 ? found : [0])) - BEFORE);
  const start = first === 0 ? 0 : lower.indexOf(" ", first) + 1;
  const cut = text.slice(start, start + EXCERPT).replace(/[\ud800-\udbff]$/, "");
  const shown = `${start > 0 ? "… " : ""}${cut}${start + EXCERPT < text.length ? " …" : ""}`;
  return shown.split(new RegExp(`(${words.map(RegExp.escape).join("|")})`, "gi"));
}
