import type { BarSeries } from "#domain/daily-bar.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { ratioOf, type Split } from "#domain/split.ts";
import { changePercent, windowStart } from "./performance.ts";
import type { Closes } from "./price-statistics.ts";
import type { Series } from "./series.ts";

/** Prices of the days before `exDate` are multiplied by `factor`. */
interface PriceEvent {
  readonly exDate: string;
  readonly factor: number;
}

/** An adjustment of split-adjusted prices. */
export interface PriceAdjustment {
  /** Oldest first. */
  readonly events: readonly PriceEvent[];
  /** True if volumes are divided by the factor of the prices. */
  readonly hasVolume: boolean;
}

/**
 * The adjustment to raw prices, as they were traded: price · Π(numerator / denominator) of the later
 * splits, and volume ÷ the same. Splits after `today` are not in the prices.
 */
export function rawAdjustment(splits: readonly Split[], today: string): PriceAdjustment {
  const events = splits
    .filter(({ exDate }) => exDate <= today)
    .map((split) => ({ exDate: split.exDate, factor: ratioOf(split) }));
  return { events, hasVolume: true };
}

/**
 * The adjustment to total-return prices: price · Π(1 − dividend / close before the ex-date) of the later
 * dividends, the convention of CRSP and of Yahoo's adjusted close. Dividends after the newest close
 * and those before the first one change nothing. Null if a dividend is as large as the close before it.
 *
 * @param closes the whole split-adjusted history, oldest first
 */
export function totalAdjustment(
  { dates, close }: Closes,
  dividends: DividendHistory["dividends"],
): PriceAdjustment | null {
  const byDate = new Map<string, number>();
  for (const { exDate, amount } of dividends)
    byDate.set(exDate, (byDate.get(exDate) ?? 0) + amount);
  const events: PriceEvent[] = [];
  for (const [exDate, amount] of [...byDate].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const at = firstAtOrAfter(dates, exDate);
    const before = close[at - 1];
    if (at === dates.length || before === undefined) continue;
    if (amount >= before) return null;
    events.push({ exDate, factor: 1 - amount / before });
  }
  return { events, hasVolume: false };
}

/** Price and reinvested dividends over two windows, in percent; null if a close or the dividends are unknown. */
export interface TotalReturns {
  readonly "1y": number | null;
  readonly "5y": number | null;
}

/** The total returns of an instrument with unknown dividends. */
export const NO_TOTAL_RETURN: TotalReturns = { "1y": null, "5y": null };

/**
 * The total returns of the windows of `windowStart` that end with the newest close.
 *
 * @param closes from the last one at or before the start of the longer window on, oldest first
 */
export function totalReturns(
  closes: Closes,
  dividends: DividendHistory["dividends"] | null,
): TotalReturns {
  const newest = closes.dates.at(-1);
  const adjustment = newest !== undefined && dividends && totalAdjustment(closes, dividends);
  if (!adjustment) return NO_TOTAL_RETURN;
  const { dates, close } = applyToCloses(closes, adjustment);
  const returnOf = (window: "1y" | "5y") => {
    const start = windowStart(window, newest);
    const at = firstAtOrAfter(dates, start);
    return changePercent(close.at(-1)!, close[dates[at] === start ? at : at - 1] ?? null);
  };
  return { "1y": returnOf("1y"), "5y": returnOf("5y") };
}

/** The closes after an adjustment. */
export function applyToCloses({ dates, close }: Closes, adjustment: PriceAdjustment): Closes {
  return { dates, close: multiply(close, factorsAt(dates, adjustment.events)) };
}

/** The bars after an adjustment. */
export function applyToBars(bars: BarSeries, { events, hasVolume }: PriceAdjustment): BarSeries {
  const factors = factorsAt(bars.dates, events);
  const { volume } = bars;
  return {
    ...multiplyPrices(bars, factors),
    volume: hasVolume ? volume.map((count, i) => Math.round(count / factors[i]!)) : volume,
  };
}

/** The bars with the prices of each session multiplied by a factor. */
export function multiplyPrices(bars: BarSeries, factors: Series): BarSeries {
  return {
    ...bars,
    open: multiply(bars.open, factors),
    high: multiply(bars.high, factors),
    low: multiply(bars.low, factors),
    close: multiply(bars.close, factors),
  };
}

/** The products of two series of equal length. */
export function multiply(values: Series, factors: Series): Series {
  return values.map((value, i) => value * factors[i]!);
}

/** The factor of each date: the product of the events after it. Both are oldest first. */
function factorsAt(dates: readonly string[], events: readonly PriceEvent[]): Float64Array {
  const factors = new Float64Array(dates.length);
  let [factor, next] = [1, events.length - 1];
  for (let i = dates.length - 1; i >= 0; i--) {
    for (; next >= 0 && events[next]!.exDate > dates[i]!; next--) factor *= events[next]!.factor;
    factors[i] = factor;
  }
  return factors;
}

/** The index of the first date at or after another; the length if all are before it. */
export function firstAtOrAfter(dates: readonly string[], date: string): number {
  let [low, high] = [0, dates.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (dates[middle]! < date) low = middle + 1;
    else high = middle;
  }
  return low;
}
