import type { Country } from "#domain/country.ts";
import { katakanaNames, localName } from "#domain/translated-names.ts";
import type { MarketStore } from "#store/index.ts";
import { formatKey } from "#operations/reading/symbols.ts";

/** The country whose own names are in a language. */
const COUNTRIES: ReadonlyMap<string, Country> = new Map([
  ["ja", "JP"],
  ["vi", "VN"],
]);

/**
 * The names of instruments in a language, by `JP:7203`: the instruments of its own country, and in Japanese the well-known
 * companies of the US. None in a language without them.
 */
export function namesIn(market: MarketStore, language: string): Record<string, string> {
  const country = COUNTRIES.get(language);
  if (country === undefined) return {};
  const foreign = language === "ja" ? [...katakanaNames()] : [];
  const own = market.instruments.listNamed(country).flatMap((one) => {
    const name = localName(one);
    return name === null ? [] : [[formatKey(one), name] as const];
  });
  return Object.fromEntries([
    ...foreign.map(([symbol, name]) => [formatKey({ country: "US", symbol }), name] as const),
    ...own,
  ]);
}
