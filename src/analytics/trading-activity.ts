import type { DailyBar } from "#domain/daily-bar.ts";
import { threshold } from "./plausibility.ts";
import { median } from "./quantile.ts";

/** Sessions that give the usual volume. */
const SESSIONS = 20;
/** A busy week does not count as usual: the sessions before these ten do. */
const BUSY_SESSIONS = 10;

/** Shares and money traded in a bar, or in the next one, as multiples of their usual values; null without volumes. */
export function tradingAt(
  bars: readonly DailyBar[],
  i: number,
): { shares: number; money: number } | null {
  const now = bars.slice(i, i + 2).filter(({ volume }) => volume);
  const [shares, money] = [usual(bars, i, sharesOf), usual(bars, i, moneyOf)];
  if (shares === null || money === null || now.length === 0) return null;
  return {
    shares: Math.max(...now.map(sharesOf)) / shares,
    money: Math.max(...now.map(moneyOf)) / money,
  };
}

/**
 * True if the bar, or the next one, trades far more shares than usual, and much more or far less money. After a
 * split that the earlier bars lack, the money is as usual. If the day before had far more shares too, money is not compared.
 */
export function tradesMore(bars: readonly DailyBar[], i: number): boolean {
  const trading = tradingAt(bars, i);
  const least = threshold("surge");
  if (trading === null || trading.shares < least) return false;
  const [before, usualBefore] = [bars[i - 1]?.volume ?? 0, usual(bars, i - 1, sharesOf)];
  const isBusy = usualBefore !== null && before / usualBefore >= least;
  return isBusy || trading.money >= threshold("surgeOfMoney") || trading.money < 1 / least;
}

/** How regularly an instrument was traded in the 20 bars before: daily, rarely, or unknown without volumes. */
export function tradingBefore(
  bars: readonly DailyBar[],
  i: number,
): "daily" | "rarely" | "unknown" {
  const before = bars.slice(Math.max(0, i - SESSIONS), i);
  if (before.every(({ volume }) => volume === null)) return "unknown";
  const traded = before.filter(({ volume }) => volume).length;
  return traded >= threshold("regularTrading") * before.length ? "daily" : "rarely";
}

const sharesOf = ({ volume }: DailyBar) => volume ?? 0;
const moneyOf = ({ volume, close }: DailyBar) => (volume ?? 0) * close;

/** The smaller of the medians of the 20 bars before, and of the 20 bars that ended ten sessions earlier. */
function usual(
  bars: readonly DailyBar[],
  i: number,
  figureOf: (bar: DailyBar) => number,
): number | null {
  const medians = [i, i - BUSY_SESSIONS].flatMap((end) => {
    const before = bars.slice(Math.max(0, end - SESSIONS), Math.max(0, end));
    const figures = before.filter(({ volume }) => volume).map(figureOf);
    return median(figures.sort((a, b) => a - b)) ?? [];
  });
  return medians.length === 0 ? null : Math.min(...medians);
}
