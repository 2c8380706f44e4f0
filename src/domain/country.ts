import { addDays } from "#lib/date.ts";
import { dateIn, instantIn } from "#lib/zone.ts";
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
    // The hours of HOSE. HNX closes at 15:00.
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
      "The United States": "US",
      "United States of America": "US",
      アメリカ: "US",
      アメリカ合衆国: "US",
      米国: "US",
      "Hoa Kỳ": "US",
      Mỹ: "US",
      JPN: "JP",
      Japan: "JP",
      日本: "JP",
      "Nhật Bản": "JP",
      VNM: "VN",
      Vietnam: "VN",
      ベトナム: "VN",
      越南: "VN",
    },
  }),
);

/** The country's local date, YYYY-MM-DD, at an instant in UTC milliseconds. */
export function localDateOf(country: Country, utcMs: number): string {
  return dateIn(COUNTRIES[country].timeZone, utcMs);
}

/** The instant, in UTC milliseconds, at which a session of that local date opens. */
export function sessionOpensAt(country: Country, date: string): number {
  const { timeZone, tradingHours } = COUNTRIES[country];
  return instantIn(timeZone, date, tradingHours[0].opens);
}

/**
 * The day of the newest prices: the local date, or the day before until the exchange opens. Share counts
 * that a source gives before the opening do not have today's split.
 */
export function priceDateOf(country: Country, utcMs: number): string {
  const today = localDateOf(country, utcMs);
  return utcMs < sessionOpensAt(country, today) ? addDays(today, -1) : today;
}

/** The country's name in lower case, as in calendar events: `united states`. */
export function countryLowerName(country: Country): string {
  return COUNTRIES[country].name.toLowerCase();
}

/** The slug of the country's name, as in forecasts: `united-states`. */
export function countrySlug(country: Country): string {
  return countryLowerName(country).replaceAll(" ", "-");
}
