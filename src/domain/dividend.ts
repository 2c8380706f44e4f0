import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { DateText, Price, type Static } from "./schema.ts";

/**
 * Every cash dividend of one instrument, oldest first. An empty list says that it never paid; no
 * record says that its history is unknown.
 */
export const DividendHistory = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  dividends: Type.Array(
    Type.Object({
      exDate: DateText,
      /** Per share, split-adjusted, in the instrument's currency. */
      amount: Price,
    }),
  ),
});
export type DividendHistory = Static<typeof DividendHistory>;
