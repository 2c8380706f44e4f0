import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { DateText, Nullable, type Static } from "./schema.ts";

/**
 * One completed session, split-adjusted but not dividend-adjusted, in the instrument's currency. A
 * day without trades has no bar.
 */
export const DailyBar = Type.Object({
  date: DateText,
  open: Type.Number({ exclusiveMinimum: 0 }),
  high: Type.Number({ exclusiveMinimum: 0 }),
  low: Type.Number({ exclusiveMinimum: 0 }),
  close: Type.Number({ exclusiveMinimum: 0 }),
  /** Shares or units traded; null where the source gives none. */
  volume: Nullable(Type.Number({ minimum: 0 })),
});
export type DailyBar = Static<typeof DailyBar>;

/** The daily bars of one instrument, oldest first, no date twice. */
export const BarHistory = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  bars: Type.Array(DailyBar),
});
export type BarHistory = Static<typeof BarHistory>;

/** Daily bars as columns, oldest first: what the analytics work on. All arrays have one length. */
export interface BarSeries {
  readonly dates: readonly string[];
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  /** NaN where the source gives no volume. */
  readonly volume: Float64Array;
}
