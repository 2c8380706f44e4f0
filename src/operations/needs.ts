import { COUNTRIES, COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { Need } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";
import { parseSymbol } from "./reading/symbol-notation.ts";

/** The kinds with figures per share that a split changes long before their source does. */
const SPLIT_KINDS: readonly RecordKind[] = ["statements", "dividends"];

/** The kinds, and splits if one of the kinds needs them. */
function withSplits(kinds: readonly RecordKind[]): readonly RecordKind[] {
  return SPLIT_KINDS.some((kind) => kinds.includes(kind)) ? [...kinds, "splits"] : kinds;
}

/** The required records of these kinds for one country, or for all countries without `country`. */
export function countryNeeds(kinds: readonly RecordKind[], country?: Country): Need[] {
  const countries = country ? [country] : COUNTRY_CODES;
  return countries.flatMap((one) => kinds.map((kind) => ({ kind, country: one, symbol: null })));
}

/** The optional records of these kinds for one country, or for all countries without `country`. */
export function optionalCountryNeeds(kinds: readonly RecordKind[], country?: Country): Need[] {
  return countryNeeds(kinds, country).map((need) => ({ ...need, optional: true }));
}

/**
 * The records that an answer about one instrument needs: its listing, the `required` kinds, and the
 * `optional` kinds, without which the answer is less complete. Statements and dividends bring the splits.
 */
export function instrumentNeeds(
  { country, symbol }: { country: Country; symbol: string },
  required: readonly RecordKind[],
  optional: readonly RecordKind[] = [],
): Need[] {
  const others = withSplits([...required, ...optional]).slice(required.length);
  return [
    // Stored instruments are answered without a new listing too.
    { kind: "instruments", country, symbol: null, optional: true },
    ...required.map((kind) => ({ kind, country, symbol })),
    ...others.map((kind) => ({ kind, country, symbol, optional: true as const })),
  ];
}

/**
 * The records that an answer about a list of symbols needs: the listings of their countries, the
 * optional kinds of each symbol, and the bars of the countries' indices. A symbol without a
 * country is looked for in every country; only listed symbols are fetched.
 */
export function symbolListNeeds(symbols: string, optional: readonly RecordKind[]): Need[] {
  const keys = symbols.split(",").flatMap((written) => {
    const { country, symbol } = parseSymbol(written) ?? {};
    if (symbol === undefined) return [];
    return (country ? [country] : COUNTRY_CODES).map((one) => ({ country: one, symbol }));
  });
  const countries = [...new Set(keys.map(({ country }) => country))];
  return [
    ...countries.flatMap((country) => countryNeeds(["instruments"], country)),
    ...[
      ...keys.flatMap((key) => withSplits(optional).map((kind) => ({ kind, ...key }))),
      ...countries.map((country) => ({
        kind: "bars" as const,
        country,
        symbol: COUNTRIES[country].indexSymbol,
      })),
    ].map((need) => ({ ...need, optional: true as const })),
  ];
}
