/** Levenshtein distance of two short strings. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/**
 * The candidate nearest to what was written, letter case aside, or null where none is near enough to
 * be what was meant: at most a third of its letters apart, so that two letters are never mended.
 */
export function closest(written: string, candidates: Iterable<string>): string | null {
  const word = written.slice(0, 40).toLowerCase();
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const most = Math.min(bestDistance - 1, Math.floor(candidate.length / 3));
    // The distance is never below the difference in length, which costs nothing to know.
    if (Math.abs(candidate.length - word.length) > most) continue;
    const distance = editDistance(word, candidate.toLowerCase());
    if (distance <= most) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
