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
      /** The part of the amount that is a capital gain of a fund, 0 or absent if there is none. It counts for returns, not for yields. */
      capitalGain: Type.Optional(Type.Number({ minimum: 0, maximum: 1e12 })),
      /** Code of the currency of the amount (`CAD`, `GBX`). A stored dividend has none: it is in the instrument's one. */
      currency: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
    }),
  ),
});
export type DividendHistory = Static<typeof DividendHistory>;

/** One dividend of a history. */
export type Dividend = DividendHistory["dividends"][number];

/** The same dividend with its amounts changed by that function. */
export function mapAmounts(dividend: Dividend, change: (amount: number) => number): Dividend {
  const { amount, capitalGain } = dividend;
  const changed = { ...dividend, amount: change(amount) };
  return capitalGain === undefined ? changed : { ...changed, capitalGain: change(capitalGain) };
}

/** The amount of a dividend without the capital gain in it, as yields count it. */
export const dividendIncome = ({ amount, capitalGain = 0 }: Dividend): number =>
  amount - capitalGain;
