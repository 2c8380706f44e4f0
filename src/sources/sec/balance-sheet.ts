import { difference, sum } from "#analytics/ratios.ts";
import { addDays } from "#lib/date.ts";
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
  /** The sheets with total assets of the 15 months before a day, newest first. */
  recent(date: string): readonly Sheet[];
  /** The days of sheets with total assets, oldest first. */
  readonly dates: readonly string[];
  /** True if sheets may have lines that are not known. */
  readonly isPartial: boolean;
}

/** Quarterly reports may leave out what the annual report states: days back to it. */
const RECENT_DAYS = 460;

/** Reads the balance sheets: each figure from the first tag that has it, as stated last. */
export function readSheets(ledger: Ledger): Sheets {
  const parts = mapRecord(ledger.tags.instants, (names) =>
    instants(names.map((tag) => listFacts(ledger, tag))),
  );
  const dates = [...parts.totalAssets.keys()].sort();
  const known = new Map<string, Sheet>();
  const at = (date: string) => {
    const sheet = known.get(date) ?? readSheet(parts, date);
    known.set(date, sheet);
    return sheet;
  };
  return {
    at,
    recent(date) {
      const since = addDays(date, -RECENT_DAYS);
      return dates
        .filter((one) => one >= since && one < date)
        .map(at)
        .toReversed();
    },
    dates,
    isPartial: ledger.facts.isPartial ?? false,
  };
}

/** Convertible notes are all long-term debt of most companies that have them. */
function readSheet(
  parts: Readonly<Record<InstantPart, ReadonlyMap<string, number>>>,
  date: string,
): Sheet {
  const at = mapRecord(parts, (values) => values.get(date) ?? null);
  return {
    ...at,
    longTermDebt: at.longTermDebt ?? at.convertibleDebt,
    noncurrentNotes: at.noncurrentNotes ?? at.longTermNotes,
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
 * Cash, equivalents and current investments. Null on a day without a balance sheet, because cash flow
 * statements have the cash alone, and if nothing shows whether investments are current.
 */
export function liquidity(at: Sheet, recent: readonly Sheet[]): number | null {
  if (at.totalAssets === null) return null;
  if (at.cashAndInvestments !== null) return at.cashAndInvestments;
  const investments = currentInvestments(at);
  if (cashOf(at) === null || investments === undefined) return null;
  // All current assets are known.
  if (investments === null && unexplainedAssets(at) <= SAME * (at.currentAssets ?? 0))
    return cashOf(at);
  return sumOfSheet(
    (sheet) => [
      cashOf(sheet),
      currentInvestments(sheet) ?? difference(sheet.cashAndInvestments, cashOf(sheet)),
    ],
    at,
    recent,
  );
}

/**
 * Cash and equivalents; with restricted cash if the company has none (Procter & Gamble). Banks often have two
 * lines: cash, and deposits with other banks.
 */
function cashOf(at: Sheet): number | null {
  const unrestricted = (at.restrictedCash ?? 0) === 0 ? at.cashAndRestricted : null;
  return at.cash ?? sum(at.cashInBanks, at.depositsInBanks) ?? unrestricted ?? at.cashInBanks;
}

/**
 * The line for all current investments; or the sum of lines for some. Null if the sheet states none, undefined if
 * nothing shows what is current.
 */
function currentInvestments(at: Sheet): number | null | undefined {
  const { shortTermInvestments, marketableSecurities } = at;
  if (shortTermInvestments !== null && marketableSecurities !== null) {
    if (isSame(shortTermInvestments, marketableSecurities)) return shortTermInvestments;
    return provenCurrent(at, [
      shortTermInvestments + marketableSecurities,
      Math.max(shortTermInvestments, marketableSecurities),
    ]);
  }
  const stated =
    shortTermInvestments ??
    marketableSecurities ??
    (at.currentDebtSecurities === null
      ? plus(at.securitiesForSale, at.securitiesToMaturity)
      : plus(at.currentDebtSecurities, at.currentEquitySecurities));
  return stated ?? unspecifiedInvestments(at);
}

/**
 * Investments under a tag that does not say when they are due. Visa and Mastercard use it for a current line, Disney
 * for a non-current one.
 */
function unspecifiedInvestments(at: Sheet): number | null | undefined {
  const { investments, currentAssets } = at;
  if (investments === null || investments === 0 || currentAssets === null) return null;
  if (isSame(investments, at.longTermInvestments)) return null;
  const proven = provenCurrent(at, [investments]);
  if (proven !== undefined) return proven;
  return investments * (1 - SAME) > unexplainedAssets(at) ? null : undefined;
}

/** The amount that completes the current assets; undefined if none does. */
function provenCurrent(at: Sheet, amounts: readonly number[]): number | undefined {
  return amounts.find((amount) => isSame(amount, unexplainedAssets(at)));
}

/** Current assets without the known lines; infinite if they are not stated. */
function unexplainedAssets(at: Sheet): number {
  const lines = [cashOf(at), at.receivables, at.inventory, at.otherCurrentAssets];
  return (at.currentAssets ?? Infinity) - (lines.reduce(plus, null) ?? 0);
}

/**
 * Liabilities from operating and finance leases. Null if only the current or the non-current part is
 * stated, or finance leases alone: since 2019 nearly every lessee has operating leases too (ASML states them in some
 * years only). Null too if a kind is missing that an earlier sheet of the last 15 months had: quarterly reports often
 * state operating leases only.
 */
export function leaseLiabilities(at: Sheet, earlier: readonly Sheet[]): number | null {
  const kindsOf = (sheet: Sheet) => [
    sheet.operatingLeases ?? sum(sheet.currentOperatingLeases, sheet.noncurrentOperatingLeases),
    sheet.financeLeases ??
      sum(sheet.currentFinanceLeases, sheet.noncurrentFinanceLeases) ??
      sheet.capitalLeases,
  ];
  const kinds = kindsOf(at);
  const isPartial =
    kinds[0] === null &&
    (at.currentOperatingLeases ?? at.noncurrentOperatingLeases ?? (at.financeLeases || null)) !==
      null;
  const had = earlier.map(kindsOf);
  if (isPartial || kinds.some((kind, i) => kind === null && had.some((one) => (one[i] ?? 0) !== 0)))
    return null;
  return kinds.reduce(plus, null);
}

/**
 * The sum of the parts that a balance sheet states; null if it states none, and if a part is missing
 * that the last sheet with it had: its tag may have changed, so the rest is not a total.
 */
export function sumOfSheet(
  partsOf: (sheet: Sheet) => readonly (number | null)[],
  at: Sheet,
  recent: readonly Sheet[],
): number | null {
  const parts = partsOf(at);
  return missingParts(parts, recent.map(partsOf)).includes(true) ? null : parts.reduce(plus, null);
}

/** True for each part that is not stated, but was when it was stated last. */
export function missingParts(
  parts: readonly (number | null)[],
  before: readonly (readonly (number | null)[])[],
): boolean[] {
  return parts.map((part, i) => {
    const last = before.map((sheet) => sheet[i] ?? null).find((value) => value !== null);
    return part === null && (last ?? 0) !== 0;
  });
}

/** Minority interest within the equity of a day; null if unknown. */
export function ownMinority(at: Sheet): number | null {
  return at.minorityInterest ?? difference(at.equityWithMinority, at.equity);
}

/** Figures that differ by less are the same figure, rounded in one of the places. */
export const SAME = 0.005;

/** True if both figures are known and the same up to a rounding. */
export function isSame(a: number | null, b: number | null, tolerance = SAME): boolean {
  return (
    a !== null && b !== null && Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b))
  );
}

/** The sum of the known values; null if none is known. */
export function plus(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : a + b;
}
