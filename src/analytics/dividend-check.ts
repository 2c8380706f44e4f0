import { type DividendHistory, mapAmounts } from "#domain/dividend.ts";
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
    return isOld ? mapAmounts(dividend, (old) => perNewShare(old, ratioOf(split))) : dividend;
  });
  return { ...history, dividends };
}

/**
 * Checks dividends in the currency of the prices. Faults are those a hundred times, or a hundredth, of both neighbours,
 * which are in another unit, and those as large as the close before them. `closeBefore` finds the last close before a
 * date in the same shares, null if it is unknown.
 */
export function checkDividends(
  history: DividendHistory,
  splits: readonly Split[],
  closeBefore: (date: string) => number | null,
): { record: DividendHistory; faults: readonly DividendFault[] } {
  const adjusted = repairDividends(history, splits);
  const faults: DividendFault[] = [];
  const least = Math.log(threshold("dividendUnit"));
  const dividends = adjusted.dividends.filter(({ amount, exDate }, i, all) => {
    const near = neighbours(all, i);
    const isInOtherUnit = near.length === 2 && distance(amount, near) >= least;
    const close = closeBefore(exDate);
    const isWhole = close !== null && amount >= threshold("dividendOfClose") * close;
    if (!isInOtherUnit && !isWhole) return true;
    const why = isInOtherUnit
      ? `between ${near.join(" and ")}`
      : `is as large as the close ${close} before it`;
    faults.push({ exDate, reason: `dividend ${amount} on ${exDate} ${why}` });
    return false;
  });
  return { record: { ...adjusted, dividends }, faults };
}

/** The currency of prices, and the rates to it. */
export interface DividendRates {
  readonly currency: string;
  /** Units of `currency` for one unit of another currency on a day; null if they are unknown. */
  readonly rateOn: (currency: string, date: string) => number | null;
}

/**
 * The dividends in the currency of the prices, each at the rate of its ex-date. Those without a rate are faults, and are
 * left out.
 */
export function convertDividends(
  history: DividendHistory,
  { currency: to, rateOn }: DividendRates,
): { record: DividendHistory; faults: readonly DividendFault[] } {
  const faults: DividendFault[] = [];
  const dividends = history.dividends.flatMap((dividend) => {
    const { currency: from = to, ...own } = dividend;
    if (from === to) return own;
    const { exDate } = own;
    const rate = rateOn(from, exDate);
    // The same currency in other letters.
    if (rate === 1) return own;
    // Six digits are more than a rate has, and less than the noise of a product.
    if (rate !== null) return mapAmounts(own, (amount) => Number((amount * rate).toPrecision(6)));
    const reason = `dividend ${own.amount} ${from} on ${exDate}, and no rate to ${to} is stored for that day`;
    faults.push({ exDate, reason });
    return [];
  });
  return { record: { ...history, dividends }, faults };
}

/**
 * The dividends of the years after a date up to which some are unknown. Null if these are less than two calendar years,
 * because the last twelve months may lack some.
 *
 * @param today announced dividends after it show no year that is over; a history without them needs no date
 */
export function wholeYearsAfter(
  history: DividendHistory,
  date: string,
  today = "9999",
): DividendHistory | null {
  const yearOf = (exDate: string) => Number(exDate.slice(0, 4));
  const dividends = history.dividends.filter(({ exDate }) => yearOf(exDate) > yearOf(date));
  const newest = dividends.findLast(({ exDate }) => exDate <= today);
  return newest && yearOf(newest.exDate) >= yearOf(date) + 2 ? { ...history, dividends } : null;
}

/** The amounts before and after. */
function neighbours(dividends: DividendHistory["dividends"], i: number): number[] {
  return [dividends[i - 1], dividends[i + 1]].flatMap((one) => one?.amount ?? []);
}

/** The smallest distance of an amount from others, as a logarithm. */
function distance(amount: number, others: readonly number[]): number {
  return Math.min(...others.map((other) => Math.abs(Math.log(amount / other))));
}
