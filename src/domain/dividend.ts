import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { DateText, Price, type Static } from "./schema.ts";

/**
 * All cash dividends of one instrument, oldest first. An empty list means that it never paid a dividend;
 * without a record the history is unknown.
 */
export const DividendHistory = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  /**
   * All amounts are in the shares of the end of this day; if absent, of the day of the newest prices when
   * the record is stored. The store applies later splits.
   */
  sharesAsOf: Type.Optional(DateText),
  dividends: Type.Array(
    Type.Object({
      exDate: DateText,
      /** Per share, split-adjusted. */
      amount: Price,
      /** Code of the currency of the amount (`CAD`, `GBX`). A stored dividend has none: it is in the instrument's one. */
      currency: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
    }),
  ),
});
export type DividendHistory = Static<typeof DividendHistory>;
