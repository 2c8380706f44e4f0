import { Type } from "@sinclair/typebox";
import { unpublishedDecrees } from "#analytics/exchange-holidays.ts";
import {
  EXCHANGE_STATUSES,
  exchangeState,
  upcomingHalfDays,
  upcomingHolidays,
} from "#analytics/sessions.ts";
import { COUNTRIES, COUNTRY_CODES, CountryCode, localDateOf } from "#domain/country.ts";
import { ASSET_TYPES } from "#domain/instrument.ts";
import { DateOutput, InstantOutput, StringEnum } from "#domain/schema.ts";
import { optionalCountryNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

/** The number of days for which exchange holidays are listed. */
const HOLIDAY_DAYS = 180;

const Count = Type.Integer({ minimum: 0 });

/** The last columns of the catalog as a table. */
const MARKET_COLUMNS = [
  "time_zone",
  "hours",
  "status",
  "status_until",
  "upcoming_holidays",
  "upcoming_half_days",
];

export const getMarkets = defineOperation({
  name: "get_markets",
  set: "market",
  title: "Markets catalog",
  description:
    "Lists the countries with currency, index, symbol counts, whether the exchange is open, and its holidays of the next 180 days. For tickers use list_symbols.",
  path: "/data/markets",
  notRewound: ["rules of holidays"],
  input: Type.Object({
    country: Type.Optional({ ...CountryCode, description: "Only this country; all by default." }),
  }),
  ignoresUnknown: true,
  omitsCountry: true,
  output: Type.Object({
    countries: Type.Array(
      Type.Object({
        code: CountryCode,
        name: Type.String({ description: "Name of the country: United States." }),
        currency: Type.String({ description: "ISO currency code: USD." }),
        index_name: Type.String({ description: "Name of the primary index: S&P 500." }),
        asset_types: Type.Array(StringEnum(ASSET_TYPES), {
          description: "Asset types with at least one symbol.",
        }),
        asset_counts: Type.Record(Type.String(), Count, {
          description: "Number of symbols by asset type. Types without symbols are left out.",
        }),
        total_symbols: Type.Integer({
          minimum: 0,
          description: "Number of symbols in the country.",
        }),
        upcoming_holidays: Type.Array(
          Type.Object({
            date: DateOutput("Local date of the exchange, YYYY-MM-DD."),
            name: Type.String({ description: "Name of the holiday: Christmas Day." }),
          }),
          { description: "Weekdays on which the exchange is closed, today's local date or later." },
        ),
        upcoming_half_days: Type.Array(
          Type.Object({
            date: DateOutput("Local date of the exchange, YYYY-MM-DD."),
            name: Type.String({ description: "Name of the half day: Christmas Eve." }),
            closes_at: Type.String({
              description: "Local time at which the session closes: 13:00.",
            }),
          }),
          { description: "Sessions that close early." },
        ),
        exchange: Type.Object({
          time_zone: Type.String({ description: "Asia/Tokyo." }),
          hours: Type.Array(Type.String(), {
            description: "Parts of a regular session in local time: 09:00-11:30.",
          }),
          status: StringEnum(EXCHANGE_STATUSES, { description: "break: pause at noon." }),
          status_until: InstantOutput("Time of its next change, UTC."),
        }),
      }),
    ),
    supported_countries: Type.Array(CountryCode),
    total_symbols: Type.Integer({ minimum: 0, description: "Number of symbols in all countries." }),
  }),
  table: ({ countries }) => ({
    columns: [
      "code",
      "name",
      "currency",
      "index_name",
      // The column currency is the country's.
      ...ASSET_TYPES.map((type) => (type === "currency" ? "currency_pairs" : type)),
      "total_symbols",
      ...MARKET_COLUMNS,
    ],
    rows: countries.map((one) => [
      one.code,
      one.name,
      one.currency,
      one.index_name,
      ...ASSET_TYPES.map((type) => one.asset_counts[type] ?? 0),
      one.total_symbols,
      one.exchange.time_zone,
      one.exchange.hours.join("; "),
      one.exchange.status,
      one.exchange.status_until,
      one.upcoming_holidays.map(({ date, name }) => `${date} ${name}`).join("; "),
      one.upcoming_half_days.map(({ date, name }) => `${date} ${name}`).join("; "),
    ]),
  }),
  // Holidays are computed, so the catalog is useful without a list of instruments.
  needs: () => optionalCountryNeeds(["instruments"]),
  handle({ country }, { market, now }) {
    const counts = market.instruments.countByAssetType();
    const total = (list: typeof counts) => list.reduce((sum, { count }) => sum + count, 0);
    const codes = country === undefined ? COUNTRY_CODES : [country];
    return {
      data: {
        countries: codes.map((code) => {
          const own = counts.filter(({ country }) => country === code);
          const today = localDateOf(code, now);
          const overrides = [
            ...unpublishedDecrees(code, today),
            ...market.documents.list("holidayOverrides", code),
          ];
          const { status, until } = exchangeState(code, now, overrides);
          return {
            code,
            name: COUNTRIES[code].name,
            currency: COUNTRIES[code].currency,
            index_name: COUNTRIES[code].indexName,
            asset_types: own.map(({ assetType }) => assetType),
            asset_counts: Object.fromEntries(own.map(({ assetType, count }) => [assetType, count])),
            total_symbols: total(own),
            upcoming_holidays: upcomingHolidays(code, today, HOLIDAY_DAYS, overrides),
            upcoming_half_days: upcomingHalfDays(code, today, HOLIDAY_DAYS, overrides).map(
              ({ date, name, closesAt }) => ({ date, name, closes_at: closesAt }),
            ),
            exchange: {
              time_zone: COUNTRIES[code].timeZone,
              hours: COUNTRIES[code].tradingHours.map(({ opens, closes }) => `${opens}-${closes}`),
              status,
              status_until: new Date(until).toISOString(),
            },
          };
        }),
        supported_countries: COUNTRY_CODES,
        total_symbols: total(counts),
      },
      from: [
        ...market.instruments.listSources(),
        ...codes.flatMap((code) => market.documents.list("holidayOverrides", code)),
      ],
    };
  },
});
