import type { DailyBar } from "#domain/daily-bar.ts";
import { addDays } from "#lib/date.ts";
import type { BarFault } from "./bar-check.ts";
import { threshold } from "./plausibility.ts";

/** A rate of the bank counts for a bar of the day before it, and of this many days after it. */
const DAYS_AFTER = 3;

/**
 * The bars of a currency pair without those whose close is far from all rates of a central bank around their day.
 * Bars without a rate around their day are not judged.
 */
export function checkRates(
  bars: readonly DailyBar[],
  rates: ReadonlyMap<string, number>,
): { bars: DailyBar[]; faults: BarFault[] } {
  const faults: BarFault[] = [];
  const kept = bars.filter(({ date, close }) => {
    const near: number[] = [];
    for (let day = -DAYS_AFTER; day <= 1; day++) {
      const rate = rates.get(addDays(date, day));
      if (rate !== undefined) near.push(rate);
    }
    const isNear = (rate: number) => Math.abs(Math.log(close / rate)) <= threshold("referenceRate");
    if (near.length === 0 || near.some(isNear)) return true;
    const reason = `close ${close} beside ${near.at(-1)} of the European Central Bank`;
    faults.push({ date, bars: 1, reason });
    return false;
  });
  return { bars: kept, faults };
}
