import type { Call } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import { type Sentence, type Shown, t, translate, valueAt } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { Tabs } from "./tabs.tsx";

/** The countries by code, with their short names. */
export const COUNTRY_NAMES: Readonly<Record<string, Sentence>> = {
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

/** The names of these indices. */
export const INDEX_NAMES: Readonly<Record<string, string>> = {
  US: "S&P 500",
  JP: "Nikkei 225",
  VN: "VN-Index",
};

const CODES = Object.keys(COUNTRY_NAMES);

/** The short name, in the reader's language. An unknown code is shown as it is. */
export const countryName = (code: string): Shown => translate(valueAt(COUNTRY_NAMES, code) ?? code);

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
      textOf={countryName}
    />
  );
}

/** The address of an instrument's page. */
export function symbolPath(country: string, symbol: string): string {
  return `/console/${country}/${encodeURIComponent(symbol)}`;
}

/** The valuation of a country, with as little else as an answer has. */
export const valuationCall = (country: string): Call<"get_sectors"> => ({
  operation: "get_sectors",
  args: { country, sector: "technology", columns: "stocks" },
});

/** The words for the status of a valuation. */
const WORDS: Readonly<Record<string, Sentence>> = { insufficient_history: "Too little history" };

/** A verdict with its window: `Expensive 10Y`. @param window `10y` */
export const verdictText = (verdict: string, window: string) =>
  t("{verdict} {window}", {
    verdict: translate(verdict),
    window: translate(window.toUpperCase()),
  });

/** The verdict on the P/E of a country's index, which leads to its explanation; its title has the average. */
export function CountryVerdict(props: {
  readonly country: string;
  readonly data: PayloadOf<"get_sectors"> | undefined;
}) {
  const { country_valuation_status: status, country_pe_5y_avg: average } = props.data ?? {};
  if (status === undefined) return null;
  return (
    <a
      href={`/console/sectors?country=${props.country}#verdict`}
      title={t("5-year average {value}", { value: formatNumber(average) })}
    >
      {translate(WORDS[status] ?? status)}
    </a>
  );
}
