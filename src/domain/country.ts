import { dateFormatIn } from "#lib/date.ts";
import { Named, StringEnum } from "./schema.ts";

/** What is fixed about a market, in the order in which countries are listed. */
export const COUNTRIES = {
  US: {
    name: "United States",
    currency: "USD",
    indexName: "S&P 500",
    indexSymbol: "^GSPC",
    timeZone: "America/New_York",
    /** UTC hour and minute by which the day's session is complete, all year round. */
    sessionCompleteUtc: "22:00",
    /** Statutory corporate tax in percent, where a company's own rate is unknown. */
    taxPercent: 21,
  },
  JP: {
    name: "Japan",
    currency: "JPY",
    indexName: "Nikkei 225",
    indexSymbol: "^N225",
    timeZone: "Asia/Tokyo",
    sessionCompleteUtc: "07:00",
    taxPercent: 30.6,
  },
  VN: {
    name: "Viet Nam",
    currency: "VND",
    indexName: "VN-Index",
    indexSymbol: "VNINDEX",
    timeZone: "Asia/Ho_Chi_Minh",
    sessionCompleteUtc: "08:30",
    taxPercent: 20,
  },
} as const;

/** Two-letter code of a supported country. */
export type Country = keyof typeof COUNTRIES;

/** Every country, in the order in which they are listed. */
export const COUNTRY_CODES = Object.keys(COUNTRIES) as [Country, ...Country[]];

/** The schema of a country's code. */
export const CountryCode = Named(
  "Country",
  StringEnum(COUNTRY_CODES, {
    description: "Market: US (United States), JP (Japan) or VN (Viet Nam).",
  }),
);

const localDates = new Map<Country, (utcMs: number) => string>();

/** The date that clocks in the country show at an instant in UTC milliseconds. */
export function localDateOf(country: Country, utcMs: number): string {
  const format = localDates.get(country) ?? dateFormatIn(COUNTRIES[country].timeZone);
  localDates.set(country, format);
  return format(utcMs);
}

/** The country's name in lower case, as calendar events carry it: `united states`. */
export function countryLowerName(country: Country): string {
  return COUNTRIES[country].name.toLowerCase();
}

/** The country's name as a slug, as forecasts carry it: `united-states`. */
export function countrySlug(country: Country): string {
  return countryLowerName(country).replaceAll(" ", "-");
}
