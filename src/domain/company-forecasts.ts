import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { Amount, DateText, Nullable, type Static } from "./schema.ts";

const Figure = Nullable(Amount);

/** What a company itself expects of a fiscal year, from the day on which it said so. A figure that it does not give is null. */
const CompanyForecast = Type.Object({
  /** Last day of the fiscal year. */
  yearEnd: DateText,
  announcedOn: DateText,
  revenue: Figure,
  operatingIncome: Figure,
  /** Before extraordinary items and tax; null outside Japanese standards. */
  ordinaryIncome: Figure,
  /** To the owners of the parent. */
  netIncome: Figure,
  eps: Figure,
  /** Of the whole year. */
  dividendPerShare: Figure,
  /** The figures per share are in the shares of the end of this day. The store returns forecasts without it. */
  sharesAsOf: Type.Optional(DateText),
});
export type CompanyForecast = Static<typeof CompanyForecast>;

/**
 * What a company itself expects of the fiscal years that it has not reported yet; analysts' estimates are another kind.
 * Each announcement that changes a figure is listed, oldest first. The last one of a year is in force.
 */
export const CompanyForecasts = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  currency: Type.String({ pattern: "^[A-Z]{3}$" }),
  forecasts: Type.Array(CompanyForecast),
});
export type CompanyForecasts = Static<typeof CompanyForecasts>;
