import type { DailyBar } from "#domain/daily-bar.ts";

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

/** A bar whose range holds open and close. */
interface FittedBar {
  readonly bar: DailyBar;
  /** What was changed by more than rounding; null for nothing. */
  readonly note: string | null;
  /** The fault of a bar whose high or low misses them by more than is tolerated. */
  readonly fault: string | null;
}

/**
 * The bar with high and low widened to hold open and close. Rounding is tolerated, in an index 5 %, and 20 % if
 * `onBad` is widen.
 */
export function fitRange(bar: DailyBar, onBad: OnBad = "refuse", isIndex = false): FittedBar {
  const { open, high, low, close } = bar;
  const top = Math.max(open, close);
  const bottom = Math.min(open, close);
  if (high >= top && low <= bottom) return { bar, note: null, fault: null };
  const ofRange = isIndex ? INDEX_TOLERANCE : ROUNDING;
  const misses = [
    { miss: 1 - high / low, text: `high ${high} is below low ${low}`, tolerance: ROUNDING },
    {
      miss: 1 - high / top,
      text: `high ${high} is below ${top === close ? "close" : "open"} ${top}`,
      tolerance: ofRange,
    },
    {
      miss: low / bottom - 1,
      text: `low ${low} is above ${bottom === close ? "close" : "open"} ${bottom}`,
      tolerance: ofRange,
    },
  ].filter(({ miss }) => miss > ROUNDING);
  const wrong = misses.find(
    ({ miss, tolerance }) => miss > (onBad === "widen" ? WIDEST : tolerance),
  );
  return {
    bar: { ...bar, high: Math.max(high, low, top), low: Math.min(low, high, bottom) },
    note: misses.length === 0 ? null : misses.map(({ text }) => text).join(", "),
    fault: wrong?.text ?? null,
  };
}
