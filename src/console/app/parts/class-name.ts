import { type Sentence, t, translate, translateTerm } from "#console/app/words.ts";

/** What the classes of a country's own classification are called. */
export const LOCAL_CLASSES: Readonly<Record<string, Sentence>> = {
  JP: "TSE 33 sectors",
  VN: "ICB supersector",
};

/**
 * The name of a sector, an industry or a class of a market from its slug: `real-estate` is `Real Estate`,
 * `JP:foods` is `Foods`. Empty: `Other`.
 */
export function classNameOf(slug: string): string {
  if (slug === "") return t("Other");
  const isLocal = slug.includes(":");
  const term = isLocal ? translateTerm(slug) : slug;
  if (term !== slug) return term;
  const name = slug
    .replace(/^[A-Z]+:/, "")
    .replaceAll("-and-", " & ")
    .replaceAll("-", " ")
    .replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
    .replace(/ (Tse|Icb)$/, (_, of: string) => ` (${of.toUpperCase()})`)
    .replace(/^Reit\b/, "REIT")
    .replace(/\bEandp$/, "E&P")
    .replace(
      /^(Banks|Beverages|Drug Manufacturers|Insurance(?! Brokers)|REIT|Software|Utilities) (?!\()/,
      "$1 - ",
    )
    .replace(/^Real Estate (?=D)/, "Real Estate - ")
    .replace("Non Alcoholic", "Non-Alcoholic")
    .replace("Furnishings Fixtures", "Furnishings, Fixtures");
  return isLocal ? name : translateTerm(translate(name));
}
