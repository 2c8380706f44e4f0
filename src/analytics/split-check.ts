import { ratioOf, type Split } from "#domain/split.ts";
import { threshold } from "./plausibility.ts";

/** Why a ratio cannot be one of shares, as a clause: `ratio 1000000000:1, above 20000:1`; null if it can. */
export function splitFault(split: Pick<Split, "numerator" | "denominator">): string | null {
  const most = threshold("splitRatio");
  const ratio = ratioOf(split);
  if (ratio <= most && ratio >= 1 / most) return null;
  const limit = ratio > most ? `above ${most}:1` : `below 1:${most}`;
  return `ratio ${split.numerator}:${split.denominator}, ${limit}`;
}
