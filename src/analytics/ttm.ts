import {
  BALANCE_ITEMS,
  NO_ITEMS,
  QUARTERS_OF_YEAR,
  SHARE_COUNT_ITEMS,
  type Statement,
  type StatementItem,
} from "#domain/statement.ts";
import { addMonths, daysBetween } from "#lib/date.ts";

/** A balance-sheet item: an amount on one day. */
export type BalanceItem = (typeof BALANCE_ITEMS)[number];

/**
 * An item that adds up over time. `sharesDiluted` is neither a flow nor a balance: it is an average over
 * its span, and averages cannot be summed.
 */
export type FlowItem = Exclude<StatementItem, BalanceItem | "sharesDiluted">;

/** Items that only a balance sheet has: a summary without one may give the number of shares. */
const SHEET_ITEMS = BALANCE_ITEMS.filter((item) => item !== "sharesOutstanding");

/** A figure and the same figure one year earlier; null if the statements do not give it. */
export interface YearOnYear {
  readonly current: number | null;
  readonly yearAgo: number | null;
}

const NO_FLOWS: readonly string[] = [...BALANCE_ITEMS, "sharesDiluted", "epsDiluted"];
/** The flows, without those per share. */
const FLOWS = (Object.keys(NO_ITEMS) as StatementItem[]).filter(
  (item): item is FlowItem => !NO_FLOWS.includes(item),
);

const UNKNOWN: YearOnYear = { current: null, yearAgo: null };

/** The known statements of one company on one day: the latest filing of each span and fiscal quarter. */
export interface KnownStatements {
  /** The statement of the company's latest period; null if no statement is known. */
  readonly newest: Statement | null;
  /** Statements by span and by their end in quarters from the newest (see `quartersFrom`): 0, −1, … */
  readonly bySpan: Readonly<Record<Statement["span"], ReadonlyMap<number, Statement>>>;
  /** The latest whole fiscal year; null if no whole year is known. */
  readonly lastYear: Statement | null;
  /** The whole fiscal year that ended a year before `lastYear`; null if it is unknown. */
  readonly yearBefore: Statement | null;
  /** The latest balance sheet, in quarters from the newest period; null if no balance sheet is known. */
  readonly balanceQuarter: number | null;
  /** The earliest period end that is at most 15 months old, YYYY-MM-DD. */
  readonly recentSince: string;
}

/**
 * Selects the statements of one company that were known on the date `asOf`: filed by that date, with
 * restatements replacing the original. `statements` may be in any order. Statements in another currency
 * than the newest one are left out, because figures in different currencies cannot be added.
 *
 * Quarters follow each other by their ends, whatever a company calls them: a changed fiscal year has other labels, and
 * the same quarters if it moves by three, six or nine months. `bySpan` leaves out periods that end between the quarters
 * of the newest one, because with them some months would count twice or not at all.
 */
export function knownStatements(statements: readonly Statement[], asOf: string): KnownStatements {
  const filed = statements.filter(({ filedOn }) => filedOn <= asOf);
  const newest = latest(filed);
  const bySpan = {
    quarter: new Map<number, Statement>(),
    year_to_date: new Map<number, Statement>(),
    year: new Map<number, Statement>(),
  };
  const years: Statement[] = [];
  for (const statement of filed) {
    if (newest === null || statement.currency !== newest.currency) continue;
    if (statement.span === "year") years.push(statement);
    const number = quartersFrom(newest.periodEnd, statement.periodEnd);
    if (number === null) continue;
    const sameSpan = bySpan[isTwelveMonths(statement) ? "year" : statement.span];
    const existing = sameSpan.get(number);
    if (existing === undefined || existing.filedOn <= statement.filedOn)
      sameSpan.set(number, statement);
  }
  const lastYear = latest(years);
  const latestBalanceSheet = latestOf(bySpan, ({ items }) =>
    SHEET_ITEMS.some((item) => items[item] !== null),
  );
  return {
    newest,
    bySpan,
    lastYear,
    yearBefore:
      lastYear &&
      latest(years.filter(({ periodEnd }) => quartersFrom(lastYear.periodEnd, periodEnd) === -4)),
    balanceQuarter:
      newest && latestBalanceSheet && quartersFrom(newest.periodEnd, latestBalanceSheet.periodEnd),
    recentSince: recentSince(asOf),
  };
}

/**
 * The trailing twelve months of a flow, in the statements' currency, and the same twelve months one
 * year earlier.
 *
 * The twelve months end with the newest period and are the sum of the last four fiscal quarters; a fiscal year
 * is as reported, because rounded quarters do not add up to it. If a quarter is missing, they are the year to date and
 * the rest of the year before: that year − the same year to date one year earlier.
 *
 * All flows of a company cover the same months. A flow that is unknown for these months is null: a list of all
 * companies, and many quarterly reports, have cash flows of whole years only. If all flows are unknown for these
 * months, the last fiscal year replaces them if it ended at most 15 months ago. Earnings per share alone may come
 * from that year beside newer flows, because labels cannot name another period.
 */
export function ttm(known: KnownStatements, item: FlowItem): YearOnYear {
  const { newest, lastYear, yearBefore, recentSince } = known;
  if (newest === null) return UNKNOWN;
  const rolls = (one: FlowItem) => quartersUpTo(known, one, 0, QUARTERS_OF_YEAR) !== null;
  if (rolls(item) || (item !== "epsDiluted" && FLOWS.some(rolls)))
    return { current: twelveMonths(known, item, 0), yearAgo: twelveMonths(known, item, -4) };
  if (lastYear === null || lastYear.periodEnd < recentSince) return UNKNOWN;
  const ends = quartersFrom(newest.periodEnd, lastYear.periodEnd);
  return {
    current: lastYear.items[item],
    yearAgo:
      yearBefore?.items[item] ?? (ends === null ? null : twelveMonths(known, item, ends - 4)),
  };
}

/**
 * An item of the latest balance sheet (the "most recent quarter"), and of the balance sheet of the
 * same fiscal quarter one year earlier. All items come from one balance sheet: an item that it does not
 * report is null and is not taken from an older one.
 */
export function balance(known: KnownStatements, item: BalanceItem): YearOnYear {
  const { balanceQuarter } = known;
  if (balanceQuarter === null) return UNKNOWN;
  return {
    current: balanceAt(known, item, balanceQuarter),
    yearAgo: balanceAt(known, item, balanceQuarter - 4),
  };
}

/**
 * An item that a company reports only if it has it, such as preferred equity. It is 0 if the latest
 * balance sheet does not report it. But it is null if one of the five sheets before reports it, and the last of
 * these has some: then the item may be gone, or be reported elsewhere.
 */
export function balanceOrNone(known: KnownStatements, item: BalanceItem): number | null {
  const { balanceQuarter } = known;
  if (balanceQuarter === null) return null;
  const newest = balanceAt(known, item, balanceQuarter);
  let last = newest;
  for (let ago = 1; ago <= 5 && last === null; ago++)
    last = balanceAt(known, item, balanceQuarter - ago);
  return last === null || last === 0 ? 0 : newest;
}

/** The newest number of common shares; null if no statement of the last 15 months has one. */
export function newestShares(
  known: KnownStatements,
  item: (typeof SHARE_COUNT_ITEMS)[number],
): number | null {
  return newestCount(known, item)?.items[item] ?? null;
}

/** True if a quarter of the last 15 months is known. Foreign issuers of depositary receipts file whole years with the SEC. */
export function reportsQuarters(
  { bySpan, recentSince }: KnownStatements,
  isProof: (quarter: Statement) => boolean = () => true,
): boolean {
  return bySpan.quarter
    .values()
    .some((quarter) => quarter.periodEnd >= recentSince && isProof(quarter));
}

/**
 * The newest filed number of common shares of a company that reports to the SEC as a domestic one, so that its common
 * shares are traded themselves: with quarters, in the currency of its price, on published days. Otherwise null.
 */
export function domesticShares(known: KnownStatements, currency: string): number | null {
  const isPublished = ({ isFilingAssumed }: Statement) => isFilingAssumed !== true;
  const count = newestCount(known, "sharesOutstanding");
  const isDomestic = known.newest?.currency === currency && reportsQuarters(known, isPublished);
  return isDomestic && count && isPublished(count) ? count.items.sharesOutstanding : null;
}

function newestCount(
  { bySpan, recentSince }: KnownStatements,
  item: (typeof SHARE_COUNT_ITEMS)[number],
): Statement | null {
  return latestOf(
    bySpan,
    ({ periodEnd, items }) => periodEnd >= recentSince && items[item] !== null,
  );
}

/**
 * The earliest period end whose age limits the figures of known statements: without a new filing, they are the same
 * until it is more than 15 months old. Null if no age limits them.
 */
export function firstToExpire(known: KnownStatements): string | null {
  const { lastYear, recentSince } = known;
  const year = lastYear && lastYear.periodEnd >= recentSince ? lastYear : null;
  const used = [year, ...SHARE_COUNT_ITEMS.map((item) => newestCount(known, item))];
  return used.flatMap((one) => one?.periodEnd ?? []).sort()[0] ?? null;
}

/** Growth over one year in percent; null if the base is not positive or a figure is unknown. */
export function growthPercent({ current, yearAgo }: YearOnYear): number | null {
  return current === null || yearAgo === null || yearAgo <= 0
    ? null
    : 100 * ((current - yearAgo) / yearAgo);
}

/** The earliest period end that is at most 15 months old on the date `asOf`, YYYY-MM-DD. */
export function recentSince(asOf: string): string {
  return addMonths(asOf, -15);
}

const QUARTER_DAYS = 365.25 / 4;
/** Days for the different lengths of months. */
const MONTH_SLACK = 3;

/**
 * The number of quarters from the end of one period to the end of another, below 0 if that is earlier; null if
 * the time between them is not a number of whole quarters.
 *
 * Quarters of 12, 13, 16 and 17 weeks are whole ones, as long as four of them are 52 or 53 weeks. So one quarter differs
 * by up to four weeks from a quarter of a year, and four of them by one. A fiscal year that moved by a month differs by
 * as much in each number of quarters.
 */
export function quartersFrom(from: string, to: string): number | null {
  const days = Math.abs(daysBetween(from, to));
  const quarters = Math.round(days / QUARTER_DAYS);
  const over = days - quarters * QUARTER_DAYS;
  const part = quarters % 4;
  const isWhole =
    over <= 7 * (part === 0 ? 1 : 5 - part) + MONTH_SLACK &&
    over >= -7 * Math.max(1, part) - MONTH_SLACK;
  if (!isWhole) return null;
  return to < from ? 0 - quarters : quarters;
}

/** True for a whole year, and for the first four quarters of a longer one. */
function isTwelveMonths({ span, fiscalQuarter }: Statement): boolean {
  return span === "year" || (span === "year_to_date" && fiscalQuarter === QUARTERS_OF_YEAR);
}

/** The number of quarters that the flows of a statement cover. */
export function quartersIn({ span, fiscalQuarter }: Statement): number {
  if (span === "quarter") return 1;
  if (span === "year") return QUARTERS_OF_YEAR;
  return fiscalQuarter > QUARTERS_OF_YEAR ? fiscalQuarter - QUARTERS_OF_YEAR : fiscalQuarter;
}

/** The statement of the latest period, filed last; null without statements. */
function latest(statements: Iterable<Statement>): Statement | null {
  let best: Statement | null = null;
  for (const statement of statements) if (isLater(statement, best)) best = statement;
  return best;
}

/** The latest statement with a property. Loops, because own history asks for it thousands of times a screen. */
function latestOf(
  { quarter, year_to_date: yearToDate, year }: KnownStatements["bySpan"],
  accepts: (statement: Statement) => boolean,
): Statement | null {
  let best: Statement | null = null;
  for (const sameSpan of [quarter, yearToDate, year])
    for (const statement of sameSpan.values())
      if (isLater(statement, best) && accepts(statement)) best = statement;
  return best;
}

function isLater(statement: Statement, than: Statement | null): boolean {
  if (than === null) return true;
  const isSame =
    statement.fiscalYear === than.fiscalYear && statement.fiscalQuarter === than.fiscalQuarter;
  // A restatement may name the last day of a week instead of a month.
  return isSame || statement.periodEnd === than.periodEnd
    ? statement.filedOn > than.filedOn
    : statement.periodEnd > than.periodEnd;
}

/** The twelve months up to the end of a quarter: a whole fiscal year, or from shorter spans. */
function twelveMonths(known: KnownStatements, item: FlowItem, quarter: number): number | null {
  return flow(known, "year", item, quarter) ?? quartersUpTo(known, item, quarter, QUARTERS_OF_YEAR);
}

/** The sum of one to four quarters up to the end of the last one, not as a whole year; null if shorter spans do not give it. */
function quartersUpTo(
  known: KnownStatements,
  item: FlowItem,
  last: number,
  count: number,
): number | null {
  const single = sumOfQuarters(known, item, last, count);
  if (single !== null) return single;
  for (const span of ["year_to_date", "year"] as const) {
    const statement = known.bySpan[span].get(last);
    const value = statement?.items[item] ?? null;
    if (!statement || value === null) continue;
    const covered = quartersIn(statement);
    if (covered === QUARTERS_OF_YEAR && covered === count) continue;
    const rest =
      covered <= count
        ? quartersUpTo(known, item, last - covered, count - covered)
        : yearToDate(known, item, last - count, covered - count);
    if (rest !== null) return covered <= count ? value + rest : value - rest;
  }
  const newest = flow(known, "quarter", item, last);
  const before = newest === null ? null : quartersUpTo(known, item, last - 1, count - 1);
  return newest === null || before === null ? null : newest + before;
}

function sumOfQuarters(
  known: KnownStatements,
  item: FlowItem,
  last: number,
  count: number,
): number | null {
  let sum = 0;
  for (let i = last - count + 1; i <= last; i++) {
    const value = flow(known, "quarter", item, i);
    if (value === null) return null;
    sum += value;
  }
  return sum;
}

/** The first quarters of a fiscal year: as reported, or summed by quarter. */
function yearToDate(
  known: KnownStatements,
  item: FlowItem,
  last: number,
  count: number,
): number | null {
  const reported = known.bySpan.year_to_date.get(last);
  const value = reported && quartersIn(reported) === count ? (reported.items[item] ?? null) : null;
  return value ?? sumOfQuarters(known, item, last, count);
}

function flow(
  known: KnownStatements,
  span: Statement["span"],
  item: FlowItem,
  quarter: number,
): number | null {
  return known.bySpan[span].get(quarter)?.items[item] ?? null;
}

function balanceAt(known: KnownStatements, item: BalanceItem, quarter: number): number | null {
  const { quarter: quarters, year_to_date: yearsToDate, year: years } = known.bySpan;
  return (
    quarters.get(quarter)?.items[item] ??
    yearsToDate.get(quarter)?.items[item] ??
    years.get(quarter)?.items[item] ??
    null
  );
}
