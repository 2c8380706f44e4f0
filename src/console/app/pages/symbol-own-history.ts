import { formatNumber } from "#console/app/format.ts";
import type { Sentence } from "#console/app/words.ts";

/** A multiple or a yield: two decimals, or three significant digits below 0.1, so that small ones differ too. */
export function multipleText(value: number | null): string {
  const size = Math.abs(value ?? 0);
  return formatNumber(value, size > 0 && size < 0.1 ? 2 - Math.floor(Math.log10(size)) : 2);
}

/** What today's multiple is for its own company: usual in the band of the middle 80%. Null if it is not known. */
export function verdictOf(
  history: Readonly<Record<string, number | null>> | undefined,
): Sentence | null {
  const { today = null, p10 = null, p90 = null } = history ?? {};
  if (today === null || p10 === null || p90 === null) return null;
  if (today < p10) return "Low for itself";
  return today > p90 ? "High for itself" : "Usual for itself";
}
