import type { SHARE_COUNT_ITEMS } from "#domain/statement.ts";
import { firstAtOrAfter } from "./adjusted-prices.ts";
import type { Closes } from "./price-statistics.ts";
import { median, quantile } from "./quantile.ts";
import { percent, product, ratio } from "./ratios.ts";
import { firstToExpire, newestShares, recentSince } from "./ttm.ts";
import {
  type CompanyFundamentals,
  comparablePrice,
  type CompanyInputs,
  dividendsOfLastYear,
  multiplesOf,
  type ReportedFigures,
  reportedFigures,
  tradedCompany,
} from "./valuation.ts";

/** The metrics that have a history, each with the definition that it has today. */
export const VALUATION_METRICS = ["pe", "pb", "ps", "ev_ebitda", "dividend_yield"] as const;
/** One of `VALUATION_METRICS`. */
export type ValuationMetric = (typeof VALUATION_METRICS)[number];

/** The inputs of `valuationHistory`. Statements and dividends go back as far as they are known. */
export interface ValuationInputs extends CompanyInputs {
  /** The sessions to value, oldest first: closes in today's shares and the instrument's currency. */
  readonly closes: Closes;
  /** Units of the instrument's currency for one of another, on a day; null if unknown. */
  readonly rateOn?: (currency: string, date: string) => number | null;
}

/** The values of each metric on these dates; NaN if unknown or without meaning. */
export interface ValuationHistory {
  readonly dates: readonly string[];
  readonly values: Readonly<Record<ValuationMetric, Float64Array>>;
}

/**
 * Values a company on each session by the figures that were known on that day: statements filed by then,
 * dividends with an ex-date in the year before, the rate of the day.
 *
 * The shares of a day are today's traded shares × the count that the statements gave on that day ÷ the count that they
 * give on `asOf`, both in today's shares. So issues and buy-backs count, and receipts and classes of shares stay as
 * today. Multiples of the market cap are NaN on days without a count.
 */
export function valuationHistory(inputs: ValuationInputs): ValuationHistory {
  const { instrument, dividends, closes } = inputs;
  const now = reportedFigures(inputs);
  const { tradedShares, basis } = tradedCompany(inputs, now);
  const countsNow = shareCounts(now);
  const { dates } = closes;
  const values = Object.fromEntries(
    VALUATION_METRICS.map((metric) => [metric, new Float64Array(dates.length)]),
  ) as Record<ValuationMetric, Float64Array>;
  const reportedOn = reportsByDay(inputs);
  for (const [i, date] of dates.entries()) {
    const close = closes.close[i]!;
    const { reported, counts } = reportedOn(date);
    const currency = reported.known.newest?.currency ?? instrument.currency;
    const rate = currency === instrument.currency ? 1 : (inputs.rateOn?.(currency, date) ?? null);
    const marketCap = product(close, product(tradedShares, growth(counts, countsNow)));
    const multiples = multiplesOf(comparablePrice(close, marketCap, rate, basis), reported);
    values.pe[i] = multiples.pe ?? Number.NaN;
    values.pb[i] = multiples.pb ?? Number.NaN;
    values.ps[i] = multiples.ps ?? Number.NaN;
    values.ev_ebitda[i] = multiples.evToEbitda ?? Number.NaN;
    values.dividend_yield[i] =
      percent(dividends && dividendsOfLastYear(dividends, date), close) ?? Number.NaN;
  }
  return { dates, values };
}

/** Finds the figures that were known on each of ascending days. It computes them only if they can have changed. */
function reportsByDay(inputs: ValuationInputs) {
  const filings = inputs.statements.map(({ filedOn }) => filedOn).sort();
  let last: { reported: ReportedFigures; counts: ShareCounts } | null = null;
  let nextFiling = "";
  let expires: string | null = null;
  return (date: string) => {
    const isSame = date < nextFiling && (expires === null || expires >= recentSince(date));
    if (last && isSame) return last;
    const reported = reportedFigures({ ...inputs, asOf: date });
    last = { reported, counts: shareCounts(reported) };
    nextFiling = filings.find((day) => day > date) ?? "9999-12-31";
    expires = firstToExpire(reported.known);
    return last;
  };
}

type ShareCounts = Readonly<Record<(typeof SHARE_COUNT_ITEMS)[number], number | null>>;

const shareCounts = ({ known }: ReportedFigures): ShareCounts => ({
  sharesOutstanding: newestShares(known, "sharesOutstanding"),
  sharesDiluted: newestShares(known, "sharesDiluted"),
});

/** Today's traded shares as they were on an earlier day: see `valuationHistory`; null without a count. */
export function sharesOn(
  then: ReportedFigures,
  now: ReportedFigures,
  tradedShares: number | null,
): number | null {
  return product(tradedShares, growth(shareCounts(then), shareCounts(now)));
}

/** The shares of one day ÷ the shares of another; null without a count of one kind on both. */
function growth(then: ShareCounts, now: ShareCounts): number | null {
  return (
    ratio(then.sharesOutstanding, now.sharesOutstanding) ??
    ratio(then.sharesDiluted, now.sharesDiluted)
  );
}

/** Five years of month ends. */
const MONTHS = 60;
/** The number of known values below which a metric has no place in its own history: two years. */
export const MIN_POINTS = 24;

/** The first days of 61 calendar months, oldest first. The last one is the month of `date`. */
export function monthStarts(date: string): string[] {
  const month = 12 * Number(date.slice(0, 4)) + Number(date.slice(5, 7)) - 1;
  return Array.from({ length: MONTHS + 1 }, (_, i) => {
    const at = month - MONTHS + i;
    return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}-01`;
  });
}

/** The last session of each of the 60 calendar months before the month of the newest one, oldest first. */
export function monthEnds({ dates, close }: Closes): Closes {
  const starts = monthStarts(dates.at(-1) ?? "");
  const ends = starts.slice(1).flatMap((next, i) => {
    const at = firstAtOrAfter(dates, next) - 1;
    return (dates[at] ?? "") >= starts[i]! ? at : [];
  });
  return {
    dates: ends.map((at) => dates[at]!),
    close: Float64Array.from(ends, (at) => close[at]!),
  };
}

/** The place of today's value of each metric in its own history. */
export type OwnHistory = Readonly<
  Record<ValuationMetric, Pick<ValueRange, "median" | "percentile"> | null>
>;

/**
 * The place of today's value of each metric in the history of five years. Null for a metric with a value at fewer than
 * 24 month ends.
 *
 * @param inputs with the closes of `monthEnds`
 */
export function ownHistory(inputs: ValuationInputs, today: Multiples): OwnHistory {
  const { values } = valuationHistory(inputs);
  const now = valuesOf(today);
  const ranges = VALUATION_METRICS.map((metric) => {
    const { points, median, percentile } = valueRange(values[metric], now[metric]);
    return [metric, points < MIN_POINTS ? null : { median, percentile }];
  });
  return Object.fromEntries(ranges) as OwnHistory;
}

type Multiples = Pick<
  CompanyFundamentals,
  "pe" | "pb" | "ps" | "evToEbitda" | "dividendYieldPercent"
>;

/** Today's value of each metric. */
export function valuesOf({
  pe,
  pb,
  ps,
  evToEbitda,
  dividendYieldPercent,
}: Multiples): Readonly<Record<ValuationMetric, number | null>> {
  return { pe, pb, ps, ev_ebitda: evToEbitda, dividend_yield: dividendYieldPercent };
}

/** The place of a value among the values of a series, without its unknown ones. */
export interface ValueRange {
  /** The number of known values. */
  readonly points: number;
  readonly median: number | null;
  readonly p10: number | null;
  readonly p90: number | null;
  /** See `percentileOf`; null without a value today. */
  readonly percentile: number | null;
}

/** Computes where today's value is among the known values of a series. */
export function valueRange(series: Float64Array, today: number | null): ValueRange {
  const ascending = series.filter((value) => !Number.isNaN(value)).sort();
  return {
    points: ascending.length,
    median: median(ascending),
    p10: quantile(ascending, 0.1),
    p90: quantile(ascending, 0.9),
    percentile: today === null ? null : percentileOf(ascending, today),
  };
}

/**
 * The percentile of a value: the share of the values below it in percent, equal ones counted half, as
 * `scipy.stats.percentileofscore(kind="mean")`. 0 is below all, 100 above all; null without values.
 */
export function percentileOf(values: ArrayLike<number>, value: number): number | null {
  let below = 0;
  for (let i = 0; i < values.length; i++) {
    const other = values[i]!;
    below += other < value ? 1 : other === value ? 0.5 : 0;
  }
  return values.length === 0 ? null : (100 * below) / values.length;
}
