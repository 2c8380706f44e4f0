import type { DailyBar } from "#domain/daily-bar.ts";
import { isShare } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { type Split, splitRatio } from "#domain/split.ts";
import { daysBetween, isWeekend, addDays } from "#lib/date.ts";
import { dailyLimit, type Limited } from "./daily-limits.ts";
import { threshold } from "./plausibility.ts";
import { median } from "./quantile.ts";
import { repairBars } from "./split-repair.ts";
import { tradesMore, tradingAt, tradingBefore } from "./trading-activity.ts";

/** What is known of an instrument whose bars are checked. */
export interface BarEvidence {
  readonly instrument: Limited;
  /** Oldest first; null if its splits are unknown. */
  readonly splits: readonly Split[] | null;
  readonly dividends: readonly { readonly exDate: string; readonly amount: number }[];
  /** The newest quote; null if there is none. */
  readonly quote: Pick<Quote, "date" | "price" | "previousClose"> | null;
}

/** A bar that is not stored, or the last of several, and why. */
export interface BarFault {
  readonly date: string;
  readonly bars: number;
  /** A clause: `close 20 is 80 % below the close before`. */
  readonly reason: string;
}

/** The result of a check. */
export interface CheckedBars {
  /** The bars of `history` and the new ones that are plausible, adjusted for splits, oldest first. */
  readonly bars: readonly DailyBar[];
  /** True if a bar of `history` changed. */
  readonly changesHistory: boolean;
  readonly faults: readonly BarFault[];
}

/**
 * Checks new bars against the bars before them, `history`, which were checked earlier, and against each other. Both are
 * oldest first.
 *
 * A move within the exchange's limit, or an ordinary one where there is no limit, is plausible. A larger one is
 * divided if a known split explains it. It is plausible with a surge of trading, after a pause, if the newest quote has
 * both prices, or if it lasts. It is a fault if the price comes back without a surge, if the exchange's
 * rules exclude it, or if it looks like a split in every respect. Any other move waits: the bars from it on are
 * left out, and the next fetch gives them again. After a pause of months, a jump looks like another company with the
 * same symbol. If two levels cannot both be right, the newer one wins once it
 * has lasted. Only a whole history can replace the older level; otherwise `history` stays. `THRESHOLDS` has the limits and their reasons.
 */
export function checkBars(
  history: readonly DailyBar[],
  added: readonly DailyBar[],
  evidence: BarEvidence,
): CheckedBars {
  const joined = [...history, ...added];
  const all = repairBars(joined, evidence.splits ?? []);
  const kept: DailyBar[] = all.slice(0, history.length);
  const faults: BarFault[] = [];
  for (let i = history.length; i < all.length; i++) {
    const bar = all[i] as DailyBar;
    const verdict = judge(kept, all, i, evidence, history.length === 0);
    if (verdict === null) {
      kept.push(bar);
      continue;
    }
    const { isAllBefore, bars, reason } = verdict;
    if (isAllBefore) {
      const before = kept.at(-1)?.date ?? bar.date;
      faults.push({ date: before, bars: kept.length, reason });
      kept.length = 0;
      kept.push(bar);
      continue;
    }
    faults.push({ date: bar.date, bars, reason });
    i += bars - 1;
  }
  const changesHistory = all !== joined && history.some((bar, i) => bar !== all[i]);
  return { bars: kept, changesHistory, faults };
}

/** The bars that are left out: `bars` from the judged one on, or all before it. */
interface Verdict {
  readonly isAllBefore: boolean;
  readonly bars: number;
  readonly reason: string;
}

/** Judges a bar against the kept ones before it; null if it is plausible. `isWhole`: all kept ones are new too. */
function judge(
  kept: readonly DailyBar[],
  all: readonly DailyBar[],
  i: number,
  evidence: BarEvidence,
  isWhole: boolean,
): Verdict | null {
  const bar = all[i] as DailyBar;
  const previous = kept.at(-1);
  const wrongRange = () => leaveOut(1, `its range from ${bar.low} to ${bar.high} is impossible`);
  if (!previous) return isRangePlausible(bar, bar) ? null : wrongRange();
  // Most bars: nothing else has to be read.
  if (
    Math.abs(Math.log(bar.close / previous.close)) < threshold("hoChiMinhCity") &&
    isRangePlausible(bar, previous)
  )
    return null;
  const gap = sessionsMissing(previous.date, bar.date);
  const base = previous.close - dividendsBetween(previous.date, bar.date, evidence);
  const move = Math.log(bar.close / (base > 0 ? base : previous.close));
  const words = `close ${bar.close} after ${previous.close}`;
  const rest = all.length - i;
  const days = daysBetween(previous.date, bar.date);
  const isLong = days >= threshold("reuseDays") && isShare(evidence.instrument.assetType);
  if (isLong && Math.abs(move) >= mostAfterPause(kept, days)) {
    const reason = `${words} and a pause of ${days} days, like another company with the same symbol`;
    return refuseLevel(reason, isWhole, rest);
  }
  const limit = limitsOf(previous, gap, evidence);
  if (isWithin(move, limit.usual) || isWithinOwnMoves(kept, move, evidence))
    return isRangePlausible(bar, previous) ? null : wrongRange();
  if (days >= threshold("resumptionDays") && Math.abs(move) < threshold("unit")) return null;
  const trial = [...kept.slice(-40), ...all.slice(i, i + threshold("lastingSessions") + 1)];
  const at = Math.min(kept.length, 40);
  const hasSurge = tradesMore(trial, at);
  // Tokyo widens a limit after days without trades only, and a wide move has a surge.
  const isWide = Math.abs(move) >= threshold("tradedSpike") && gap === 0 && !hasSurge;
  const isImpossible = !isWithin(move, limit.greatest) || (limit.greatest.up < Infinity && isWide);
  const isBusy = (tradingAt(trial, at)?.shares ?? 0) >= threshold("surge");
  const isSplit = looksLikeSplit(trial, at, move);
  const back = sessionsUntilBack(trial, at, move);
  if (back !== null)
    return isImpossible || isSplit || (!isBusy && isSpike(trial, at, move))
      ? leaveOut(back, `${words} and back again`)
      : null;
  if (hasSurge && !isImpossible) return null;
  if (isReturn(kept, bar, limit.usual) || isOfNewShare(kept, move, evidence)) return null;
  const explained = isImpossible
    ? "which the exchange's limits exclude"
    : isSplit
      ? "like a split that is not known"
      : Math.abs(move) >= threshold("unit") && !isBusy
        ? "in another unit"
        : null;
  if (explained !== null) return refuseLevel(`${words}, ${explained}`, isWhole, rest);
  if (rest === 1 && isQuoted(bar, previous, evidence)) return null;
  const waits = isShare(evidence.instrument.assetType) ? threshold("spikeSessions") : 1;
  return rest > waits ? null : leaveOut(rest, `${words} waits for its confirmation`);
}

/** Of two levels that are not of one history, the newer one wins if it lasts in a whole history. */
function refuseLevel(reason: string, isWhole: boolean, rest: number): Verdict {
  return isWhole && rest > threshold("lastingSessions")
    ? { isAllBefore: true, bars: 0, reason }
    : leaveOut(rest, reason);
}

/** The largest move of a share during a pause of that many days. */
function mostAfterPause(kept: readonly DailyBar[], days: number): number {
  const sessions = (days * 5) / 7;
  const drift = threshold("driftOfPause") * (usualMove(kept) ?? 0) * Math.sqrt(sessions);
  return Math.min(threshold("unit"), Math.max(threshold("reusedMove"), drift));
}

function leaveOut(bars: number, reason: string): Verdict {
  return { isAllBefore: false, bars, reason };
}

/** The weekdays between two dates: sessions that have no bar, or holidays. */
function sessionsMissing(from: string, to: string): number {
  const days = Math.min(daysBetween(from, to), 40);
  let missing = 0;
  for (let day = 1; day < days; day++) if (!isWeekend(addDays(from, day))) missing++;
  return missing;
}

function dividendsBetween(after: string, through: string, { dividends }: BarEvidence): number {
  let sum = 0;
  for (const { exDate, amount } of dividends)
    if (exDate > after && exDate <= through) sum += amount;
  return sum;
}

/** The moves that need no evidence, and those that no evidence explains. */
function limitsOf(
  previous: DailyBar,
  gap: number,
  { instrument, splits }: BarEvidence,
): { usual: Moves; greatest: Moves } {
  const greatest = { up: Infinity, down: Infinity };
  const free = threshold(isShare(instrument.assetType) ? "usMove" : "otherMove");
  const raw = splits && previous.close * splitRatio(splits, previous.date, "9999-12-31");
  const limit = dailyLimit(instrument, previous.close, raw);
  if (limit === null) return { usual: { up: free, down: free }, greatest };
  const usual = movesOf(limit * (1 + gap));
  if (instrument.country !== "JP") return { usual, greatest };
  return { usual, greatest: movesOf(limit * (threshold("tokyoWidened") + gap)) };
}

/** The largest moves up and down, both above 0. */
interface Moves {
  readonly up: number;
  readonly down: number;
}

/** The moves of a rise and of a fall by that part of the price, and a tick. */
function movesOf(part: number): Moves {
  const withTick = part + threshold("tick");
  return { up: Math.log1p(withTick), down: -Math.log1p(-Math.min(withTick, 0.99)) };
}

function isWithin(move: number, { up, down }: Moves): boolean {
  return move <= up && -move <= down;
}

function isWithinOwnMoves(
  kept: readonly DailyBar[],
  move: number,
  { instrument }: BarEvidence,
): boolean {
  if (instrument.country !== "US" || !isShare(instrument.assetType)) return false;
  const usual = usualMove(kept);
  return (
    usual !== null && Math.abs(move) <= Math.min(threshold("ownMoves") * usual, threshold("unit"))
  );
}

/** The median move of the last 40 sessions; null with fewer than ten. */
function usualMove(bars: readonly DailyBar[]): number | null {
  const last = bars.slice(-41);
  const moves = last
    .slice(1)
    .map(({ close }, i) => Math.abs(Math.log(close / (last[i]?.close ?? close))));
  return moves.length < 10 ? null : median(moves.sort((a, b) => a - b));
}

/** False if high or low are far from both closes. */
function isRangePlausible({ high, low, close }: DailyBar, previous: DailyBar): boolean {
  const most = threshold("rangeOfBar");
  return (
    high <= most * Math.max(close, previous.close) && low * most >= Math.min(close, previous.close)
  );
}

/** True if the newest quote has the close of the bar and the one before. */
function isQuoted(bar: DailyBar, previous: DailyBar, { quote }: BarEvidence): boolean {
  if (!quote?.previousClose || quote.date !== bar.date) return false;
  const isNear = (a: number, b: number) => Math.abs(Math.log(a / b)) < 0.05;
  return isNear(quote.price, bar.close) && isNear(quote.previousClose, previous.close);
}

/** The number of sessions until the price is near the one before the move again; null if it is not so soon. */
function sessionsUntilBack(bars: readonly DailyBar[], at: number, move: number): number | null {
  const before = bars[at - 1]?.close ?? Number.NaN;
  for (let n = 1; n <= threshold("spikeSessions"); n++) {
    const bar = bars[at + n];
    if (!bar) return null;
    const from = Math.log(bar.close / before);
    if (Math.abs(from) < Math.abs(move) / 3) return n;
    if (Math.abs(from - move) > Math.abs(move) / 2) return null;
  }
  return null;
}

/** True if the price is again what it was before a jump of the last sessions that had no surge of trading. */
function isReturn(kept: readonly DailyBar[], { close }: DailyBar, usual: Moves): boolean {
  const least = Math.max(1, kept.length - threshold("spikeSessions"));
  for (let i = kept.length - 1; i >= least; i--) {
    const [before, after] = [kept[i - 1]?.close ?? Number.NaN, kept[i]?.close ?? Number.NaN];
    const isBack = isWithin(Math.log(close / before), usual);
    if (isBack && !isWithin(Math.log(after / before), usual) && !tradesMore(kept, i)) return true;
  }
  return false;
}

/** True for a move in the first sessions of a US share. */
function isOfNewShare(
  kept: readonly DailyBar[],
  move: number,
  { instrument }: BarEvidence,
): boolean {
  const isNew =
    instrument.country === "US" && isShare(instrument.assetType) && usualMove(kept) === null;
  return isNew && Math.abs(move) < threshold("newShare");
}

/** True if a price that came back without a surge of trading was a fault. */
function isSpike(bars: readonly DailyBar[], at: number, move: number): boolean {
  const least = { daily: "tradedSpike", unknown: "spike", rarely: "unit" } as const;
  const before = tradingBefore(bars, at);
  const own =
    before === "daily" ? threshold("splitMoves") * (usualMove(bars.slice(0, at)) ?? 0) : 0;
  return Math.abs(move) >= Math.max(threshold(least[before]), Math.min(own, threshold("unit")));
}

/** New shares for one old share, or old shares for a new one, of common splits that no crash looks like. */
const COMMON_SPLITS = [3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50, 100];

/**
 * True if the prices have the ratio of a common split, the move is far above the usual ones and complete at the
 * open, and as much money is traded as before.
 */
function looksLikeSplit(bars: readonly DailyBar[], at: number, move: number): boolean {
  const [bar, previous] = [bars[at], bars[at - 1]];
  const trading = tradingAt(bars, at);
  const usual = usualMove(bars.slice(0, at));
  if (!bar || !previous || trading === null || usual === null) return false;
  if (tradingBefore(bars, at) !== "daily") return false;
  if (trading.money > threshold("surgeOfMoney") || trading.money < 1 / threshold("surge"))
    return false;
  const atOpen = Math.log(bar.open / previous.close);
  if (Math.abs(atOpen - move) > Math.abs(move) / 4) return false;
  if (Math.abs(move) < threshold("splitMoves") * usual) return false;
  return COMMON_SPLITS.some((ratio) => Math.abs(Math.abs(move) - Math.log(ratio)) < 0.05);
}
