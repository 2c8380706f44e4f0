import type { BarSeries } from "#domain/daily-bar.ts";
import type { AssetType } from "#domain/instrument.ts";
import { earlierChanges, type NewestChange } from "./earlier-changes.ts";
import {
  beta,
  type Closes,
  commonSessions,
  sessionsPerYear,
  volatilityPercent,
} from "./price-statistics.ts";
import { barsAgo, type Series } from "./series.ts";
import { mainOscillators, TECHNICALS_MIN_BARS } from "./technicals.ts";

/** Figures of an instrument from its sessions of the last year; null if there are too few. */
export interface YearFigures {
  /** The highest and the lowest price of the year, of a session or a newer quote. */
  readonly high: number;
  readonly low: number;
  /** The same since 1 January of the newest price's year. */
  readonly highYtd: number;
  readonly lowYtd: number;
  /** Null below 60 sessions. */
  readonly volatilityPercent: number | null;
  /** To its country's index; null below 60 common sessions. */
  readonly beta: number | null;
  /** RSI (14), 0 to 100. */
  readonly rsi: number | null;
  /** MACD (12, 26), in the unit of the price. */
  readonly macdLevel: number | null;
  /** See `earlierChanges`. */
  readonly earlierChanges: readonly (number | null)[];
}

/** The closes of a country's index, oldest first, and its newest sessions: see `earlierChanges`. */
export interface IndexCloses extends Closes {
  readonly sessions: readonly string[];
}

/** The number of newest bars that `yearFigures` needs: a year, from which RSI and MACD converge. */
export function yearOfBars(assetType: AssetType): number {
  // Weekdays without holidays, on which currencies trade, are ten more than sessions.
  return sessionsPerYear(assetType) + 20;
}

/** Three months of sessions: with fewer, volatility and beta are mostly chance. */
const MIN_SESSIONS = 60;

/**
 * Computes the figures from the date `start`, one year before the newest price: prices of the sessions
 * since then, and daily returns from the last close at or before it. Null without a session since then.
 *
 * @param bars at least the newest `yearOfBars`
 * @param index the closes of the country's index; empty if unknown
 * @param newest in the currency of the bars
 */
export function yearFigures(
  bars: BarSeries,
  index: IndexCloses,
  {
    start,
    newest,
    assetType,
  }: { start: string; newest: NewestChange & { readonly close: number }; assetType: AssetType },
): YearFigures | null {
  const from = bars.dates.findIndex((date) => date >= start);
  if (from === -1) return null;
  // The first daily return is from the last close at or before the start date.
  const base = bars.dates[from] === start ? from : Math.max(0, from - 1);
  const year = { dates: bars.dates.slice(base), close: bars.close.subarray(base) };
  const since = bars.dates.findIndex((date) => date >= newest.date.slice(0, 4));
  const ofYear = since === -1 ? bars.dates.length : since;
  const { dates, closes } = commonSessions([year, index]);
  const [own, market] = closes;
  return {
    high: Math.max(newest.close, ...bars.high.subarray(from)),
    low: Math.min(newest.close, ...bars.low.subarray(from)),
    highYtd: Math.max(newest.close, ...bars.high.subarray(ofYear)),
    lowYtd: Math.min(newest.close, ...bars.low.subarray(ofYear)),
    volatilityPercent:
      year.close.length < MIN_SESSIONS
        ? null
        : volatilityPercent(year.close, sessionsPerYear(assetType)),
    beta: dates.length < MIN_SESSIONS || !own || !market ? null : beta(own, market),
    ...oscillators(bars.close),
    earlierChanges: earlierChanges(index.sessions, bars, newest),
  };
}

function oscillators(close: Series): Pick<YearFigures, "rsi" | "macdLevel"> {
  if (close.length < TECHNICALS_MIN_BARS) return { rsi: null, macdLevel: null };
  const { strength, convergence } = mainOscillators(close);
  return { rsi: barsAgo(strength, 0), macdLevel: barsAgo(convergence.level, 0) };
}
