import type { DailyBar } from "#domain/daily-bar.ts";
import { ratioOf, type Split } from "#domain/split.ts";
import { adjustBar } from "#domain/split-adjustment.ts";
import { daysBetween } from "#lib/date.ts";
import { threshold } from "./plausibility.ts";
import { tradesMore } from "./trading-activity.ts";

/**
 * Divides the bars that a source has not adjusted for a split: a jump by the split's ratio near its date shows
 * them. Prices are divided by the ratio, volumes multiplied. Returns the same array if no bar changes.
 *
 * Bars before the jump are divided, back to an opposite jump, because some sources adjust all but the newest
 * bars. A jump with a surge of trading is a true move. Bars are oldest first.
 */
export function repairBars(
  bars: readonly DailyBar[],
  splits: readonly Split[],
): readonly DailyBar[] {
  let adjusted = bars;
  for (const split of splits) {
    const ratio = ratioOf(split);
    const move = Math.log(ratio);
    if (Math.abs(move) < threshold("leastSplit")) continue;
    const end = findJump(adjusted, split.exDate, -move);
    if (end === null) continue;
    const start = findStart(adjusted, end, move);
    adjusted = adjusted.map((bar, i) => (i < start || i >= end ? bar : adjustBar(bar, ratio)));
  }
  return adjusted;
}

/** The bar after a jump by `move` near the date; null if there is none. */
function findJump(bars: readonly DailyBar[], exDate: string, move: number): number | null {
  const at = bars.findIndex(({ date }) => date >= exDate);
  const last = bars.at(-1)?.date;
  // The bars are all from after the split, or from long before it.
  if (at === 0 || last === undefined || (at === -1 && daysBetween(last, exDate) > 7)) return null;
  const center = at === -1 ? bars.length : at;
  const isSmall = Math.abs(move) < threshold("smallSplit");
  const span = isSmall ? 0 : threshold("splitSessions");
  let found: number | null = null;
  let least = Math.abs(move) * (isSmall ? 0.3 : 0.5);
  for (let i = Math.max(1, center - span); i <= Math.min(bars.length - 1, center + span); i++) {
    const residual = Math.abs(moveAt(bars, i) - move);
    const isItsDay = i >= center - 1 && i <= center && residual < 0.1;
    if (residual >= least || (!isItsDay && tradesMore(bars, i))) continue;
    [found, least] = [i, residual];
  }
  return found;
}

/** The first bar of the part before `end` that is not adjusted: after the last opposite jump, or 0. */
function findStart(bars: readonly DailyBar[], end: number, move: number): number {
  if (Math.abs(move) < threshold("smallSplit")) return 0;
  for (let i = end - 1; i > 0; i--) {
    const isOpposite = Math.abs(moveAt(bars, i) - move) < 0.3 * Math.abs(move);
    if (isOpposite && !tradesMore(bars, i)) return i;
  }
  return 0;
}

function moveAt(bars: readonly DailyBar[], i: number): number {
  return Math.log((bars[i]?.close ?? Number.NaN) / (bars[i - 1]?.close ?? Number.NaN));
}
