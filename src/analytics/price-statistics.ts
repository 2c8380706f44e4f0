import type { BarSeries } from "#domain/daily-bar.ts";
import type { AssetType } from "#domain/instrument.ts";
import { type BarInterval, intervalStarts } from "./bar-intervals.ts";
import { mean, type Series } from "./series.ts";

// Statistics of closes, oldest first. All use simple returns (close / previous close − 1) and sample
// moments (divisor n − 1), like `closes.pct_change()` of pandas with `std`, `cov` and `corr`.

/** The return of each session but the first, as a fraction: 0.01 is 1 %. */
export function returnsOf(closes: Series): Series {
  const out = new Float64Array(Math.max(0, closes.length - 1));
  for (let i = 0; i < out.length; i++) out[i] = closes[i + 1]! / closes[i]! - 1;
  return out;
}

/** A return of one session as a fraction. */
export interface SessionReturn {
  readonly session: string;
  readonly value: number;
}

/** The worst and the best returns of one session, at most `count` of each, the most extreme first; of equal ones the older. */
export function extremeReturns(
  { dates, close }: Closes,
  count: number,
): { readonly worst: readonly SessionReturn[]; readonly best: readonly SessionReturn[] } {
  const returns = Array.from(returnsOf(close), (value, i) => ({ session: dates[i + 1]!, value }));
  return {
    worst: returns.toSorted((a, b) => a.value - b.value).slice(0, count),
    best: returns.toSorted((a, b) => b.value - a.value).slice(0, count),
  };
}

/**
 * The Sharpe ratio without a risk-free rate: mean of the returns / their standard deviation · √`perYear`. Null
 * below two returns and for a price that does not move.
 */
export function sharpeWithoutRate(closes: Series, perYear: number): number | null {
  const returns = returnsOf(closes);
  const variance = covariance(returns, returns);
  if (variance === null || variance === 0) return null;
  return (mean(returns, 0, returns.length) / Math.sqrt(variance)) * Math.sqrt(perYear);
}

/** The sessions of a year, by which volatility is annualised: cryptocurrencies trade every day. */
export function sessionsPerYear(assetType: AssetType): number {
  return assetType === "cryptocurrency" ? 365 : 252;
}

/** The intervals of a year. */
export function intervalsPerYear(interval: BarInterval, assetType: AssetType): number {
  return { "1d": sessionsPerYear(assetType), "1wk": 52, "1mo": 12 }[interval];
}

/**
 * The annual volatility in percent: the standard deviation of the returns · √`perYear`. Null below two
 * returns.
 */
export function volatilityPercent(closes: Series, perYear: number): number | null {
  const returns = returnsOf(closes);
  const variance = covariance(returns, returns);
  return variance === null ? null : 100 * Math.sqrt(variance * perYear);
}

/** The deepest fall from a close to a later close. The sessions are null if no close is below an earlier one. */
export interface Drawdown {
  /** −25, or 0 without a fall. */
  readonly percent: number;
  /** The session of the high before the fall; of equal highs, the first one. */
  readonly peakSession: string | null;
  /** The session of the lowest close; of equal falls, the first one. */
  readonly troughSession: string | null;
  /** The first session after the trough whose close is at least the high; null if there is none yet. */
  readonly recoveredSession: string | null;
}

/** The maximum drawdown; null without closes. */
export function maxDrawdown({ dates, close }: Closes): Drawdown | null {
  if (close.length === 0) return null;
  let [high, peak, trough, deepest] = [0, 0, 0, 0];
  for (let i = 1; i < close.length; i++) {
    if (close[i]! > close[high]!) high = i;
    const fall = close[i]! / close[high]! - 1;
    if (fall < deepest) [peak, trough, deepest] = [high, i, fall];
  }
  const recovered = deepest === 0 ? -1 : close.findIndex((c, i) => i > trough && c >= close[peak]!);
  return {
    percent: 100 * deepest,
    peakSession: deepest === 0 ? null : dates[peak]!,
    troughSession: deepest === 0 ? null : dates[trough]!,
    recoveredSession: dates[recovered] ?? null,
  };
}

/**
 * The beta of an instrument to a benchmark over the same sessions: covariance of the returns / variance
 * of the benchmark's returns. Null below two returns and for a benchmark that does not move.
 */
export function beta(closes: Series, benchmark: Series): number | null {
  const market = returnsOf(benchmark);
  const common = covariance(returnsOf(closes), market);
  const variance = covariance(market, market);
  return common === null || variance === null || variance === 0 ? null : common / variance;
}

/**
 * Pearson's correlations of the returns of instruments over the same sessions, −1 to 1, as a symmetric
 * matrix. Null below two returns and for an instrument that does not move.
 */
export function correlations(all: readonly Series[]): (number | null)[][] {
  const returns = all.map(returnsOf);
  const deviations = returns.map((one) => Math.sqrt(covariance(one, one) ?? 0));
  const matrix: (number | null)[][] = all.map(() => []);
  for (const [row, one] of returns.entries()) {
    for (const [column, other] of returns.slice(0, row + 1).entries()) {
      const scale = deviations[row]! * deviations[column]!;
      const common = scale === 0 ? null : covariance(one, other);
      const value = common === null ? null : Math.min(1, Math.max(-1, common / scale));
      matrix[row]![column] = value;
      matrix[column]![row] = value;
    }
  }
  return matrix;
}

/** The sample covariance (divisor n − 1) of two series of equal length; null below two values. */
export function covariance(a: Series, b: Series): number | null {
  const count = a.length;
  if (count < 2) return null;
  const [meanOfA, meanOfB] = [mean(a, 0, count), mean(b, 0, count)];
  let sum = 0;
  for (let i = 0; i < count; i++) sum += (a[i]! - meanOfA) * (b[i]! - meanOfB);
  return sum / (count - 1);
}

/** Closes with their dates, oldest first. */
export type Closes = Pick<BarSeries, "dates" | "close">;

/** The closes of an instrument without prices. */
export const NO_CLOSES: Closes = { dates: [], close: new Float64Array() };

/**
 * The last close of each week or month under the first day of the week or month, so that markets with
 * different sessions have the same dates. Of an interval of one session, the closes themselves.
 */
export function closesOfIntervals({ dates, close }: Closes, interval: BarInterval): Closes {
  if (interval === "1d") return { dates, close };
  const starts = intervalStarts(dates, interval);
  const isLast = starts.map((start, i) => start !== starts[i + 1]);
  return { dates: starts.filter((_, i) => isLast[i]), close: close.filter((_, i) => isLast[i]) };
}

/** The dates on which all instruments have a close, and their closes on these dates. */
export function commonSessions(all: readonly Closes[]): {
  readonly dates: readonly string[];
  readonly closes: readonly Series[];
} {
  const [first, ...others] = all;
  const next = others.map(() => 0);
  const dates = (first?.dates ?? []).filter((date) =>
    others.every((other, i) => {
      let at = next[i] ?? 0;
      while ((other.dates[at] ?? "9") < date) at++;
      next[i] = at;
      return other.dates[at] === date;
    }),
  );
  return { dates, closes: all.map((one) => closesOn(one, dates)) };
}

/** The closes on dates that are all in the series. */
function closesOn(series: Closes, dates: readonly string[]): Series {
  const out = new Float64Array(dates.length);
  let at = 0;
  for (let i = 0; i < out.length; i++) {
    while (series.dates[at] !== dates[i]) at++;
    out[i] = series.close[at]!;
  }
  return out;
}
