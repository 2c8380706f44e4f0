import { addDays, daysBetween } from "#lib/date.ts";
import type { Fact } from "./facts.ts";

/** A fiscal year of a company; the last one may still be running. */
export interface FiscalYear {
  /** The number of the year as the company counts. */
  readonly year: number;
  readonly start: string;
  /** Last day; for a running year, the last day of the previous year plus 365 days. */
  readonly end: string;
}

/** The quarters of a fiscal year that a flow covers: from the end of `from` to the end of `to`, 0 to 4. */
export interface QuarterSpan {
  readonly year: FiscalYear;
  readonly from: number;
  readonly to: number;
}

/** In quarters: 12 to 16 weeks are one quarter (some retailers count that way), a month is zero. */
const TOLERANCE = 0.3;
/** The number of days by which filings may differ in the first day of a fiscal year. */
const SLACK_DAYS = 7;

/**
 * The fiscal years of a company, oldest first, derived from the flows that cover a year (350 to 380 days)
 * in filings that are not quarterly, with the year that follows the last one.
 *
 * The number of a year is that of the calendar year in which it ends (10 days earlier, so that weeks
 * ending early in January stay with December), moved by what the company's annual reports call their
 * own year (`fy` of the latest period of the filing: a retailer's 2025 may end in January 2026).
 */
export function fiscalYears(flows: readonly Fact[]): FiscalYear[] {
  const votes = new Map<string, { count: number; starts: Map<string, number> }>();
  const ownYears = new Map<string, Fact>();
  for (const fact of flows) {
    if (fact.start === null || !isAnnual(fact.start, fact.end) || /^(10-Q|6-K)/.test(fact.form))
      continue;
    const vote = votes.get(fact.end) ?? { count: 0, starts: new Map<string, number>() };
    vote.count++;
    vote.starts.set(fact.start, (vote.starts.get(fact.start) ?? 0) + 1);
    votes.set(fact.end, vote);
    if (fact.filingPeriod !== "FY" || !/^(10-K|20-F|40-F)/.test(fact.form)) continue;
    const latest = ownYears.get(fact.filing);
    if (!latest || latest.end < fact.end) ownYears.set(fact.filing, fact);
  }

  // Years that overlap cannot both be fiscal years: the one that more figures cover stays.
  const ends: string[] = [];
  for (const [end] of [...votes].sort(([, a], [, b]) => b.count - a.count))
    if (ends.every((other) => Math.abs(daysBetween(other, end)) > 300)) ends.push(end);
  ends.sort();

  const offset = mostFrequent(
    [...ownYears.values()].map((fact) => (fact.filingYear ?? 0) - calendarYear(fact.end)),
  );
  const years = ends.map((end): FiscalYear => ({
    year: calendarYear(end) + (offset !== null && Math.abs(offset) <= 1 ? offset : 0),
    start: mostFrequentKey(votes.get(end)?.starts ?? new Map()) ?? addDays(end, -364),
    end,
  }));
  const last = years.at(-1);
  if (last)
    years.push({ year: last.year + 1, start: addDays(last.end, 1), end: addDays(last.end, 365) });
  return years;
}

/** Finds the fiscal quarters that the days from `start` to `end` cover; null if they do not cover whole quarters. */
export type FindSpan = (start: string, end: string) => QuarterSpan | null;

/** Creates a finder among these years. It computes each period once, since all tags state the same ones. */
export function createFindSpan(years: readonly FiscalYear[]): FindSpan {
  const found = new Map<string, QuarterSpan | null>();
  return (start, end) => {
    const period = `${start} ${end}`;
    const known = found.get(period);
    if (known !== undefined) return known;
    let span: QuarterSpan | null = null;
    for (const year of years) span ??= quarterSpan(year, start, end);
    found.set(period, span);
    return span;
  };
}

function quarterSpan(year: FiscalYear, start: string, end: string): QuarterSpan | null {
  if (start < addDays(year.start, -SLACK_DAYS) || end > addDays(year.end, SLACK_DAYS)) return null;
  const quarterDays = (daysBetween(year.start, year.end) + 1) / 4;
  const first = daysBetween(year.start, start) / quarterDays;
  const last = (daysBetween(year.start, end) + 1) / quarterDays;
  const [from, to] = [Math.round(first), Math.round(last)];
  const isWhole = Math.abs(first - from) <= TOLERANCE && Math.abs(last - to) <= TOLERANCE;
  return isWhole && from >= 0 && from < to && to <= 4 ? { year, from, to } : null;
}

function isAnnual(start: string, end: string): boolean {
  const days = daysBetween(start, end) + 1;
  return days >= 350 && days <= 380;
}

function calendarYear(end: string): number {
  return Number(addDays(end, -10).slice(0, 4));
}

function mostFrequent(values: readonly number[]): number | null {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return mostFrequentKey(counts);
}

function mostFrequentKey<K>(counts: ReadonlyMap<K, number>): K | null {
  let best: { key: K; count: number } | null = null;
  for (const [key, count] of counts) if (best === null || count > best.count) best = { key, count };
  return best && best.key;
}
