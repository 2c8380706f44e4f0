import type { DailyBar } from "#domain/daily-bar.ts";
import { CsvError } from "#lib/csv.ts";

/**
 * What happens to a wrong row: all files are refused, the row is left out, its range is widened, or values that are
 * only implausible are kept.
 */
export const ON_BAD = ["refuse", "skip", "widen", "keep"] as const;

/** One of `ON_BAD`. */
export type OnBad = (typeof ON_BAD)[number];

/** A row that was left out or changed, and why. */
export interface LeftOutRow {
  readonly line: number;
  readonly reason: string;
}

/** The relative error that rounding of adjusted prices explains: high below open or close, or low above them. */
const ROUNDING = 1e-6;

/**
 * The same for an index. It is computed, not traded, and files often have high and low from another
 * source than open and close: one history of the VN-Index has 29 such days in 5,633, by up to 3.01 %.
 */
const INDEX_TOLERANCE = 0.05;

/** A range is widened up to this relative error. Beyond it, a price is wrong. */
const WIDEST = 0.2;

/**
 * The bar with high and low widened to hold open and close, and what was changed by more than rounding
 * (null for nothing).
 *
 * @throws CsvError if they miss them by more than the tolerance, which is 20 % if `onBad` is widen
 */
export function fitRange(
  line: number,
  bar: DailyBar,
  { isIndex, onBad }: { isIndex: boolean; onBad: OnBad },
): { bar: DailyBar; note: string | null } {
  const { open, high, low, close } = bar;
  const top = Math.max(open, close);
  const bottom = Math.min(open, close);
  if (high >= top && low <= bottom) return { bar, note: null };
  const faults = [
    { miss: 1 - high / low, text: `high ${high} is below low ${low}`, isTolerable: false },
    {
      miss: 1 - high / top,
      text: `high ${high} is below ${top === close ? "close" : "open"} ${top}`,
      isTolerable: isIndex,
    },
    {
      miss: low / bottom - 1,
      text: `low ${low} is above ${bottom === close ? "close" : "open"} ${bottom}`,
      isTolerable: isIndex,
    },
  ].filter(({ miss }) => miss > ROUNDING);
  for (const { miss, text, isTolerable } of faults) {
    const tolerance = onBad === "widen" ? WIDEST : isTolerable ? INDEX_TOLERANCE : ROUNDING;
    if (miss > tolerance) throw new CsvError(line, text);
  }
  return {
    bar: { ...bar, high: Math.max(high, low, top), low: Math.min(low, high, bottom) },
    note: faults.length === 0 ? null : faults.map(({ text }) => text).join(", "),
  };
}
