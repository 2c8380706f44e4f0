import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { Amount, DateText, Multiple, Nullable, Price, type Static, Volume } from "./schema.ts";

/**
 * The newest price of an instrument, with figures of the same source, in the instrument's currency. It
 * is used for instruments whose bars or statements were not fetched.
 */
export const Quote = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  /** The date of the session of the price. */
  date: DateText,
  price: Price,
  /** The close of the previous session. */
  previousClose: Nullable(Price),
  volume: Nullable(Volume),
  marketCap: Nullable(Type.Number({ exclusiveMinimum: 0, maximum: 1e18 })),
  /** Diluted earnings per share of the trailing twelve months. */
  epsTtm: Nullable(Amount),
  /** Price / book value. */
  priceToBook: Nullable(Multiple),
  /** Trailing twelve months, in percent. */
  dividendYieldPercent: Nullable(Multiple),
  /** The prices between which the exchange lets it trade in that session. Left out if the source does not name them. */
  limits: Type.Optional(Type.Object({ reference: Price, ceiling: Price, floor: Price })),
});
export type Quote = Static<typeof Quote>;

const TradedValue = Type.Number({ minimum: 0, maximum: 1e18 });

/** What foreigners traded of an instrument in its newest completed session, and what they may still buy. */
export const ForeignTrades = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  /** The date of the session. */
  date: DateText,
  /** In the instrument's currency. */
  boughtValue: Nullable(TradedValue),
  soldValue: Nullable(TradedValue),
  /** The shares up to the limit on foreign ownership, after the session. */
  room: Nullable(Volume),
});
export type ForeignTrades = Static<typeof ForeignTrades>;
