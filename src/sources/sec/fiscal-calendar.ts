import { addDays, daysBetween } from "#lib/date.ts";
import { QUARTERS_OF_YEAR } from "#domain/statement.ts";
import type { Fact } from "./facts.ts";

/** A fiscal year of a company; the last one may still be running. A company that moves its year has a shorter one. */
export interface FiscalYear {
  /** The number of the year as the company counts. */
  readonly year: number;
  readonly start: string;
  /** Last day; for a running year, the last day of the previous year plus 365 days. */
  readonly end: string;
  /** The number of quarters: 4, or 1 to 3 of a short year. */
  readonly quarters: number;
  /** The number of its first quarter: 1, or after 4 if a short year continues the one before. */
  readonly firstQuarter: number;
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
 * without an annual report: of a new company, and after a change of the fiscal year. The time between two years of
 * a company that moved its fiscal year is a short year of its own (the transition period of Form 10-KT).
 *
 * A year has the number of the calendar year in which it ends (10 days earlier, so that weeks
 * ending early in January stay with December), moved by what the company's reports call their
 * own year (`fy` of the latest period of the filing: a retailer's 2025 may end in January 2026). A short year has the
 * number between its neighbours. Without one, its quarters continue the year before: the fifth, sixth and seventh.
 */
export function fiscalYears(flows: readonly Fact[]): FiscalYear[] {
  const reported = reportedYears(flows);
  const begun = yearsBegun(flows, reported);
  const known = [...reported, ...begun].sort((a, b) => (a.start < b.start ? -1 : 1));
  const years = withGaps([...known, ...followingYears(known, flows)]);
  return numberYears(years, ownNumbers(flows), begun);
}

type Days = Pick<FiscalYear, "start" | "end">;
/** A year whose end is assumed until the next one begins. */
type MaybeOpen = Days & { readonly isOpen?: true };

/** The years after the last known one: the running one, and others with flows. */
function followingYears(known: readonly MaybeOpen[], flows: readonly Fact[]): MaybeOpen[] {
  const newest = flows.reduce((last, { end }) => (end > last ? end : last), "");
  const years: MaybeOpen[] = [];
  let last = known.at(-1);
  while (last && (!last.isOpen || newest > addDays(last.end, SLACK_DAYS))) {
    last = { start: addDays(last.end, 1), end: addDays(last.end, 365), isOpen: true };
    years.push(last);
  }
  return years;
}

/** What a report calls the year that ends about then. */
type OwnNumber = { readonly end: string; readonly number: number };

/**
 * The years in order, a year without an annual report to the day before the next one, and the time between years where
 * a company moved its fiscal year. More than a year between two of them is unknown.
 */
function withGaps(inOrder: readonly MaybeOpen[]): Days[] {
  return inOrder.flatMap(({ start, end, isOpen }, i): Days[] => {
    const next = inOrder[i + 1];
    if (!next) return [{ start, end }];
    const between = daysBetween(end, next.start) - 1;
    if (between < 0 && isOpen) return [{ start, end: addDays(next.start, -1) }];
    if (between <= 2 * SLACK_DAYS || between > LONGEST_YEAR_DAYS) return [{ start, end }];
    return [
      { start, end },
      { start: addDays(end, 1), end: addDays(next.start, -1) },
    ];
  });
}

/** Numbers the years, and leaves out those shorter than a quarter. */
function numberYears(
  years: readonly Days[],
  own: readonly OwnNumber[],
  begun: readonly OwnNumber[],
): FiscalYear[] {
  const isFull = ({ start, end }: Days) => isAnnual(start, end);
  const numbers = numbersOfFull(years.filter(isFull), own, begun);
  const numbered: FiscalYear[] = [];
  for (const [i, days] of years.entries()) {
    const number = numbers.get(days);
    if (number !== undefined) {
      numbered.push({ ...days, year: number, quarters: QUARTERS_OF_YEAR, firstQuarter: 1 });
      continue;
    }
    const quarters = wholeQuarters(daysBetween(days.start, days.end) + 1);
    if (quarters === 0) continue;
    const next = years.slice(i).find(isFull);
    const limit = (next && numbers.get(next)) ?? Infinity;
    const last = numbered.at(-1);
    numbered.push(
      last && last.year + 1 >= limit
        ? { ...days, year: last.year, quarters, firstQuarter: last.firstQuarter + last.quarters }
        : {
            ...days,
            year: last ? last.year + 1 : Math.min(limit - 1, calendarYear(days.end)),
            quarters,
            firstQuarter: 1,
          },
    );
  }
  return numbered;
}

/** The numbers of full years: consecutive ones for each calendar of a company, as most of its reports have them. */
function numbersOfFull(
  full: readonly Days[],
  own: readonly OwnNumber[],
  begun: readonly OwnNumber[],
): Map<Days, number> {
  const numbers = new Map<Days, number>();
  let before = 0;
  for (const calendar of byCalendar(full)) {
    const first = calendar[0].end;
    const yearsAfter = (end: string) => Math.round(daysBetween(first, end) / DAYS_OF_YEAR);
    const firstBy = (all: readonly OwnNumber[]) =>
      mostFrequent(
        all
          .filter(({ end }) => calendar.some((year) => isNear(year.end, end)))
          .map(({ number, end }) => number - yearsAfter(end)),
      );
    const byEnd = calendar.map(({ end }) => ({ end, number: calendarYear(end) }));
    const usual = firstBy(byEnd) ?? 0;
    const counted = firstBy(own) ?? firstBy(begun) ?? usual;
    for (const year of calendar) {
      const number = (Math.abs(counted - usual) <= 1 ? counted : usual) + yearsAfter(year.end);
      before = Math.max(before + 1, number);
      numbers.set(year, before);
    }
  }
  return numbers;
}

/** Full years by calendar: a new one begins with a year whose end has moved. */
function byCalendar(full: readonly Days[]): [Days, ...Days[]][] {
  const found: [Days, ...Days[]][] = [];
  for (const year of full) {
    const last = found.at(-1);
    const days = daysBetween(last?.at(-1)?.end ?? year.end, year.end);
    const moved = Math.abs(days - Math.round(days / DAYS_OF_YEAR) * DAYS_OF_YEAR);
    if (last && moved <= 2 * SLACK_DAYS) last.push(year);
    else found.push([year]);
  }
  return found;
}

const isNear = (a: string, b: string) => Math.abs(daysBetween(a, b)) <= 2 * SLACK_DAYS;

/** A year that figures cover. */
interface AnnualVotes extends Days {
  /** The number of its figures in annual reports on this year itself. */
  own: number;
  count: number;
  readonly starts: Map<string, number>;
}

/**
 * The years and the short years of annual reports. Years that overlap cannot both be fiscal years: the one that a report
 * is about stays, or else the one that more figures cover. After a change, reports compare with twelve months that
 * were no fiscal year.
 */
function reportedYears(flows: readonly Fact[]): Days[] {
  const votes = annualVotes(flows).sort((a, b) => b.own - a.own || b.count - a.count);
  const years: Days[] = [];
  const add = (wanted: readonly AnnualVotes[], others: readonly Days[]) => {
    for (const { end, starts } of wanted) {
      const year = { start: mostFrequentKey(starts) ?? addDays(end, -364), end };
      const isFar = years.every((one) => Math.abs(daysBetween(one.end, end)) > 300);
      if (isFar && others.every((one) => commonDays(one, year) <= SLACK_DAYS)) years.push(year);
    }
  };
  add(
    votes.filter(({ own }) => own > 0),
    [],
  );
  const transitions = transitionPeriods(flows, years);
  add(
    votes.filter(({ own }) => own === 0),
    transitions,
  );
  return [...years, ...transitions];
}

function annualVotes(flows: readonly Fact[]): AnnualVotes[] {
  const latest = new Map<string, string>();
  for (const { filing, start, end } of flows)
    if (start !== null && end > (latest.get(filing) ?? "")) latest.set(filing, end);
  const votes = new Map<string, AnnualVotes>();
  for (const { start, end, form, filing } of flows) {
    if (start === null || !isAnnual(start, end) || /^(10-Q|6-K)/.test(form)) continue;
    const vote = votes.get(end) ?? { start, end, own: 0, count: 0, starts: new Map() };
    votes.set(end, vote);
    vote.count++;
    if (ANNUAL_REPORT.test(form) && latest.get(filing) === end) vote.own++;
    vote.starts.set(start, (vote.starts.get(start) ?? 0) + 1);
  }
  return [...votes.values()];
}

/** Forms of annual reports, without the transition report. */
const ANNUAL_REPORT = /^(10-K(?!T)|20-F|40-F)/;

/**
 * The periods of transition reports (Form 10-KT), which are shorter than a year: the longest flow up to the latest
 * day of the filing.
 */
function transitionPeriods(flows: readonly Fact[], annual: readonly Days[]): Days[] {
  const longest = new Map<string, Days>();
  for (const { start, end, form, filing } of flows) {
    if (start === null || !form.startsWith("10-KT")) continue;
    const known = longest.get(filing);
    if (!known || end > known.end || (end === known.end && start < known.start))
      longest.set(filing, { start, end });
  }
  const found: Days[] = [];
  for (const period of longest.values())
    if (
      !isAnnual(period.start, period.end) &&
      [...annual, ...found].every((year) => commonDays(year, period) <= SLACK_DAYS)
    )
      found.push(period);
  return found;
}

/** The number of days that two periods have in common, or below 1 if none. */
const commonDays = (a: Days, b: Days) =>
  daysBetween(a.start > b.start ? a.start : b.start, a.end < b.end ? a.end : b.end) + 1;

/** What annual reports call their year. */
function ownNumbers(flows: readonly Fact[]): OwnNumber[] {
  const ownYears = new Map<string, Fact>();
  for (const fact of flows) {
    if (fact.start === null || !isAnnual(fact.start, fact.end)) continue;
    // In a transition report, a whole year is one before.
    if (fact.filingPeriod !== "FY" || !ANNUAL_REPORT.test(fact.form)) continue;
    const latest = ownYears.get(fact.filing);
    if (!latest || latest.end < fact.end) ownYears.set(fact.filing, fact);
  }
  return [...ownYears.values()].map(({ end, filingYear }) => ({ end, number: filingYear ?? 0 }));
}

/** A year that quarterly reports show to have begun. Its end is assumed. */
interface BegunYear extends Days, OwnNumber {
  readonly isOpen: true;
  /** The latest day of its flows since the start. */
  readonly through: string;
  readonly count: number;
  /** True if only the reports of the next year show it. */
  readonly isBefore: boolean;
}

/**
 * The years that quarterly reports show to have begun, with their numbers: the report of the second quarter states the
 * flows of two quarters, of its year and of the year before. Such a year begins in no other year, and its flows end
 * before the next year begins. If two years break this rule, the one with fewer figures is an error of a report. After a
 * change, the year before may be no fiscal year: reports only compare with it.
 */
function yearsBegun(flows: readonly Fact[], reported: readonly Days[]): BegunYear[] {
  const inOrder = [...begunYears(flows)].sort(
    (a, b) => Number(a.isBefore) - Number(b.isBefore) || b.count - a.count,
  );
  const found: BegunYear[] = [];
  for (const year of inOrder) {
    const begins = ({ start, end }: Days) =>
      year.start >= addDays(start, -2 * SLACK_DAYS) && year.start <= addDays(end, -2 * SLACK_DAYS);
    const isIn = reported.some(begins);
    const overlaps = (other: Days) => commonDays(other, year) > 2 * SLACK_DAYS;
    const goesBeyond = (other: BegunYear) => {
      const [first, second] = other.start < year.start ? [other, year] : [year, other];
      return isNear(first.start, second.start) || first.through > addDays(second.start, SLACK_DAYS);
    };
    const isOther = year.isBefore
      ? [...reported, ...found].some(overlaps)
      : isIn || found.some(goesBeyond);
    if (!isOther) found.push(year);
  }
  return found;
}

function begunYears(flows: readonly Fact[]): Iterable<BegunYear> {
  const found = new Map<string, BegunYear>();
  for (const { start, end, form, filed, filingYear, filingPeriod } of flows) {
    const quarters = /^Q([1-3])$/.exec(filingPeriod ?? "")?.[1];
    if (start === null || quarters === undefined || filingYear === null || !form.startsWith("10-Q"))
      continue;
    const days = daysBetween(start, end) + 1;
    const yearsAgo = Math.round((daysBetween(end, filed) - REPORTED_AFTER_DAYS) / 365);
    const isToDate = Math.abs(days / QUARTER_DAYS - Number(quarters)) <= TOLERANCE / 2;
    if (!isToDate || yearsAgo < 0 || yearsAgo > 1) continue;
    const isBefore = yearsAgo === 1;
    const known = found.get(start);
    const isFirst = !known || (known.isBefore && !isBefore);
    found.set(start, {
      start,
      end: addDays(start, 364),
      isOpen: true,
      number: isFirst ? filingYear - yearsAgo : known.number,
      through: known && known.through > end ? known.through : end,
      count: (known?.count ?? 0) + 1,
      isBefore: isBefore && (known?.isBefore ?? true),
    });
  }
  return found.values();
}

const QUARTER_DAYS = 91.3;
const DAYS_OF_YEAR = 365.25;
/** Two years have no more days between them than one year has. */
const LONGEST_YEAR_DAYS = 380;
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
  const isFull = year.quarters === QUARTERS_OF_YEAR;
  const quarterDays = isFull ? (daysBetween(year.start, year.end) + 1) / 4 : QUARTER_DAYS;
  const first = daysBetween(year.start, start) / quarterDays;
  const last = (daysBetween(year.start, end) + 1) / quarterDays;
  const [from, to] = [Math.round(first), Math.round(last)];
  const isWhole = Math.abs(first - from) <= TOLERANCE && Math.abs(last - to) <= TOLERANCE;
  return isWhole && from >= 0 && from < to && to <= year.quarters ? { year, from, to } : null;
}

/** The number of quarters that begin and end within so many days. */
function wholeQuarters(days: number): number {
  return Math.floor(days / QUARTER_DAYS + TOLERANCE);
}

function isAnnual(start: string, end: string): boolean {
  const days = daysBetween(start, end) + 1;
  return days >= 350 && days <= LONGEST_YEAR_DAYS;
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
