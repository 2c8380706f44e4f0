import type { AnalystCoverage, EarningsDate } from "./analyst-coverage.ts";
import type { CompanyForecast } from "./company-forecasts.ts";
import type { DailyBar } from "./daily-bar.ts";
import { type DividendHistory, mapAmounts } from "./dividend.ts";
import type { EarningsResult } from "./earnings-results.ts";
import type { Quote } from "./quote.ts";
import type { RecentCloses } from "./recent-closes.ts";
import { PER_SHARE_ITEMS, SHARE_COUNT_ITEMS, type Statement } from "./statement.ts";

/** Rounds to twelve significant digits, which removes the noise of binary fractions: 1.2 / 3 is 0.4. */
const round = (value: number) => Number(value.toPrecision(12));

/** An amount per share, after a split of `ratio` new shares for one. Null stays null. */
export function perNewShare<T extends number | null>(amount: T, ratio: number): T {
  return (amount === null || ratio === 1 ? amount : round(amount / ratio)) as T;
}

/** A number of shares after such a split. Null stays null. */
export function inNewShares<T extends number | null>(count: T, ratio: number): T {
  return (count === null || ratio === 1 ? count : round(count * ratio)) as T;
}

/** A bar after such a split. */
export function adjustBar(bar: DailyBar, ratio: number): DailyBar {
  return {
    date: bar.date,
    open: perNewShare(bar.open, ratio),
    high: perNewShare(bar.high, ratio),
    low: perNewShare(bar.low, ratio),
    close: perNewShare(bar.close, ratio),
    volume: inNewShares(bar.volume, ratio),
  };
}

/** A statement after such a split. */
export function adjustStatement<T extends Statement>(statement: T, ratio: number): T {
  const items = { ...statement.items };
  for (const item of PER_SHARE_ITEMS) items[item] = perNewShare(items[item], ratio);
  for (const item of SHARE_COUNT_ITEMS) items[item] = inNewShares(items[item], ratio);
  return { ...statement, items };
}

/** Dividends after such a split. */
export function adjustDividends<T extends DividendHistory>(history: T, ratio: number): T {
  const dividends = history.dividends.map((dividend) =>
    mapAmounts(dividend, (amount) => perNewShare(amount, ratio)),
  );
  return { ...history, dividends };
}

/** Closes after such a split. */
export function adjustCloses<T extends RecentCloses>(history: T, ratio: number): T {
  return { ...history, closes: history.closes.map((close) => perNewShare(close, ratio)) };
}

/**
 * A quote after such a split. Its market cap and its multiples stay. `ofShares`: the ratio without spin-offs, which
 * change the price only.
 */
export function adjustQuote<T extends Quote>(quote: T, ratio: number, ofShares: number): T {
  return {
    ...quote,
    price: perNewShare(quote.price, ratio),
    previousClose: perNewShare(quote.previousClose, ratio),
    volume: inNewShares(quote.volume, ofShares),
    epsTtm: perNewShare(quote.epsTtm, ofShares),
  };
}

/**
 * A quote of a split's ex-date, with its previous close in new shares. Some sources give that close in old
 * shares; then its distance from the price shows the split.
 */
export function adjustPreviousClose<T extends Quote>(quote: T, ratio: number): T {
  const { price, previousClose } = quote;
  if (previousClose === null) return quote;
  const fall = Math.log(previousClose / price);
  const isOld = Math.abs(fall - Math.log(ratio)) < Math.abs(fall);
  return isOld ? { ...quote, previousClose: perNewShare(previousClose, ratio) } : quote;
}

/** Price targets after such a split, and estimates of EPS by the ratio without spin-offs. */
export function adjustCoverage<T extends AnalystCoverage>(
  coverage: T,
  ofPrices: number,
  ofShares: number,
): T {
  const each = (figures: { low: number | null; high: number | null }, ratio: number) => ({
    low: perNewShare(figures.low, ratio),
    high: perNewShare(figures.high, ratio),
  });
  const { priceTarget: target } = coverage;
  return {
    ...coverage,
    priceTarget: target && {
      ...target,
      ...each(target, ofPrices),
      mean: perNewShare(target.mean, ofPrices),
      median: perNewShare(target.median, ofPrices),
    },
    estimates: coverage.estimates.map((estimate) => ({
      ...estimate,
      eps: {
        ...estimate.eps,
        ...each(estimate.eps, ofShares),
        average: perNewShare(estimate.eps.average, ofShares),
      },
      epsYearAgo: perNewShare(estimate.epsYearAgo, ofShares),
    })),
    actions: coverage.actions.map((action) => ({
      ...action,
      priceTarget: perNewShare(action.priceTarget, ofPrices),
      priorPriceTarget: perNewShare(action.priorPriceTarget, ofPrices),
    })),
  };
}

/** The estimate of the next report after such a split. */
export function adjustEarningsDate<T extends EarningsDate>(next: T, ratio: number): T {
  return { ...next, epsEstimate: perNewShare(next.epsEstimate, ratio) };
}

/** A past result after such a split. */
export function adjustResult(result: EarningsResult, ratio: number): EarningsResult {
  const { quarterEnd, reportedOn, epsActual, epsEstimate } = result;
  return {
    quarterEnd,
    reportedOn,
    epsActual: perNewShare(epsActual, ratio),
    epsEstimate: perNewShare(epsEstimate, ratio),
  };
}

/** A company's forecast after such a split. */
export function adjustForecast(forecast: CompanyForecast, ratio: number): CompanyForecast {
  const { sharesAsOf: _sharesAsOf, eps, dividendPerShare, ...rest } = forecast;
  return {
    ...rest,
    eps: perNewShare(eps, ratio),
    dividendPerShare: perNewShare(dividendPerShare, ratio),
  };
}

/** A statement without its figures per share and numbers of shares. */
export function withoutShares<T extends Statement>(statement: T): T {
  const items = { ...statement.items };
  for (const item of [...PER_SHARE_ITEMS, ...SHARE_COUNT_ITEMS]) items[item] = null;
  return { ...statement, items };
}
