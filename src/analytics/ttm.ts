import {
  BALANCE_ITEMS,
  NO_ITEMS,
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
interface YearOnYear {
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
  /** Statements by span and fiscal quarter (see `quarterNumber`). */
  readonly bySpan: Readonly<Record<Statement["span"], ReadonlyMap<number, Statement>>>;
  /** The latest whole fiscal year; null if no whole year is known. */
  readonly lastYear: Statement | null;
  /** The fiscal quarter of the latest balance sheet; null if no balance sheet is known. */
  readonly balanceQuarter: number | null;
  /** The earliest period end that is at most 15 months old, YYYY-MM-DD. */
  readonly recentSince: string;
}

/**
 * Selects the statements of one company that were known on the date `asOf`: filed by that date, with
 * restatements replacing the original. `statements` may be in any order. Statements in another currency
 * than the newest one are left out, because figures in different currencies cannot be added. Statements
 * from before a change of the fiscal year are left out too, because their quarters do not continue in the new ones.
 */
export function knownStatements(statements: readonly Statement[], asOf: string): KnownStatements {
  const filed = statements.filter(({ filedOn }) => filedOn <= asOf);
  const newest = latest(filed);
  const bySpan = {
    quarter: new Map<number, Statement>(),
    year_to_date: new Map<number, Statement>(),
    year: new Map<number, Statement>(),
  };
  let lastYear: Statement | null = null;
  for (const statement of filed) {
    if (newest === null || statement.currency !== newest.currency) continue;
    if (statement.span === "year" && isLater(statement, lastYear)) lastYear = statement;
    if (!isInOneCalendar(statement, newest)) continue;
    const { span, fiscalQuarter, filedOn } = statement;
    const sameSpan = bySpan[span === "year_to_date" && fiscalQuarter === 4 ? "year" : span];
    const number = quarterNumber(statement);
    const existing = sameSpan.get(number);
    if (existing === undefined || existing.filedOn <= filedOn) sameSpan.set(number, statement);
  }
  const latestBalanceSheet = latestOf(bySpan, ({ items }) =>
    SHEET_ITEMS.some((item) => items[item] !== null),
  );
  return {
    newest,
    bySpan,
    lastYear,
    balanceQuarter: latestBalanceSheet && quarterNumber(latestBalanceSheet),
    recentSince: recentSince(asOf),
  };
}

/**
 * The trailing twelve months of a flow, in the statements' currency, and the same twelve months one
 * year earlier.
 *
 * The twelve months end with the newest period and are the sum of the last four fiscal quarters; a fiscal year
 * is as reported, because rounded quarters do not add up to it. If a quarter is missing, they are year to date + last fiscal year − the same year to date one year
 * earlier.
 *
 * All flows of a company cover the same months. A flow that is unknown for these months is null: a list of all
 * companies, and many quarterly reports, have cash flows of whole years only. If all flows are unknown for these
 * months, the last fiscal year replaces them if it ended at most 15 months ago. Earnings per share alone may come
 * from that year beside newer flows, because labels cannot name another period.
 */
export function ttm(known: KnownStatements, item: FlowItem): YearOnYear {
  const { newest, lastYear, recentSince } = known;
  if (newest === null) return UNKNOWN;
  const last = quarterNumber(newest);
  const rolls = (one: FlowItem) => rollingYear(known, one, last) !== null;
  if (rolls(item) || (item !== "epsDiluted" && FLOWS.some(rolls)))
    return {
      current: twelveMonths(known, item, last),
      yearAgo: twelveMonths(known, item, last - 4),
    };
  if (lastYear === null || lastYear.periodEnd < recentSince) return UNKNOWN;
  return {
    current: lastYear.items[item],
    yearAgo: twelveMonths(known, item, quarterNumber(lastYear) - 4),
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

/** Numbers fiscal quarters consecutively. The remainder modulo 4 is 3 for a fourth quarter. */
function quarterNumber({ fiscalYear, fiscalQuarter }: Statement): number {
  return fiscalYear * 4 + fiscalQuarter - 1;
}

/**
 * True if the time between the ends of two periods fits the difference of their quarter numbers. Quarters of 12 and 16
 * weeks and years of 53 weeks differ by up to 28 days; a changed fiscal year differs by more.
 */
function isInOneCalendar(earlier: Statement, later: Statement): boolean {
  const quarters = quarterNumber(later) - quarterNumber(earlier);
  const days = daysBetween(earlier.periodEnd, later.periodEnd);
  return Math.abs(days - quarters * QUARTER_DAYS) <= 28;
}

const QUARTER_DAYS = 365.25 / 4;

/** The statement of the latest fiscal quarter, filed last; null without statements. */
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
  const later = quarterNumber(statement) - quarterNumber(than);
  return later > 0 || (later === 0 && statement.filedOn > than.filedOn);
}

/** The twelve months up to the end of a fiscal quarter: a whole fiscal year, or from shorter spans. */
function twelveMonths(known: KnownStatements, item: FlowItem, quarter: number): number | null {
  return flow(known, "year", item, quarter) ?? rollingYear(known, item, quarter);
}

/** The twelve months up to the end of a fiscal quarter, computed from shorter spans. */
function rollingYear(known: KnownStatements, item: FlowItem, quarter: number): number | null {
  return lastFourQuarters(known, item, quarter) ?? cumulative(known, item, quarter);
}

function lastFourQuarters(known: KnownStatements, item: FlowItem, quarter: number): number | null {
  let sum = 0;
  for (let i = quarter - 3; i <= quarter; i++) {
    const value = flow(known, "quarter", item, i);
    if (value === null) return null;
    sum += value;
  }
  return sum;
}

function cumulative(known: KnownStatements, item: FlowItem, quarter: number): number | null {
  const current = yearToDate(known, item, quarter);
  const lastYear = flow(known, "year", item, quarter - (quarter % 4) - 1);
  const prior = yearToDate(known, item, quarter - 4);
  return current === null || lastYear === null || prior === null
    ? null
    : current + lastYear - prior;
}

/** The flow from the fiscal year's start to the quarter's end: as reported, or summed by quarter. */
function yearToDate(known: KnownStatements, item: FlowItem, quarter: number): number | null {
  const reported = flow(known, "year_to_date", item, quarter);
  if (reported !== null) return reported;
  let sum = 0;
  for (let i = quarter - (quarter % 4); i <= quarter; i++) {
    const value = flow(known, "quarter", item, i);
    if (value === null) return null;
    sum += value;
  }
  return sum;
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
