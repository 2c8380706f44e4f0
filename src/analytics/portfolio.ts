import { type Closes, covariance, NO_CLOSES, returnsOf } from "./price-statistics.ts";
import { ratio } from "./ratios.ts";
import { mean, type Series } from "./series.ts";

/** What is held of one instrument. The three parts are added. */
export interface Position {
  /** Shares, or units of a currency; negative if sold short. */
  readonly units: number;
  /** Money in the currency of the portfolio; null if none is given. Amounts of two currencies can sum to zero. */
  readonly amount: number | null;
  /** Percent of the whole portfolio. */
  readonly percent: number;
}

/** The value of a portfolio that has weights alone. No value is known. */
export const BASE = 100;

/**
 * The values of positions at these prices. Weights are parts of the whole: with other positions the whole is
 * their value / (1 − the sum of the weights), without others `BASE`.
 */
export function allocate(positions: readonly Position[], prices: readonly number[]): number[] {
  const fixed = positions.map(({ units, amount }, i) => units * prices[i]! + (amount ?? 0));
  const weights = positions.reduce((sum, one) => sum + one.percent, 0) / 100;
  const whole = hasOnlyWeights(positions) ? BASE : sumOf(fixed) / (1 - weights);
  return positions.map((one, i) => fixed[i]! + (one.percent / 100) * whole);
}

/** True if no position has units or an amount. */
export function hasOnlyWeights(positions: readonly Position[]): boolean {
  return positions.every(({ units, amount }) => units === 0 && amount === null);
}

/** The sum of numbers. */
export const sumOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0);

/** The dates on which any of the series has a close, ascending. */
export function sessionsOfAny(all: readonly Closes[]): readonly string[] {
  return all.reduce<readonly string[]>(
    (dates, one) => mergeDates(dates, one.dates),
    NO_CLOSES.dates,
  );
}

function mergeDates(a: readonly string[], b: readonly string[]): readonly string[] {
  if (hasAll(a, b)) return a;
  const merged: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left === right) j++;
    if (right === undefined || (left !== undefined && left <= right)) {
      merged.push(left!);
      i++;
    } else {
      merged.push(right);
      j++;
    }
  }
  return merged;
}

/** True if ascending dates have all others. Equal texts are found faster than the smaller one of two. */
function hasAll(dates: readonly string[], others: readonly string[]): boolean {
  let at = 0;
  for (const date of others) {
    while (dates[at] !== date && dates[at]! < date) at++;
    if (dates[at] !== date) return false;
  }
  return true;
}

/** The last close at or before each date; before the first close, the first one. NaN without closes. */
export function carryCloses({ dates, close }: Closes, on: readonly string[]): Series {
  const out = new Float64Array(on.length).fill(close[0] ?? Number.NaN);
  let at = 0;
  for (let i = 0; i < out.length; i++) {
    const date = on[i]!;
    // Usually the next date. Equal texts are found faster than the smaller one of two.
    if (dates[at] !== date)
      while (at + 1 < dates.length && (dates[at + 1] === date || dates[at + 1]! < date)) at++;
    if (dates[at] === date || (dates[at] ?? "9") < date) out[i] = close[at]!;
  }
  return out;
}

/** The indices of the last date of each calendar month. The month of the last date may go on. */
export function monthEnds(dates: readonly string[]): ReadonlySet<number> {
  const ends = new Set<number>();
  for (let i = 0; i < dates.length - 1; i++)
    if (dates[i]!.slice(0, 7) !== dates[i + 1]!.slice(0, 7)) ends.add(i);
  return ends;
}

/** How a portfolio went. */
export interface PortfolioPath {
  /** Its value on each date. */
  readonly value: Series;
  /** For each holding, its profit of each day but the first. */
  readonly profits: readonly Series[];
}

/**
 * The path of a portfolio without flows.
 *
 * @param prices the price of each holding on each date
 * @param starts the value of each holding on the first date
 * @param resets the dates, by index, after whose close the holdings have their weights of the first date again
 */
export function simulate(
  prices: readonly Series[],
  starts: readonly number[],
  resets: ReadonlySet<number> = new Set(),
): PortfolioPath {
  const length = prices[0]?.length ?? 0;
  const value = new Float64Array(length);
  const profits = prices.map(() => new Float64Array(Math.max(0, length - 1)));
  const start = sumOf(starts);
  const units = starts.map((one, i) => one / prices[i]![0]!);
  if (length > 0) value[0] = start;
  for (let t = 1; t < length; t++) {
    let whole = value[t - 1]!;
    for (let i = 0; i < units.length; i++) {
      const profit = units[i]! * (prices[i]![t]! - prices[i]![t - 1]!);
      profits[i]![t - 1] = profit;
      whole += profit;
    }
    value[t] = whole;
    if (!resets.has(t)) continue;
    for (let i = 0; i < units.length; i++)
      units[i] = ((starts[i]! / start) * whole) / prices[i]![t]!;
  }
  return { value, profits };
}

/** The sum of a series: a loop, because a portfolio of 50 holdings over ten years has 130,000 profits. */
function totalOf(series: Series): number {
  let sum = 0;
  for (let i = 0; i < series.length; i++) sum += series[i]!;
  return sum;
}

/**
 * The contribution of each holding in percent: its profit / the value of the portfolio at the start. They sum to
 * the return of the portfolio. Of a holding that is kept, it is its weight at the start · its return.
 */
export function contributionsPercent({ value, profits }: PortfolioPath): number[] {
  return profits.map((one) => (100 * totalOf(one)) / value[0]!);
}

/**
 * The part of each holding in the variance of the portfolio's daily returns, in percent. They sum to 100. It is the
 * covariance of the holding's daily profit / the portfolio's value before it with the portfolio's return, divided
 * by the variance. Null below two returns, and for a portfolio that does not move.
 */
export function riskSharesPercent({ value, profits }: PortfolioPath): number[] | null {
  const returns = returnsOf(value);
  const variance = covariance(returns, returns);
  if (variance === null || variance === 0) return null;
  const average = mean(returns, 0, returns.length);
  // Deviations of the returns from their mean, each with the value before it: they sum to zero, so a holding's own mean
  // has no effect on its covariance.
  const weights = returns.map((one, t) => (one - average) / value[t]!);
  const scale = 100 / (variance * (returns.length - 1));
  return profits.map((one) => {
    let sum = 0;
    for (let t = 0; t < one.length; t++) sum += one[t]! * weights[t]!;
    return scale * sum;
  });
}

/** A holding in a company: its value, and figures of the company. */
export interface CompanyHolding {
  readonly value: number;
  readonly pe: number | null;
  /** Net income of the trailing twelve months / market cap; used without P/E, if it is a loss. */
  readonly earningsYield: number | null;
  readonly pb: number | null;
  readonly ps: number | null;
  readonly grossMarginPercent: number | null;
  readonly operatingMarginPercent: number | null;
  readonly netMarginPercent: number | null;
}

/** Ratios of holdings as of one company; null if unknown. */
export interface PortfolioRatios {
  /** Value / its part of the earnings, losses included: the weighted harmonic mean. */
  readonly pe: number | null;
  /** Value / its part of the book values: the weighted harmonic mean. */
  readonly pb: number | null;
  readonly grossMarginPercent: number | null;
  readonly operatingMarginPercent: number | null;
  /** Its part of the net income / its part of the revenue. */
  readonly netMarginPercent: number | null;
  /** The smallest value of the holdings behind one of the known ratios; 0 if none is known. */
  readonly coveredValue: number;
}

/** The ratios of holdings that are not sold short. Holdings without a figure are left out of both its sums. */
export function portfolioRatios(all: readonly CompanyHolding[]): PortfolioRatios {
  const long = all.filter(({ value }) => value > 0);
  const earnings = quotient(long, ({ value }) => value, earningsOf);
  const books = quotient(
    long,
    ({ value }) => value,
    ({ value, pb }) => ratio(value, pb),
  );
  const margin = (figure: `${"gross" | "operating" | "net"}MarginPercent`) =>
    quotient(
      long,
      (one) => {
        const revenue = ratio(one.value, one.ps);
        return one[figure] === null || revenue === null ? null : revenue * one[figure];
      },
      ({ value, ps }) => ratio(value, ps),
    );
  const [gross, operating, net] = [
    margin("grossMarginPercent"),
    margin("operatingMarginPercent"),
    margin("netMarginPercent"),
  ];
  const known = [earnings, books, gross, operating, net].filter((one) => one.ratio !== null);
  return {
    pe: earnings.ratio,
    pb: books.ratio,
    grossMarginPercent: gross.ratio,
    operatingMarginPercent: operating.ratio,
    netMarginPercent: net.ratio,
    coveredValue: known.length === 0 ? 0 : Math.min(...known.map(({ covered }) => covered)),
  };
}

function earningsOf({ value, pe, earningsYield }: CompanyHolding): number | null {
  if (pe !== null) return ratio(value, pe);
  return earningsYield !== null && earningsYield <= 0 ? value * earningsYield : null;
}

/** The quotient of two sums over the holdings that have both, and the value of these holdings. */
function quotient(
  holdings: readonly CompanyHolding[],
  part: (one: CompanyHolding) => number | null,
  whole: (one: CompanyHolding) => number | null,
): { readonly ratio: number | null; readonly covered: number } {
  let [parts, wholes, covered] = [0, 0, 0];
  for (const one of holdings) {
    const [a, b] = [part(one), whole(one)];
    if (a === null || b === null) continue;
    parts += a;
    wholes += b;
    covered += one.value;
  }
  return { ratio: ratio(parts, wholes), covered };
}

/** The inputs of a holding's course. */
export interface HoldingInputs {
  /** From the last close at or before the first date. */
  readonly closes: Closes;
  /** The same with reinvested dividends; null if they are unknown. */
  readonly totals: Closes | null;
  /** Its amount at the rate of the first date. */
  readonly position: Position;
}

/** How a holding went in a period. */
export interface HoldingCourse {
  /** Its value on the first and, without dividends, on the last date. */
  readonly start: number;
  readonly end: number;
  /** See `contributionsPercent`. */
  readonly contributionPercent: number;
  /** With dividends; null if any holding's are unknown. */
  readonly totalContributionPercent: number | null;
  /** See `riskSharesPercent`; null if the portfolio's value is not always positive. */
  readonly riskSharePercent: number | null;
}

/** How a portfolio and its holdings went in a period. */
export interface PortfolioCourse {
  /** The value on each date. */
  readonly value: Series;
  readonly holdings: readonly HoldingCourse[];
  readonly returnPercent: number;
  /** With reinvested dividends; null if any holding's are unknown. */
  readonly totalReturnPercent: number | null;
  /** False for a value that falls to zero or below: its daily returns have no meaning. */
  readonly isPositive: boolean;
}

/**
 * The course of a portfolio over the dates of a period; null if it has no value above zero at the start. A holding
 * that begins later is held as cash until then.
 *
 * @param isMonthly the holdings have their weights of the first date again after each month's last date
 */
export function courseOf(
  dates: readonly string[],
  all: readonly HoldingInputs[],
  isMonthly: boolean,
): PortfolioCourse | null {
  const resets = isMonthly ? monthEnds(dates) : new Set<number>();
  const prices = all.map(({ closes }) => carryCloses(closes, dates));
  const starts = allocate(
    all.map(({ position }) => position),
    prices.map((one) => one[0]!),
  );
  if (!(sumOf(starts) > 0)) return null;
  const path = simulate(prices, starts, resets);
  const totals = all.flatMap((one) => (one.totals ? carryCloses(one.totals, dates) : []));
  const totalPath = totals.length < all.length ? null : simulate(totals, starts, resets);
  const contributions = contributionsPercent(path);
  const totalContributions = totalPath && contributionsPercent(totalPath);
  const isPositive = path.value.every((one) => one > 0);
  const shares = isPositive ? riskSharesPercent(path) : null;
  return {
    value: path.value,
    holdings: starts.map((start, i) => ({
      start,
      end: start + totalOf(path.profits[i]!),
      contributionPercent: contributions[i]!,
      totalContributionPercent: totalContributions && totalContributions[i]!,
      riskSharePercent: shares && shares[i]!,
    })),
    returnPercent: returnOf(path),
    totalReturnPercent: totalPath && returnOf(totalPath),
    isPositive,
  };
}

const returnOf = ({ value }: PortfolioPath): number => 100 * (value.at(-1)! / value[0]! - 1);
