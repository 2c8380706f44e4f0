import type { InstrumentKey } from "#domain/instrument.ts";
import { type Split, splitRatio } from "#domain/split.ts";
import { FACTS } from "./facts.ts";

/** A close as it was traded, in the instrument's currency, by which a series of closes is checked. */
export interface KnownClose extends InstrumentKey {
  /** Local `YYYY-MM-DD`. */
  readonly date: string;
  readonly close: number;
}

/** The newest published close of each share of Viet Nam, whose providers adjust prices in different ways. */
export const KNOWN_CLOSES: readonly KnownClose[] = FACTS.flatMap((fact) =>
  fact.kind === "bars" && fact.country === "VN"
    ? { country: fact.country, symbol: fact.symbol, ...fact.closes[1] }
    : [],
);

/** Closes are rounded to a tick, and factors of adjustment to a few digits. */
const TOLERANCE = 0.002;
/** Share dividends and bonus issues are whole percents of the shares, from this on. */
const SMALLEST_ISSUE_PERCENT = 5;

/**
 * How the closes of a series are adjusted, by its close on the day of a known one: `split` if they are
 * as traded or adjusted for splits and share dividends, `total` if they are also adjusted for cash
 * dividends. Null if that is unknown: if the close is higher, less than half, or lower by a factor that
 * a share dividend has, while the splits are unknown.
 *
 * @param close in the instrument's currency
 * @param splits null if they are unknown
 */
export function priceAdjustment(
  known: KnownClose,
  close: number,
  splits: readonly Split[] | null,
): "split" | "total" | null {
  const ratio = (close * splitRatio(splits ?? [], known.date, "9999-12-31")) / known.close;
  if (Math.abs(ratio - 1) <= TOLERANCE) return "split";
  if (!(ratio >= 0.5 && ratio < 1)) return null;
  const issuePercent = 100 / ratio - 100;
  const isIssue =
    Math.round(issuePercent) >= SMALLEST_ISSUE_PERCENT &&
    Math.abs(issuePercent - Math.round(issuePercent)) <= 100 * TOLERANCE;
  return splits === null && isIssue ? null : "total";
}
