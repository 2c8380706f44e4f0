import { distance } from "fastest-levenshtein";

/** Candidates up to this length must begin with the letter of the word: ytd is not what mtd means. */
const SHORT = 4;

/** Only the first characters of longer words are compared. */
const MAX_LENGTH = 40;

/**
 * The candidate with the smallest Levenshtein distance to `written`, ignoring case; the first one if
 * several are equally close. Null if every distance exceeds a third of the candidate's length, so that a
 * candidate of two letters must match exactly. A candidate of up to four letters must begin with the same one.
 */
export function closest(written: string, candidates: Iterable<string>): string | null {
  const word = written.slice(0, MAX_LENGTH).toLowerCase();
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    if (candidate.length <= SHORT && candidate.charAt(0).toLowerCase() !== word.charAt(0)) continue;
    const maxDistance = Math.min(bestDistance - 1, Math.floor(candidate.length / 3));
    // The difference in length is a lower bound of the distance.
    if (Math.abs(candidate.length - word.length) > maxDistance) continue;
    const found = distance(word, candidate.toLowerCase());
    if (found <= maxDistance) {
      best = candidate;
      bestDistance = found;
    }
  }
  return best;
}

/** The closest candidate as a question to append, ` (is it AAPL?)`; empty if none is close. */
export function closestHint(written: string, candidates: Iterable<string>): string {
  const near = closest(written, candidates);
  return near === null ? "" : ` (is it ${near}?)`;
}

/** The length of the shortest and of the longest candidate that `closest` can return for `written`. */
export function closestLengths(written: string): { shortest: number; longest: number } {
  const { length } = written.slice(0, MAX_LENGTH);
  return { shortest: Math.ceil((length * 3) / 4), longest: Math.floor((length * 3) / 2) };
}

/** The candidates with the smallest distances to `written`, ignoring case, the nearest first. */
export function nearest(written: string, candidates: readonly string[], most: number): string[] {
  const word = written.slice(0, MAX_LENGTH).toLowerCase();
  return candidates
    .map((name) => ({ name, far: distance(word, name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Letters and digits in a row. */
const WORD = /[\p{L}\p{N}]+/gu;

/** Words whose letters differ more are not similar. */
const MAX_DIFFERENCE = 0.4;

/** The names with a word that is similar to a word of `written`, the most similar first; shorter words must be equal. */
export function similarNames(written: string, names: readonly string[], most: number): string[] {
  const words = written.slice(0, MAX_LENGTH).toLowerCase().match(WORD) ?? [];
  const differenceOf = (name: string) =>
    Math.min(
      ...(name.toLowerCase().match(WORD) ?? []).flatMap((one) =>
        words.map((word) => distance(word, one) / Math.min(word.length, one.length)),
      ),
    );
  return names
    .map((name) => ({ name, difference: differenceOf(name) }))
    .filter(({ difference }) => difference <= MAX_DIFFERENCE)
    .sort((a, b) => a.difference - b.difference)
    .slice(0, most)
    .map(({ name }) => name);
}
