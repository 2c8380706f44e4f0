import type { Statement } from "#domain/statement.ts";
import {
  comparablePrice,
  type CompanyInputs,
  multiplesOf,
  reportedFigures,
  returnsOf,
  tradedCompany,
} from "./valuation.ts";
import { sharesOn } from "./valuation-history.ts";

/** The ratios of a fiscal period that need more than its own figures. */
export interface PeriodRatios {
  /** `CompanyFundamentals.roicPercent`, of the twelve months that end with the period. */
  readonly roicPercent: number | null;
  /** Free cash flow of these months / market cap at the period's end. */
  readonly fcfYieldPercent: number | null;
  /** Enterprise value at the period's end / operating income of these months. */
  readonly evToEbit: number | null;
}

/** What a share cost at the end of a period. */
export interface PeriodPrice {
  /** The last close at or before the end, in today's shares and the instrument's currency; null if unknown. */
  readonly close: number | null;
  /** Units of the instrument's currency for one of the statements', on that day; null if unknown. */
  readonly rate: number | null;
}

/**
 * Computes the ratios of one fiscal period by the statements up to it, in their newest version: filed at any time
 * until `asOf`. `valuationHistory` gives the shares at its end.
 */
export function periodRatios(
  inputs: CompanyInputs,
  { periodEnd }: Statement,
  { close, rate }: PeriodPrice,
): PeriodRatios {
  const now = reportedFigures(inputs);
  const { tradedShares, basis } = tradedCompany(inputs, now);
  const then = reportedFigures({
    ...inputs,
    // A restatement replaces its original, which was filed before.
    statements: inputs.statements
      .filter(({ filedOn }) => filedOn <= inputs.asOf)
      .sort((a, b) => a.filedOn.localeCompare(b.filedOn))
      .map((statement) => ({ ...statement, filedOn: statement.periodEnd })),
    asOf: periodEnd,
  });
  const shares = sharesOn(then, now, tradedShares);
  const marketCap = close === null || shares === null ? null : close * shares;
  const { fcfYieldPercent, evToEbit } = multiplesOf(
    comparablePrice(close, marketCap, rate, basis),
    then,
  );
  const { roicPercent } = returnsOf(then, inputs.instrument.country);
  return { roicPercent, fcfYieldPercent, evToEbit };
}
