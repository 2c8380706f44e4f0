import { difference, sum } from "#analytics/ratios.ts";
import { addDays, daysBetween } from "#lib/date.ts";
import { isSame, missingParts, plus, SAME, type Sheet, type Sheets } from "./balance-sheet.ts";
import type { Fact } from "./facts.ts";

/**
 * Total debt: non-current and current debt, bonds, notes, loans and commercial paper.
 *
 * Operating leases are excluded. Finance leases are excluded too, except where the company's line of
 * debt includes them and it states no line without them.
 *
 * Companies use the same tags for different lines. Where a sheet leaves two readings, other figures
 * of the sheet decide, or the company's nearest sheet within three years:
 *
 * - `ShortTermBorrowings` is debt beside the current part of long-term debt. It includes that part if
 *   both are equal, or if `DebtCurrent` is the same figure (Marvell, IBM, Johnson & Johnson).
 * - `LongTermDebt` is long-term debt with its current part, or the non-current line (Tesla, Adobe, NVIDIA
 *   until 2018): see `findRole`. If nothing proves either, the debt is null.
 *
 * Short-term debt or convertible notes alone are all debt only if the sheet has no other line of debt.
 * Real estate companies have lines for mortgages, secured and senior notes, and lines of credit. Short-term debt
 * alone also needs a proof, because the long-term line may have an unknown tag: see `isWhole`.
 *
 * Also null if the sheet contradicts itself, if it states no debt, and if a part is missing that the
 * last sheet with it had: its tag may have changed, so the rest is not a total. And null if the sheet states
 * no short-term debt beside the current part, but the cash flows of a year before or after show that the company
 * has some (Amazon until 2022): see `mayBeBorrowed`.
 */
export function findTotalDebts(
  sheets: Sheets,
  flows: readonly NetFlow[],
  interestAt: (date: string) => number | null,
): (date: string) => number | null {
  const readingAt = findReadings(sheets);
  const known = new Map<string, number | null>();
  const debtAt = (date: string) => {
    const at = sheets.at(date);
    const reading = readingAt(date);
    const isUsable = !isIncomplete(at, sheets.isPartial) && !isImpossible(at);
    const total = isUsable ? totalDebt(at, reading) : null;
    if (total === null || !isWhole(at, total, interestAt(date))) return null;
    const parts = partsOf(at, reading);
    const before = sheets.recent(date).map((sheet) => partsOf(sheet, reading));
    if (missingParts(parts, before).includes(true)) return null;
    const stockAt = (day: string) => shortTermOf(partsOf(sheets.at(day), reading));
    const isUnknown = shortTermOf(parts) === null && mayBeBorrowed(flows, date, total, stockAt);
    return isUnknown ? null : total;
  };
  return (date) => {
    const debt = known.has(date) ? (known.get(date) ?? null) : debtAt(date);
    known.set(date, debt);
    return debt;
  };
}

/** If less than this part of long-term debt is due within a year, both readings are almost equal. */
const LITTLE = 0.02;
/** Equal up to the rounding of one of two sums: two independent lines are not equal by chance. */
const EQUAL = 0.0005;

/** Debt that is not due within a year, with finance leases only if no line excludes them. */
function noncurrentOf(at: Sheet): number | null {
  return at.noncurrentDebt ?? at.noncurrentDebtAndLeases ?? at.noncurrentNotes;
}

/** The current part of long-term debt, with or without finance leases as the non-current line. */
function currentPartOf(at: Sheet): number | null {
  const [without, including] = [at.currentLongTermDebt, at.currentDebtAndLeases];
  const isLeased = at.noncurrentDebt === null && at.noncurrentDebtAndLeases !== null;
  return (isLeased ? (including ?? without) : (without ?? including)) ?? at.currentNotes;
}

/**
 * True if no other line can be debt. Notes payable beside the current part of long-term debt are in the total
 * (Masco's of 364 were not). Without a line for long-term debt, there are no non-current liabilities, or the year's
 * interest is at most 10 % of the short-term debt: Kimberly-Clark paid 275 in 2009 with short-term debt of 610, and
 * its line for the other 4,792 has a tag of its own.
 */
function isWhole(at: Sheet, total: number, interest: number | null): boolean {
  const longTerm = noncurrentOf(at) ?? difference(at.longTermDebt, currentPartOf(at) ?? 0);
  if ((at.otherCurrentDebt ?? 0) * (1 - SAME) > total - (longTerm ?? 0)) return false;
  if (longTerm !== null || at.wholeDebt !== null) return true;
  const noncurrent = difference(at.totalLiabilities, at.currentLiabilities);
  if (noncurrent !== null && noncurrent <= SAME * (at.totalLiabilities ?? 0)) return true;
  return interest !== null && interest <= 0.1 * total;
}

/** True if the known lines may be a part of the debt. */
function isIncomplete(at: Sheet, isPartial: boolean): boolean {
  const isConvertible = at.convertibleDebt !== null && at.convertibleDebt === at.longTermDebt;
  if (at.wholeDebt !== null || (at.longTermDebt !== null && !isConvertible)) return false;
  const { noncurrentDebt, noncurrentDebtAndLeases, noncurrentNotes, longTermNotes } = at;
  const noncurrent = noncurrentDebt ?? noncurrentDebtAndLeases;
  // Bonds that are more than all non-current borrowings are not among them.
  if (noncurrent !== null) return noncurrentDebt !== null && (at.bonds ?? 0) > noncurrent;
  // Convertible and other notes are two lines of Amgen's balance sheet.
  const isTwoLines = (longTermNotes ?? 0) !== 0 && !isSame(longTermNotes, noncurrentNotes);
  return isTwoLines || (at.otherDebt ?? 0) !== 0 || (isPartial && noncurrentNotes === null);
}

/** True if the non-current line is more than non-current liabilities, or less than one of its parts. */
function isImpossible(at: Sheet): boolean {
  const noncurrent = noncurrentOf(at);
  if (noncurrent === null) return false;
  const limit = difference(at.totalLiabilities, at.currentLiabilities);
  const isTooMuch = limit !== null && noncurrent * (1 - SAME) > limit;
  // The line with finance leases includes other debt too (DTE Energy's securitization bonds).
  const leases = at.noncurrentFinanceLeases ?? at.capitalLeases ?? 0.1 * noncurrent;
  if ((at.noncurrentDebtAndLeases ?? 0) > (noncurrent + leases) * 1.02) return true;
  return isTooMuch || (at.noncurrentNotes ?? 0) * (1 - SAME) > noncurrent;
}

function totalDebt(at: Sheet, reading: Reading): number | null {
  const noncurrent = noncurrentOf(at);
  const { currentDebt, longTermDebt } = at;
  const isLeased = at.noncurrentDebt === null && at.noncurrentDebtAndLeases !== null;
  if (isLeased && currentDebt !== null) {
    // Both parts are also stated without leases.
    if (longTermDebt !== null && reading.role === "noncurrent") return longTermDebt + currentDebt;
    if ((at.currentDebtAndLeases ?? 0) * (1 - SAME) > currentDebt) return null;
  }
  const current = currentOf(at, reading);
  if (current === undefined) return null;
  if (noncurrent !== null) return plus(noncurrent, current);
  if (at.wholeDebt !== null) return at.wholeDebt;
  if (longTermDebt === null) return current;
  if (reading.role === "noncurrent") return plus(longTermDebt, current);
  const part = currentPartOf(at);
  if (currentDebt !== null)
    return reading.role === "whole" ? sum(longTermDebt, difference(currentDebt, part)) : null;
  // The whole debt may be due within a year.
  const isWhole = reading.role === "whole" || isSame(part, longTermDebt);
  if (!isWhole && (part ?? 0) >= LITTLE * longTermDebt) return null;
  const borrowings = at.shortTermBorrowings;
  if (borrowings === null) return plus(longTermDebt, paperOf(at));
  return reading.includesPart
    ? sum(longTermDebt, difference(borrowings, part))
    : longTermDebt + borrowings;
}

/** Debt due within a year; null if not stated, undefined if the lines contradict each other. */
function currentOf(at: Sheet, { includesPart }: Reading): number | null | undefined {
  const { currentDebt, shortTermBorrowings } = at;
  const part = currentPartOf(at);
  if (currentDebt !== null) {
    if (isSame(currentDebt, shortTermBorrowings)) return sharper(currentDebt, shortTermBorrowings);
    const isTooSmall =
      Math.max(part ?? 0, shortTermBorrowings ?? 0) * (1 - SAME) > currentDebt ||
      (isSame(currentDebt, part) && (shortTermBorrowings ?? 0) > SAME * currentDebt);
    return isTooSmall ? undefined : currentDebt;
  }
  if (shortTermBorrowings === null) return plus(part, paperOf(at));
  return includesPart ? shortTermBorrowings : plus(part, shortTermBorrowings);
}

/** Commercial paper and other short-term borrowings. */
function paperOf(at: Sheet): number | null {
  const [first, second] = paperLines(at);
  return first === null ? null : plus(first, second);
}

/**
 * The lines for commercial paper and other borrowings; the line for both and 0. Two equal figures are one
 * (Apple, fiscal 2019).
 */
function paperLines({ commercialPaper, otherBorrowings }: Sheet): [number | null, number | null] {
  const isOne = commercialPaper === null || isSame(commercialPaper, otherBorrowings, EQUAL);
  return isOne ? [otherBorrowings, 0] : [commercialPaper, otherBorrowings];
}

/** The figure of two that is less rounded. */
function sharper(a: number, b: number | null): number {
  const zeros = (value: number) => /0*$/.exec(String(value))?.[0].length ?? 0;
  return b !== null && zeros(b) < zeros(a) ? b : a;
}

/** Cash flows of one period. */
interface NetFlow {
  readonly start: string;
  readonly end: string;
  readonly value: number;
}

/** The proceeds less the repayments of each period, over all tags. */
export function netFlows(
  proceeds: readonly (readonly Fact[])[],
  repayments: readonly (readonly Fact[])[],
): NetFlow[] {
  const net = new Map<string, NetFlow>();
  const add = (facts: readonly Fact[], sign: 1 | -1) => {
    const newest = new Map(
      facts
        .toSorted((a, b) => (a.filed < b.filed ? -1 : 1))
        .map(({ start, end, value }) => [`${start} ${end}`, { start, end, value }]),
    );
    for (const [period, { start, end, value }] of newest)
      if (start !== null)
        net.set(period, { start, end, value: (net.get(period)?.value ?? 0) + sign * value });
  };
  for (const facts of proceeds) add(facts, 1);
  for (const facts of repayments) add(facts, -1);
  return [...net.values()];
}

/**
 * True if the short-term debt of a day is not stated and may be more than 1 % of the other debt: flows of a
 * period that begins or ends within a year of the day are more than that, and no stated debt at the start of
 * a period up to this day comes to nothing with the flows.
 */
function mayBeBorrowed(
  flows: readonly NetFlow[],
  date: string,
  debt: number,
  stockAt: (day: string) => number | null,
): boolean {
  const isMuch = (amount: number) => Math.abs(amount) > 0.01 * debt;
  const isRepaid = flows.some(({ start, end, value }) => {
    const stock = end === date ? stockAt(addDays(start, -1)) : null;
    return stock !== null && !isMuch(stock + value);
  });
  const [since, until] = [addDays(date, -366), addDays(date, 366)];
  return (
    !isRepaid &&
    flows.some(({ start, end, value }) => end > since && start < until && isMuch(value))
  );
}

/** Short-term debt beside the current part of long-term debt. */
function shortTermOf([, , paper = null, other = null]: readonly (number | null)[]): number | null {
  return paper === null ? null : plus(paper, other);
}

/**
 * Four parts: non-current debt, its current part, and other short-term debt in one or two lines. A part
 * that another one includes is 0.
 */
function partsOf(at: Sheet, { includesPart }: Reading): readonly (number | null)[] {
  const { currentDebt, shortTermBorrowings } = at;
  const noncurrent = noncurrentOf(at);
  const part = currentPartOf(at);
  if (noncurrent === null && at.wholeDebt !== null) return [at.wholeDebt, 0, 0, 0];
  const longTerm = noncurrent ?? at.longTermDebt;
  if (currentDebt !== null)
    return [longTerm, currentDebt, part === null ? 0 : currentDebt - part, 0];
  if (includesPart && shortTermBorrowings !== null) return [longTerm, shortTermBorrowings, 0, 0];
  const isWhole = noncurrent === null && at.longTermDebt !== null;
  const borrowings = shortTermBorrowings === null ? paperLines(at) : [shortTermBorrowings, 0];
  return [longTerm, isWhole ? 0 : part, ...borrowings];
}

/** How a company uses tags with two meanings. */
interface Reading {
  /** `ShortTermBorrowings` includes the current part of long-term debt. */
  readonly includesPart: boolean;
  /** What `LongTermDebt` is: the non-current line, or all long-term debt; null if nothing proves either. */
  readonly role: Role | null;
}

type Role = "noncurrent" | "whole";

/** Readings by day: as the nearest sheet proves, else by the definitions of the taxonomy. */
function findReadings(sheets: Sheets): (date: string) => Reading {
  const inclusions = new Map<string, boolean>();
  const roles = new Map<string, Role>();
  for (const date of sheets.dates) {
    const at = sheets.at(date);
    const includes = findInclusion(at);
    const role = findRole(at);
    if (includes !== null) inclusions.set(date, includes);
    if (role !== null) roles.set(date, role);
  }
  return (date) => ({
    includesPart: nearest(inclusions, date) ?? false,
    role: nearest(roles, date),
  });
}

const NEAR_DAYS = 3 * 366;

function nearest<T>(proofs: ReadonlyMap<string, T>, date: string): T | null {
  let best: T | null = null;
  let bestDays = NEAR_DAYS;
  for (const [day, proof] of proofs) {
    const days = Math.abs(daysBetween(day, date));
    if (days < bestDays) [best, bestDays] = [proof, days];
  }
  return best;
}

/** True if `ShortTermBorrowings` includes the current part of long-term debt; null without proof. */
function findInclusion(at: Sheet): boolean | null {
  const { currentDebt, shortTermBorrowings } = at;
  const part = currentPartOf(at);
  if (shortTermBorrowings === null || part === null || part === 0) return null;
  if (isSame(shortTermBorrowings, part, EQUAL)) return true;
  if (shortTermBorrowings < part) return false;
  if (isSame(currentDebt, shortTermBorrowings)) return true;
  return isSame(currentDebt, shortTermBorrowings + part) ? false : null;
}

/**
 * What `LongTermDebt` is on a sheet; null without proof. Proofs are: the lines for both parts; the
 * non-current line with finance leases, less these; a total of all debt; the carrying or face amount of
 * all debt, if it is within 10 % of one reading and at most half as far from it as from the other; and
 * non-current liabilities, which cannot be less than one of their parts.
 */
function findRole(at: Sheet): Role | null {
  const { longTermDebt, currentDebt } = at;
  const current = currentDebt ?? currentPartOf(at);
  if (longTermDebt === null || current === null || current < LITTLE * longTermDebt) return null;
  const part = currentPartOf(at);
  // Debt that is all due within a year shows nothing for other sheets.
  if (isSame(longTermDebt, part)) return null;
  for (const line of [at.noncurrentDebt, at.noncurrentDebtAndLeases]) {
    if (isSame(longTermDebt, sum(line, part ?? currentDebt))) return "whole";
    if (isSame(longTermDebt, line)) return "noncurrent";
  }
  const unleased = difference(at.noncurrentDebtAndLeases, at.noncurrentFinanceLeases);
  if (isSame(longTermDebt, unleased)) return "noncurrent";
  if (isSame(at.wholeDebt, longTermDebt + current)) return "noncurrent";
  const limit = difference(at.totalLiabilities, at.currentLiabilities);
  if (limit !== null && longTermDebt > limit * (1 + SAME)) return "whole";
  return at.debtCarrying === null ? null : nearerRole(at.debtCarrying, longTermDebt, current);
}

function nearerRole(all: number, longTermDebt: number, current: number): Role | null {
  const apart = Math.abs(all - (longTermDebt + current)) / all;
  const inside = Math.abs(all - longTermDebt) / all;
  if (apart < 0.1 && apart <= inside / 2) return "noncurrent";
  return inside < 0.1 && inside <= apart / 2 ? "whole" : null;
}
