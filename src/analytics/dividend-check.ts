import type { DividendHistory } from "#domain/dividend.ts";
import { ratioOf, type Split } from "#domain/split.ts";
import { perNewShare } from "#domain/split-adjustment.ts";
import { daysBetween } from "#lib/date.ts";
import { threshold } from "./plausibility.ts";

/** A dividend that is not stored, and why. */
export interface DividendFault {
  readonly exDate: string;
  /** A clause: `dividend 20 on 2025-05-01 between 0.2 and 0.2`. */
  readonly reason: string;
}

/** Days around a split in which a dividend may be stated in the shares before it. */
const SPLIT_DAYS = 31;

/**
 * Divides dividends that are stated in the shares before a split: a dividend near the split that is a multiple of its
 * neighbours, and like them after division.
 */
export function repairDividends(
  history: DividendHistory,
  splits: readonly Split[],
): DividendHistory {
  const most = Math.log(threshold("dividendOfSplit"));
  const dividends = history.dividends.map((dividend, i, all) => {
    const split = splits.find(
      ({ exDate }) => Math.abs(daysBetween(exDate, dividend.exDate)) <= SPLIT_DAYS,
    );
    const near = neighbours(all, i);
    if (!split || near.length === 0) return dividend;
    const amount = perNewShare(dividend.amount, ratioOf(split));
    const isOld = distance(dividend.amount, near) > most && distance(amount, near) <= most;
    return isOld ? { ...dividend, amount } : dividend;
  });
  return { ...history, dividends };
}

/** The dividends without those a hundred times, or a hundredth, of both neighbours: they are in another unit. */
export function checkDividends(
  history: DividendHistory,
  splits: readonly Split[],
): { record: DividendHistory; faults: readonly DividendFault[] } {
  const adjusted = repairDividends(history, splits);
  const faults: DividendFault[] = [];
  const least = Math.log(threshold("dividendUnit"));
  const dividends = adjusted.dividends.filter(({ amount, exDate }, i, all) => {
    const near = neighbours(all, i);
    if (near.length < 2 || distance(amount, near) < least) return true;
    const reason = `dividend ${amount} on ${exDate} between ${near.join(" and ")}`;
    faults.push({ exDate, reason });
    return false;
  });
  return { record: { ...adjusted, dividends }, faults };
}

/** The amounts before and after. */
function neighbours(dividends: DividendHistory["dividends"], i: number): number[] {
  return [dividends[i - 1], dividends[i + 1]].flatMap((one) => one?.amount ?? []);
}

/** The smallest distance of an amount from others, as a logarithm. */
function distance(amount: number, others: readonly number[]): number {
  return Math.min(...others.map((other) => Math.abs(Math.log(amount / other))));
}
