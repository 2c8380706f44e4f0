import type { Sentence } from "#console/app/words.ts";

/** What today's multiple is for its own company: usual in the band of the middle 80%. Null if it is not known. */
export function verdictOf(
  history: Readonly<Record<string, number | null>> | undefined,
): Sentence | null {
  const { today = null, p10 = null, p90 = null } = history ?? {};
  if (today === null || p10 === null || p90 === null) return null;
  if (today < p10) return "Low for itself";
  return today > p90 ? "High for itself" : "Usual for itself";
}
