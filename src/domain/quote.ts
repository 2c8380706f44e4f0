import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { Amount, DateText, Multiple, Nullable, Price, type Static, Volume } from "./schema.ts";

/**
 * The newest price of an instrument with what its publisher says beside it, in the instrument's
 * currency. It is used where bars or statements of an instrument were never fetched.
 */
export const Quote = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  /** The session that the price is of. */
  date: DateText,
  price: Price,
  /** The close of the session before. */
  previousClose: Nullable(Price),
  volume: Nullable(Volume),
  marketCap: Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1e18 })),
  /** Diluted earnings per share of the trailing twelve months. */
  epsTtm: Nullable(Amount),
  /** Price / book value. */
  priceToBook: Nullable(Multiple),
  /** Trailing twelve months, in percent. */
  dividendYieldPercent: Nullable(Multiple),
});
export type Quote = Static<typeof Quote>;
