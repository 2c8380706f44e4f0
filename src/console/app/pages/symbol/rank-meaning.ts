import { type Sentence, t } from "#console/app/words.ts";

/** Which end of the bar is the better one. A multiple of the price is cheap or dear, not good or bad. */
const DIRECTIONS = {
  valuation: { low: "Lower is cheaper.", high: "Higher is cheaper." },
  other: { low: "Lower is usually better.", high: "Higher is usually better." },
} as const satisfies Readonly<Record<string, Readonly<Record<"low" | "high", Sentence>>>>;

/** What the bar of a rank shows, and whether left or right is better. @param place the rank as a sentence */
export function rankMeaning(
  place: string,
  { better }: { readonly better?: "low" | "high" | undefined },
  kind: keyof typeof DIRECTIONS,
): string {
  const ends = t("Left is the lowest of the sector, right the highest.");
  const direction = better
    ? t(DIRECTIONS[kind][better])
    : t("Neither high nor low is better in itself.");
  return [place, ends, direction].join(" ");
}
