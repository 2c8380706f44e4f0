import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import type { Need } from "#domain/fetch.ts";
import type { RecordKind } from "#domain/records.ts";

/** The records of these kinds for one country, or for all where none is named. */
export function countryNeeds(kinds: readonly RecordKind[], country?: Country): Need[] {
  const countries = country ? [country] : COUNTRY_CODES;
  return countries.flatMap((one) => kinds.map((kind) => ({ kind, country: one, symbol: null })));
}

/** What helps an answer about a country but is no part of it. */
export function optionalCountryNeeds(kinds: readonly RecordKind[], country?: Country): Need[] {
  return countryNeeds(kinds, country).map((need) => ({ ...need, optional: true }));
}

/**
 * What an answer about one instrument needs: its listing, the kinds without which there is no answer,
 * and those that only add to it. Its profile (`instruments`) always is of the latter.
 */
export function instrumentNeeds(
  { country, symbol }: { country: Country; symbol: string },
  required: readonly RecordKind[],
  optional: readonly RecordKind[] = [],
): Need[] {
  return [
    // What is known already is answered without it too.
    { kind: "instruments", country, symbol: null, optional: true },
    ...required.map((kind) => ({ kind, country, symbol })),
    ...optional.map((kind) => ({ kind, country, symbol, optional: true as const })),
  ];
}
