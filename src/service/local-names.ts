import type { Country } from "#domain/country.ts";
import { shortNames } from "#domain/short-names.ts";
import { katakanaNames } from "#domain/translated-names.ts";
import type { MarketStore } from "#store/index.ts";
import { formatKey } from "#operations/reading/symbols.ts";

/** The countries whose own names are shown in a language. */
const COUNTRIES: Readonly<Record<string, readonly Country[]>> = { ja: ["JP"], vi: ["VN"] };

/** The indices of other countries as Japanese newspapers write them. */
const INDICES: Readonly<Record<string, string>> = {
  "US:^DJI": "NYダウ",
  "US:^IXIC": "ナスダック総合指数",
  "US:^RUT": "ラッセル2000",
  "VN:VNINDEX": "VN指数",
  "VN:VN30": "VN30指数",
  "VN:HNXINDEX": "HNX指数",
  "VN:UPCOMINDEX": "UPCoM指数",
};

/**
 * The names of instruments for tables in a language, by `JP:7203`. They are the instruments of its own country without
 * legal forms, and in Japanese also well-known companies of the US and indices of other countries. Other languages have
 * none. A name that equals the one of the records is left out.
 */
export function namesIn(market: MarketStore, language: string): Record<string, string> {
  const names: Record<string, string> = language === "ja" ? { ...INDICES } : {};
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
