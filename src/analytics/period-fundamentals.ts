import type { Statement } from "#domain/statement.ts";
import {
  type CompanyFundamentals,
  type CompanyInputs,
  fundamentalsOf,
  type QuarterPair,
  reportedFigures,
  tradedCompany,
  withQuarter,
} from "./valuation.ts";
import { sharesOn } from "./valuation-history.ts";

/** The ratios of a fiscal period that need more than its own figures: of the twelve months that end with it. */
export type PeriodRatios = Pick<
  CompanyFundamentals,
  "roicPercent" | "fcfYieldPercent" | "evToEbit" | "roePercent" | "pe"
>;

/** What a share cost at the end of a period. */
export interface PeriodPrice {
  /** The last close at or before the end, in today's shares and the instrument's currency; null if unknown. */
  readonly close: number | null;
  /** Units of the instrument's currency for one of the statements', on that day; null if unknown. */
  readonly rate: number | null;
}

/**
 * Reads the figures of the twelve months that end with a fiscal period, and of its end, by the statements up to it in
 * their newest version: filed at any time until `asOf`. `valuationHistory` gives the shares at its end. Dividends are not
 * read. With a quarter, its flows, growth and margins replace the ones of twelve months.
 */
export function periodFundamentals(
  inputs: CompanyInputs,
): (
  statement: Pick<Statement, "periodEnd">,
  price: PeriodPrice,
  single?: QuarterPair | null,
) => CompanyFundamentals {
  const now = reportedFigures(inputs);
  const { tradedShares, basis } = tradedCompany(inputs, now);
  const statements = inputs.statements
    .filter(({ filedOn }) => filedOn <= inputs.asOf)
    // A restatement replaces its original, which was filed before.
    .sort((a, b) => a.filedOn.localeCompare(b.filedOn))
    .map((statement) => ({ ...statement, filedOn: statement.periodEnd }));
  return ({ periodEnd }, { close, rate }, single = null) => {
    const then = reportedFigures({ ...inputs, statements, asOf: periodEnd });
    const shares = sharesOn(then, now, tradedShares);
    const marketCap = close === null || shares === null ? null : close * shares;
    const traded = { price: close, marketCap, tradedShares: shares, basis, rate };
    const figures = fundamentalsOf(inputs, then, traded);
    if (single === null) return figures;
    return withQuarter(figures, single, inputs.instrument, then.isCustodian, basis.commonShares);
  };
}
