import { Type } from "@sinclair/typebox";
import { CountryCode } from "./country.ts";
import { Amount, DateText, Nullable, type Static } from "./schema.ts";

const EarningsResult = Type.Object({
  /** The month in which the fiscal quarter ends, `YYYY-MM`. */
  quarterEnd: Type.String({ pattern: "^\\d{4}-(0[1-9]|1[0-2])$" }),
  /** The local day of the report; null if the source does not give it. */
  reportedOn: Nullable(DateText),
  /** Earnings per share as analysts count them: often without one-off items. */
  epsActual: Amount,
  /** The analysts' mean estimate before the report; null if there was none. */
  epsEstimate: Nullable(Amount),
  /**
   * Both amounts are in the shares of the end of this day; if absent, of the day of the newest prices when the
   * record is stored. The store returns results without it.
   */
  sharesAsOf: Type.Optional(DateText),
});
export type EarningsResult = Static<typeof EarningsResult>;

/**
 * The earnings per share that a company reported for past quarters, with the analysts' estimates, oldest quarter first.
 * A quarter stays stored until an answer has it again.
 */
export const EarningsResults = Type.Object({
  country: CountryCode,
  symbol: Type.String(),
  results: Type.Array(EarningsResult),
});
export type EarningsResults = Static<typeof EarningsResults>;

/**
 * The results of both records, oldest quarter first. The newer record wins; a report date that only the older one has
 * stays. `sharesAsOf`: the shares of the older results that do not say it.
 */
export function mergeResults(
  older: EarningsResults,
  newer: EarningsResults,
  sharesAsOf: string,
): EarningsResults {
  const merged = new Map(
    older.results.map((result) => [result.quarterEnd, { sharesAsOf, ...result }]),
  );
  for (const result of newer.results) {
    const reportedOn = result.reportedOn ?? merged.get(result.quarterEnd)?.reportedOn ?? null;
    merged.set(result.quarterEnd, { ...result, reportedOn } as typeof result & {
      sharesAsOf: string;
    });
  }
  const results = [...merged.values()].sort((a, b) => a.quarterEnd.localeCompare(b.quarterEnd));
  return { ...newer, results };
}
