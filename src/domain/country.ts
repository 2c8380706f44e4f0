import { dateIn } from "#lib/zone.ts";
import { Named, StringEnum } from "./schema.ts";

/** The constants of each market, in the order in which countries are listed. */
export const COUNTRIES = {
  US: {
    name: "United States",
    currency: "USD",
    indexName: "S&P 500",
    indexSymbol: "^GSPC",
    timeZone: "America/New_York",
    /** The parts of a regular session, in local time. */
    tradingHours: [{ opens: "09:30", closes: "16:00" }],
    /** UTC time, `HH:MM`, at which the day's session is complete in summer and in winter. */
    sessionCompleteUtc: "22:00",
    /** Statutory corporate tax in percent, used if a company's own rate is unknown. */
    taxPercent: 21,
  },
  JP: {
    name: "Japan",
    currency: "JPY",
    indexName: "Nikkei 225",
    indexSymbol: "^N225",
    timeZone: "Asia/Tokyo",
    tradingHours: [
      { opens: "09:00", closes: "11:30" },
      { opens: "12:30", closes: "15:30" },
    ],
    sessionCompleteUtc: "07:00",
    taxPercent: 30.6,
  },
  VN: {
    name: "Viet Nam",
    currency: "VND",
    indexName: "VN-Index",
    indexSymbol: "VNINDEX",
    timeZone: "Asia/Ho_Chi_Minh",
    // Those of HOSE. HNX closes at 15:00.
    tradingHours: [
      { opens: "09:00", closes: "11:30" },
      { opens: "13:00", closes: "14:45" },
    ],
    sessionCompleteUtc: "08:30",
    taxPercent: 20,
  },
} as const;

/** The two-letter code of a supported country. */
export type Country = keyof typeof COUNTRIES;

/** The codes of all countries, in the order in which they are listed. */
export const COUNTRY_CODES = Object.keys(COUNTRIES) as [Country, ...Country[]];

/** The schema of a country's code. */
export const CountryCode = Named(
  "Country",
  StringEnum(COUNTRY_CODES, {
    description: "Country of the market: JP.",
    exact: true,
    aliases: {
      USA: "US",
      America: "US",
      "United States": "US",
      "United States of America": "US",
      JPN: "JP",
      Japan: "JP",
      VNM: "VN",
      Vietnam: "VN",
    },
  }),
);

/** The country's local date, YYYY-MM-DD, at an instant in UTC milliseconds. */
export function localDateOf(country: Country, utcMs: number): string {
  return dateIn(COUNTRIES[country].timeZone, utcMs);
}

/** The country's name in lower case, as in calendar events: `united states`. */
export function countryLowerName(country: Country): string {
  return COUNTRIES[country].name.toLowerCase();
}

/** The slug of the country's name, as in forecasts: `united-states`. */
export function countrySlug(country: Country): string {
  return countryLowerName(country).replaceAll(" ", "-");
}
