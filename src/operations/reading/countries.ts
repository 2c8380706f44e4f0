import { Type } from "@sinclair/typebox";
import { type Country, COUNTRY_CODES, CountryCode } from "#domain/country.ts";
import type { DecodedArguments } from "./decode.ts";
import { ListInput } from "./inputs.ts";

/** The input schemas of a call about one country or several. `countries` alone is sufficient. */
export const CountryInputs = {
  country: {
    ...CountryCode,
    orElse: "countries",
    correction: (text: string) =>
      text.includes(",") ? "For several countries use countries." : undefined,
  },
  countries: Type.Optional(ListInput(CountryCode, "Further ones, side by side: JP,VN.")),
};

/** The arguments with `country` for one country, or with `countries` for several, in the order of `COUNTRY_CODES`. */
export function withCountries({ country, countries, ...others }: DecodedArguments) {
  const named = [country, ...(typeof countries === "string" ? countries.split(",") : [])];
  const [first, ...more] = COUNTRY_CODES.filter((code) => named.includes(code));
  return more.length === 0
    ? { country: first, ...others }
    : { countries: [first, ...more].join(), ...others };
}

/** The countries of arguments that `withCountries` has read. */
export function countriesOf({
  country,
  countries,
}: {
  readonly country?: Country;
  readonly countries?: string;
}): Country[] {
  return (countries?.split(",") ?? [country]) as Country[];
}
