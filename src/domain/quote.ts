import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { DateText, Nullable, type Static } from "./schema.ts";

const Figure = Nullable(Type.Number());

/**
 * The newest price of an instrument with what its publisher says beside it, in the instrument's
 * currency. It stands in where bars or statements of an instrument were never fetched.
 */
export const Quote = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  /** The session that the price is of. */
  date: DateText,
  price: Type.Number({ exclusiveMinimum: 0 }),
  /** The close of the session before. */
  previousClose: Nullable(Type.Number({ exclusiveMinimum: 0 })),
  volume: Nullable(Type.Number({ minimum: 0 })),
  marketCap: Nullable(Type.Number({ exclusiveMinimum: 0 })),
  /** Diluted earnings per share of the trailing twelve months. */
  epsTtm: Figure,
  /** Price / book value. */
  priceToBook: Figure,
  /** Trailing twelve months, in percent. */
  dividendYieldPercent: Figure,
});
export type Quote = Static<typeof Quote>;
