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
 * The fiscal years of a company, oldest first, with the year that follows the last one.
 *
 * They are derived from the flows that cover a year (350 to 380 days) in filings that are not
 * quarterly. Quarterly filings state the flows since the start of their year, so they show the years
 * without an annual report: of a new company, and after a change of the fiscal year.
 *
 * The number of a year is that of the calendar year in which it ends (10 days earlier, so that weeks
 * ending early in January stay with December), moved by what the company's reports call their
 * own year (`fy` of the latest period of the filing: a retailer's 2025 may end in January 2026).
 */
export function fiscalYears(flows: readonly Fact[]): FiscalYear[] {
  const annual = annualYears(flows);
  const last = annual.at(-1);
  const running = last && { start: addDays(last.end, 1), end: addDays(last.end, 365) };
  const begun = yearsBegun(flows);
  const isOther = ({ start, end }: Days) =>
    annual.every((year) => Math.abs(daysBetween(year.end, end)) > 300) &&
    (!running ||
      end <= running.start ||
      Math.abs(daysBetween(start, running.start)) > 2 * SLACK_DAYS);
  const others = begun.filter(isOther);
  const isFollowed = others.some(({ start }) => last && start > last.end);
  const offset =
    mostFrequent(ownNumbers(flows)) ??
    mostFrequent(begun.map(({ number, end }) => number - calendarYear(end)));
  return [...annual, ...others, ...(running && !isFollowed ? [running] : [])]
    .sort((a, b) => (a.end < b.end ? -1 : 1))
    .map(({ start, end }) => ({
      year: calendarYear(end) + (offset !== null && Math.abs(offset) <= 1 ? offset : 0),
      start,
      end,
    }));
}

type Days = Omit<FiscalYear, "year">;

/** The years of annual reports. */
function annualYears(flows: readonly Fact[]): Days[] {
  const votes = new Map<string, { count: number; starts: Map<string, number> }>();
  for (const fact of flows) {
    if (fact.start === null || !isAnnual(fact.start, fact.end) || /^(10-Q|6-K)/.test(fact.form))
      continue;
    const vote = votes.get(fact.end) ?? { count: 0, starts: new Map<string, number>() };
    vote.count++;
    vote.starts.set(fact.start, (vote.starts.get(fact.start) ?? 0) + 1);
    votes.set(fact.end, vote);
  }
  // Years that overlap cannot both be fiscal years: the one that more figures cover stays.
  const ends: string[] = [];
  for (const [end] of [...votes].sort(([, a], [, b]) => b.count - a.count))
    if (ends.every((other) => Math.abs(daysBetween(other, end)) > 300)) ends.push(end);
  return ends.sort().map((end) => ({
    start: mostFrequentKey(votes.get(end)?.starts ?? new Map()) ?? addDays(end, -364),
    end,
  }));
}

/** What annual reports call their year, less the calendar year in which it ends. */
function ownNumbers(flows: readonly Fact[]): number[] {
  const ownYears = new Map<string, Fact>();
  for (const fact of flows) {
    if (fact.start === null || !isAnnual(fact.start, fact.end)) continue;
    if (fact.filingPeriod !== "FY" || !/^(10-K|20-F|40-F)/.test(fact.form)) continue;
    const latest = ownYears.get(fact.filing);
    if (!latest || latest.end < fact.end) ownYears.set(fact.filing, fact);
  }
  return [...ownYears.values()].map((fact) => (fact.filingYear ?? 0) - calendarYear(fact.end));
}

/**
 * The years that quarterly reports show to have begun, with their numbers, oldest first: the report of the
 * second quarter states the flows of two quarters, of its year and of the year before.
 */
function yearsBegun(flows: readonly Fact[]): (Days & { number: number })[] {
  const found = new Map<string, Days & { number: number; count: number }>();
  for (const { start, end, form, filed, filingYear, filingPeriod } of flows) {
    const quarters = /^Q([1-3])$/.exec(filingPeriod ?? "")?.[1];
    if (start === null || quarters === undefined || filingYear === null || !form.startsWith("10-Q"))
      continue;
    const days = daysBetween(start, end) + 1;
    const yearsAgo = Math.round((daysBetween(end, filed) - REPORTED_AFTER_DAYS) / 365);
    const isToDate = Math.abs(days / QUARTER_DAYS - Number(quarters)) <= TOLERANCE / 2;
    if (!isToDate || yearsAgo < 0 || yearsAgo > 1) continue;
    const yearEnd = addDays(start, 364);
    const known = found.get(start);
    if (known) known.count++;
    else found.set(start, { start, end: yearEnd, number: filingYear - yearsAgo, count: 1 });
  }
  const years: (Days & { number: number; count: number })[] = [];
  for (const year of [...found.values()].sort((a, b) => b.count - a.count))
    if (years.every((other) => Math.abs(daysBetween(other.start, year.start)) > 300))
      years.push(year);
  return years.sort((a, b) => (a.start < b.start ? -1 : 1));
}

const QUARTER_DAYS = 91.3;
/** Days after a quarter in which it is usually reported. */
const REPORTED_AFTER_DAYS = 45;

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
