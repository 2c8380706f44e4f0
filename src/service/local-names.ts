import type { Country } from "#domain/country.ts";
import { shortNames } from "#domain/short-names.ts";
import { katakanaNames } from "#domain/translated-names.ts";
import type { MarketStore } from "#store/index.ts";
import { formatKey } from "#operations/reading/symbols.ts";

/** The countries whose own names are shown in a language. */
const COUNTRIES: Readonly<Record<string, readonly Country[]>> = { ja: ["JP"], vi: ["VN"] };

/**
 * The names of instruments for tables in a language, by `JP:7203`: the instruments of its own country without legal
 * forms, and in Japanese the well-known companies of the US. None in a language without them. A name that is the one
 * of the records is left out.
 */
export function namesIn(market: MarketStore, language: string): Record<string, string> {
  const names: Record<string, string> = {};
  if (language === "ja")
    for (const [symbol, name] of katakanaNames())
      names[formatKey({ country: "US", symbol })] = name;
  for (const country of COUNTRIES[language] ?? []) {
    const all = market.instruments.listNames(country);
    const short = shortNames(all);
    for (const { symbol, name } of all) {
      const shown = short.get(symbol) ?? name;
      if (shown !== name) names[formatKey({ country, symbol })] = shown;
    }
  }
  return names;
}
