import { t, translate, translateTerm } from "#console/app/words.ts";

/** The name of a sector or an industry from its slug: `real-estate` is `Real Estate`. Empty: `Other`. */
export function classNameOf(slug: string): string {
  if (slug === "") return t("Other");
  const name = slug
    .replaceAll("-and-", " & ")
    .replaceAll("-", " ")
    .replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
    .replace(/^Reit\b/, "REIT")
    .replace(/\bEandp$/, "E&P")
    .replace(
      /^(Banks|Beverages|Drug Manufacturers|Insurance(?! Brokers)|REIT|Software|Utilities) /,
      "$1 - ",
    )
    .replace(/^Real Estate (?=D)/, "Real Estate - ")
    .replace("Non Alcoholic", "Non-Alcoholic")
    .replace("Furnishings Fixtures", "Furnishings, Fixtures");
  return translateTerm(translate(name));
}
