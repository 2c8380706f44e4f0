import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { DateText, Price, type Static } from "./schema.ts";

/**
 * The closes of a year and a month of one instrument, oldest first, split-adjusted, in its currency.
 * They are used for price returns until its daily bars are fetched. Both lists have the same length.
 */
export const RecentCloses = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  /** The date of the first close. */
  from: DateText,
  /** The day of each close, counted from the first one: 0, 1, 4. */
  days: Type.Array(Type.Integer({ minimum: 0, maximum: 800 }), { minItems: 1, maxItems: 800 }),
  closes: Type.Array(Price, { minItems: 1, maxItems: 800 }),
});
export type RecentCloses = Static<typeof RecentCloses>;
