import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { DateText, Nullable, Price, type Static, Volume } from "./schema.ts";

/**
 * One completed session, split-adjusted but not dividend-adjusted, in the instrument's currency. A
 * day without trades has no bar.
 */
export const DailyBar = Type.Object({
  date: DateText,
  open: Price,
  high: Price,
  low: Price,
  close: Price,
  /** Shares or units traded; null if the source gives no volume. */
  volume: Nullable(Volume),
});
export type DailyBar = Static<typeof DailyBar>;

/** The daily bars of one instrument, oldest first, with distinct dates. */
export const BarHistory = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  /**
   * All bars are in the shares of the end of this day. If absent, it is the day of the newest bar; for
   * imported bars, the day of the newest prices at the import. The store applies later splits.
   */
  sharesAsOf: Type.Optional(DateText),
  /** True if the bars replace all stored ones even if they are all newer. */
  isWhole: Type.Optional(Type.Boolean()),
  bars: Type.Array(DailyBar),
});
export type BarHistory = Static<typeof BarHistory>;

/** Bars of one instrument in consecutive rows of a file. The next run may overwrite its columns. */
export interface BarRun {
  /** The file and what its rows are called: `bars.csv, line`. */
  readonly within: string;
  /** The number of the first row. */
  readonly firstNumber: number;
  /** The number of bars; columns may be longer. */
  readonly count: number;
  /** 20261120 for 2026-11-20. */
  readonly dates: Int32Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  /** NaN if the file gives no volume. */
  readonly volume: Float64Array;
}

/** Daily bars as columns of equal length, oldest first: the input of the analytics. */
export interface BarSeries {
  readonly dates: readonly string[];
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  /** NaN if the source gives no volume. */
  readonly volume: Float64Array;
}
