import { sum } from "#analytics/ratios.ts";
import { mapRecord } from "#lib/map-record.ts";
import type { Fact } from "./facts.ts";
import { type Ledger, listFacts } from "./ledger.ts";
import type { InstantPart } from "./tags.ts";

/** The stated figures of one day; null if not stated. */
export type Sheet = Readonly<Record<InstantPart, number | null>>;

/** The balance sheets of a company, and single figures of other days. */
export interface Sheets {
  /** The sheet of a day, which may have few figures. */
  at(date: string): Sheet;
  /** The latest sheet with total assets before a day; null if there is none. */
  before(date: string): Sheet | null;
  /** The days of sheets with total assets, oldest first. */
  readonly dates: readonly string[];
  /** True if sheets may have lines that are not known. */
  readonly isPartial: boolean;
}

/** Reads the balance sheets: each figure from the first tag that has it, as stated last. */
export function readSheets(ledger: Ledger): Sheets {
  const parts = mapRecord(ledger.tags.instants, (names) =>
    instants(names.map((tag) => listFacts(ledger, tag))),
  );
  const dates = [...parts.totalAssets.keys()].sort();
  const known = new Map<string, Sheet>();
  const at = (date: string) => {
    const sheet = known.get(date) ?? mapRecord(parts, (values) => values.get(date) ?? null);
    known.set(date, sheet);
    return sheet;
  };
  return {
    at,
    before(date) {
      const previous = dates.findLast((one) => one < date);
      return previous === undefined ? null : at(previous);
    },
    dates,
    isPartial: ledger.facts.isPartial ?? false,
  };
}

/** The balances by day: each from the first tag that has one, as stated last. */
function instants(candidates: readonly (readonly Fact[])[]): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const facts of candidates.toReversed()) {
    const latest = new Map<string, Fact>();
    for (const fact of facts) {
      const known = latest.get(fact.end);
      if (fact.start === null && (!known || known.filed <= fact.filed)) latest.set(fact.end, fact);
    }
    for (const [end, { value }] of latest) values.set(end, value);
  }
  return values;
}

/**
 * Cash and current investments. Null on a day without a balance sheet, because cash flow statements have
 * the cash alone.
 */
export function liquidity(at: Sheet, previous: Sheet | null): number | null {
  if (at.totalAssets === null) return null;
  if (at.cashAndInvestments !== null || at.cash === null) return at.cashAndInvestments;
  return sumOfSheet((sheet) => [sheet.cash, currentInvestments(sheet)], at, previous);
}

/** The line for all of them; or debt and equity securities, if they are two lines. */
function currentInvestments(at: Sheet): number | null {
  if (at.shortTermInvestments !== null) return at.shortTermInvestments;
  return at.currentDebtSecurities === null
    ? at.securitiesForSale
    : plus(at.currentDebtSecurities, at.currentEquitySecurities);
}

/**
 * Liabilities from operating and finance leases. Null if only the current or the non-current part is
 * stated. Null too if a kind is missing that an earlier sheet of the last 15 months had: quarterly
 * reports often state operating leases only.
 */
export function leaseLiabilities(at: Sheet, earlier: readonly Sheet[]): number | null {
  const kindsOf = (sheet: Sheet) => [
    sheet.operatingLeases ?? sum(sheet.currentOperatingLeases, sheet.noncurrentOperatingLeases),
    sheet.financeLeases ?? sum(sheet.currentFinanceLeases, sheet.noncurrentFinanceLeases),
  ];
  const kinds = kindsOf(at);
  const isPartial =
    (at.currentOperatingLeases !== null || at.noncurrentOperatingLeases !== null) &&
    kinds[0] === null;
  const had = earlier.map(kindsOf);
  if (isPartial || kinds.some((kind, i) => kind === null && had.some((one) => (one[i] ?? 0) !== 0)))
    return null;
  return kinds.reduce(plus, null);
}

/**
 * The sum of the parts that a balance sheet states; null if it states none, and if a part is
 * missing that the previous sheet had: its tag may have changed, so the rest is not a total.
 */
export function sumOfSheet(
  partsOf: (sheet: Sheet) => readonly (number | null)[],
  at: Sheet,
  previous: Sheet | null,
): number | null {
  const parts = partsOf(at);
  const before = previous === null ? [] : partsOf(previous);
  if (parts.some((part, i) => part === null && (before[i] ?? 0) !== 0)) return null;
  return parts.reduce(plus, null);
}

/** The sum of the known values; null if none is known. */
export function plus(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}
