import { BALANCE_ITEMS, type Statement, type StatementItem } from "#domain/statement.ts";
import { addMonths } from "#lib/date.ts";

/** A balance: an amount on one day. */
export type BalanceItem = (typeof BALANCE_ITEMS)[number];

/**
 * An item that adds up over time. `sharesDiluted` is neither this nor a balance: it is an average
 * over its span, and four averages make no sum.
 */
export type FlowItem = Exclude<StatementItem, BalanceItem | "sharesDiluted">;

/** A figure and the same figure one year earlier; null where the statements do not give it. */
export interface YearOnYear {
  readonly current: number | null;
  readonly yearAgo: number | null;
}

const UNKNOWN: YearOnYear = { current: null, yearAgo: null };

/** What was known of one company on one day: the latest filing of each span and fiscal quarter. */
export interface KnownStatements {
  /** The statement of the company's latest period; null where nothing is known. */
  readonly newest: Statement | null;
  readonly bySpan: Readonly<Record<Statement["span"], ReadonlyMap<number, Statement>>>;
  /** The latest whole fiscal year; null where none is known. */
  readonly lastYear: Statement | null;
  /** The fiscal quarter of the latest balance sheet; null where none is known. */
  readonly balanceQuarter: number | null;
  /** The earliest period end that is at most 15 months old. */
  readonly recentSince: string;
}

/**
 * The statements of one company as they were known on the date `asOf`: filed by then, restatements
 * in place of what they restate, in any order. Statements in another currency than the newest one's
 * are left out, since their figures add up to nothing.
 */
export function knownStatements(statements: readonly Statement[], asOf: string): KnownStatements {
  const filed = statements.filter(({ filedOn }) => filedOn <= asOf);
  const newest = latest(filed);
  const bySpan = {
    quarter: new Map<number, Statement>(),
    year_to_date: new Map<number, Statement>(),
    year: new Map<number, Statement>(),
  };
  for (const statement of filed) {
    if (statement.currency !== newest?.currency) continue;
    const { span, fiscalQuarter, filedOn } = statement;
    const sameSpan = bySpan[span === "year_to_date" && fiscalQuarter === 4 ? "year" : span];
    const rival = sameSpan.get(quarterNumber(statement));
    if (rival === undefined || rival.filedOn <= filedOn)
      sameSpan.set(quarterNumber(statement), statement);
  }
  const latestBalanceSheet = latest(
    Object.values(bySpan)
      .flatMap((sameSpan) => [...sameSpan.values()])
      .filter(({ items }) => BALANCE_ITEMS.some((item) => items[item] !== null)),
  );
  return {
    newest,
    bySpan,
    lastYear: latest(bySpan.year.values()),
    balanceQuarter: latestBalanceSheet && quarterNumber(latestBalanceSheet),
    recentSince: recentSince(asOf),
  };
}

/**
 * The trailing twelve months of a flow, in the statements' currency, and the same twelve months one
 * year earlier.
 *
 * Up to the newest period: the sum of the last four consecutive fiscal quarters; where one of them is
 * missing, year to date + last fiscal year − the same year to date one year earlier. Where one of
 * these is missing too, the last fiscal year if it ended at most 15 months ago, else null.
 */
export function ttm(known: KnownStatements, item: FlowItem): YearOnYear {
  const { newest, lastYear, recentSince } = known;
  if (newest === null) return UNKNOWN;
  const rolling = rollingYear(known, item, quarterNumber(newest));
  if (rolling !== null)
    return { current: rolling, yearAgo: twelveMonths(known, item, quarterNumber(newest) - 4) };
  if (lastYear === null || lastYear.periodEnd < recentSince) return UNKNOWN;
  return {
    current: lastYear.items[item],
    yearAgo: twelveMonths(known, item, quarterNumber(lastYear) - 4),
  };
}

/**
 * An item of the latest balance sheet (the "most recent quarter"), and of the balance sheet of the
 * same fiscal quarter one year earlier. All items come from one sheet: what it leaves out is null
 * and not taken from an older one.
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
 * An item that a balance sheet names only if the company has it, such as preferred equity: 0 if the
 * latest sheet does not name it, but null if the sheet of the quarter before did, since it is then
 * unknown whether the item is gone or reported elsewhere.
 */
export function balanceOrNone(known: KnownStatements, item: BalanceItem): number | null {
  const { balanceQuarter } = known;
  if (balanceQuarter === null) return null;
  const named = balanceAt(known, item, balanceQuarter);
  if (named !== null) return named;
  return (balanceAt(known, item, balanceQuarter - 1) ?? 0) === 0 ? 0 : null;
}

/** Growth over one year in percent; null where the base is zero or negative. */
export function growthPercent({ current, yearAgo }: YearOnYear): number | null {
  return current === null || yearAgo === null || yearAgo <= 0
    ? null
    : 100 * ((current - yearAgo) / yearAgo);
}

/** The earliest period end that is at most 15 months old on the date `asOf`. */
export function recentSince(asOf: string): string {
  return addMonths(asOf, -15);
}

/** Numbers fiscal quarters so that neighbours differ by 1; it leaves 3 by 4 at a year's end. */
function quarterNumber({ fiscalYear, fiscalQuarter }: Statement): number {
  return fiscalYear * 4 + fiscalQuarter - 1;
}

/** The statement of the latest fiscal quarter, of several the one filed last; null of none. */
function latest(statements: Iterable<Statement>): Statement | null {
  let best: Statement | null = null;
  for (const statement of statements) {
    const later = best === null ? 1 : quarterNumber(statement) - quarterNumber(best);
    if (best === null || later > 0 || (later === 0 && statement.filedOn > best.filedOn))
      best = statement;
  }
  return best;
}

/** The twelve months up to the end of a fiscal quarter, by whichever way of reporting gives them. */
function twelveMonths(known: KnownStatements, item: FlowItem, quarter: number): number | null {
  return rollingYear(known, item, quarter) ?? flow(known, "year", item, quarter);
}

/** Twelve months put together from shorter spans. */
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

/** From the fiscal year's start to the quarter's end: as stated, or the sum of the quarters. */
function yearToDate(known: KnownStatements, item: FlowItem, quarter: number): number | null {
  const stated = flow(known, "year_to_date", item, quarter);
  if (stated !== null) return stated;
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
