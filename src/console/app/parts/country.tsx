import type { Call } from "#console/app/api.ts";
import { translate } from "#console/app/words.ts";
import { Tabs } from "./tabs.tsx";

/** The countries by code, with their short names. */
export const COUNTRY_NAMES: Readonly<Record<string, string>> = {
  US: "US",
  JP: "Japan",
  VN: "Viet Nam",
};

/** The call for the countries with their exchanges and holidays. */
export const MARKETS: Call<"get_markets"> = { operation: "get_markets", args: {} };

/** The primary index of each country. */
export const INDICES: Readonly<Record<string, string>> = {
  US: "^GSPC",
  JP: "^N225",
  VN: "VNINDEX",
};

const CODES = Object.keys(COUNTRY_NAMES);

/** The short name, in the reader's language. An unknown code is shown as it is. */
export const countryName = (code: string): string => translate(COUNTRY_NAMES[code] ?? code);

/** The name in a sentence: `the US`. An unknown code is shown as it is. */
export function countryInText(code: string): string {
  const name = countryName(code);
  return name === "US" ? "the US" : name;
}

/** The choice of a country. */
export function CountryTabs(props: {
  readonly current: string;
  readonly onChange: (code: string) => void;
}) {
  return (
    <Tabs
      label="Country"
      tabs={CODES}
      current={props.current}
      onChange={props.onChange}
      textOf={(code) => COUNTRY_NAMES[code] ?? code}
    />
  );
}

/** The address of an instrument's page. */
export function symbolPath(country: string, symbol: string): string {
  return `/console/${country}/${encodeURIComponent(symbol)}`;
}
